"""A live crowd service, real boto3 clients, and workers with real browsers' habits."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import boto3  # noqa: TID251 - the suite drives the service with the client that people use
import mechanicalsoup
import pytest
from botocore.config import Config
from django.urls import clear_url_caches
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from mturk_local.keys import key_pair_issue
from mturk_local.models import EntryChannel
from mturk_local.workers import worker_create

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

QUESTION = (
    '<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2011-11-11/HTMLQuestion.xsd"><HTMLContent><![CDATA[<!DOCTYPE html><html lang="en"><head>'
    '<meta charset="utf-8"><title>Cats</title></head><body>'
    '<form method="post" action="https://www.mturk.com/mturk/externalSubmit">'
    '<input type="hidden" name="assignmentId" value=""><input type="hidden" name="v" value="1">'
    '<label><input type="radio" name="label" value="cat" required> cat</label>'
    '<textarea name="comment"></textarea>'
    "<button>Submit</button></form></body></html>]]></HTMLContent>"
    "<FrameHeight>0</FrameHeight></HTMLQuestion>"
)


#: boto3 takes a number here, its type stubs do not say so.
AT_ONCE: Any = 0
TYPE: dict[str, Any] = {
    "Title": "Label queries",
    "Description": "Say which gender a query names.",
    "Reward": "0.25",
    "AssignmentDurationInSeconds": 600,
    "AutoApprovalDelayInSeconds": 3600,
}


def make_hit(mturk: "MTurkClient", **other: Any) -> str:
    asked = {"LifetimeInSeconds": 3600, "Question": QUESTION, "MaxAssignments": 1, **TYPE, **other}
    return str(mturk.create_hit(**asked)["HIT"]["HITId"])


def counters(mturk: "MTurkClient", hit_id: str) -> tuple[str, int, int, int]:
    """Status; available, pending, completed."""
    hit = mturk.get_hit(HITId=hit_id)["HIT"]
    return (
        hit["HITStatus"],
        hit["NumberOfAssignmentsAvailable"],
        hit["NumberOfAssignmentsPending"],
        hit["NumberOfAssignmentsCompleted"],
    )


def assignments(mturk: "MTurkClient", hit_id: str) -> list[Any]:
    pages = mturk.get_paginator("list_assignments_for_hit").paginate(HITId=hit_id)
    return [assignment for page in pages for assignment in page["Assignments"]]


def available(mturk: "MTurkClient") -> str:
    return mturk.get_account_balance()["AvailableBalance"]


@pytest.fixture
def crowd(live_server: LiveServer, transactional_db: None, settings: Settings) -> Iterator[str]:
    settings.ROOT_URLCONF = "tests.mturk_local.urls"
    clear_url_caches()
    yield live_server.url
    while Guest.came:
        Guest.came.pop().browser.close()


@pytest.fixture
def client_of(crowd: str) -> Iterator[Callable[[str], "MTurkClient"]]:
    """A boto3 client of the requester with this name, with a fresh key pair."""

    def client(name: str) -> "MTurkClient":
        pair = key_pair_issue(requester_name=name)
        made = boto3.client(
            "mturk",
            endpoint_url=f"{crowd}/mturk/",
            region_name="us-east-1",
            aws_access_key_id=pair.access_key_id,
            aws_secret_access_key=pair.secret_access_key,
            config=Config(retries={"total_max_attempts": 1}),
        )
        clients.append(made)
        return made

    clients: list[MTurkClient] = []
    yield client
    for made in clients:
        made.close()


@pytest.fixture
def mturk(client_of: Callable[[str], "MTurkClient"]) -> "MTurkClient":
    return client_of("lab")


class Guest:
    """A person at a browser, without JavaScript, who has not come in by any channel yet."""

    came: ClassVar[list["Guest"]] = []

    def __init__(self, crowd: str) -> None:
        self.came.append(self)
        self.site = f"{crowd}/annotate/"
        self.browser = mechanicalsoup.StatefulBrowser(soup_config={"features": "lxml"})

    def text(self, path: str = "") -> str:
        """What a page says."""
        self.browser.open(self.site + path)
        return " ".join(self.browser.page.main.get_text(" ").split())

    def accept(self, hit_id: str) -> None:
        """Accept a HIT; the page of the assignment is open afterwards."""
        self.browser.open(f"{self.site}hits/{hit_id}/")
        self.browser.select_form('form[action$="/accept/"]')
        self.browser.submit_selected()

    def give_back(self) -> None:
        self.browser.select_form('form[action$="/return/"]')
        self.browser.submit_selected()

    def open_task(self) -> None:
        """Look into the frame of the open page."""
        self.browser.open_relative(self.browser.page.select_one("iframe")["src"])

    def answer(self, **fields: str) -> Any:
        """Fill in the open page's frame and send it; the reply to the form."""
        self.open_task()
        self.browser.select_form("form")
        for name, value in fields.items():
            self.browser[name] = value
        return self.browser.submit_selected()


class Annotator(Guest):
    """Somebody with an account, signed in."""

    def __init__(self, crowd: str, name: str) -> None:
        super().__init__(crowd)
        self.worker_id = worker_create(
            entry_channel=EntryChannel.ACCOUNT, username=name, password="correct horse"
        ).worker_id
        self.browser.open(f"{self.site}sign-in/")
        self.browser.select_form("form.fields")
        self.browser["username"], self.browser["password"] = name, "correct horse"
        self.browser.submit_selected()


@pytest.fixture
def annotator(crowd: str) -> Callable[[str], Annotator]:
    """Somebody with an account of this name, signed in."""
    return lambda name: Annotator(crowd, name)
