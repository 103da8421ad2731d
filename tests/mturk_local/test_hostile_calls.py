"""Calls and addresses that ended in a fault of the service, and what Amazon refuses, too."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import requests
from botocore.exceptions import ClientError
from django.core.management import CommandError, call_command

from mturk_local.answers import MOST_BYTES
from mturk_local.commands import channel
from mturk_local.errors import CrowdError
from mturk_local.keys import key_pair_issue
from mturk_local.models import Assignment, AssignmentState, Worker
from mturk_local.people import carry_out
from tests.mturk_local.conftest import TYPE, Annotator, make_hit
from tests.mturk_local.test_protocol import Send, send

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]
__all__ = ["send"]  # the fixture


def refusal(call: Callable[..., Any], **parameters: Any) -> str:
    """The code of the service's refusal."""
    with pytest.raises(ClientError) as refused:
        call(**parameters)
    reply = refused.value.response
    assert reply["ResponseMetadata"]["HTTPStatusCode"] == 400
    return str(reply.get("TurkErrorCode") or reply["Error"]["Code"]).rpartition(".")[2]


@pytest.mark.parametrize("group", ["a/b", "/", "..%2Fx", "a%2Fb/", "%0A"])
def test_a_group_that_is_none_leads_nowhere(crowd: str, group: str) -> None:
    reply = requests.get(f"{crowd}/annotate/mturk/preview?groupId={group}", timeout=60)
    assert reply.status_code in {200, 404}


@pytest.mark.parametrize("opening", ["[", '{"HITId":'])
@pytest.mark.parametrize("depth", [33, 100_000])
def test_a_call_that_is_nested_too_deeply_is_refused(send: Send, opening: str, depth: int) -> None:
    closing = "]" if opening == "[" else "}"
    reply = send("GetHIT", opening * depth + "1" + closing * depth)
    assert reply.status_code == 400
    assert reply.json()["__type"] == "SerializationException"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
@pytest.mark.parametrize("named", ["", "; charset=utf-16", "; charset=base64"])
def test_a_call_that_is_not_in_utf8_is_refused(send: Send, encoding: str, named: str) -> None:
    half = "" if encoding == "latin-1" else "\ud800"
    body = f'{{"HITId": "\u00e9{half}"}}'.encode(encoding, "surrogatepass")
    reply = send("GetHIT", body, content_type=f"application/x-amz-json-1.1{named}")
    assert reply.status_code == 400
    assert reply.json()["__type"] == "SerializationException"


@pytest.mark.parametrize(
    "moment", ["Infinity", "-Infinity", "NaN", "1e400", '"1e400"', '"9999-12-31T23:59:59-23:00"']
)
def test_a_moment_that_is_none_is_refused(send: Send, mturk: "MTurkClient", moment: str) -> None:
    body = f'{{"HITId": "{make_hit(mturk)}", "ExpireAt": {moment}}}'
    reply = send("UpdateExpirationForHIT", body)
    assert reply.status_code == 400
    assert reply.json()["__type"] == "SerializationException"


def test_a_hit_does_not_live_longer_than_a_year(mturk: "MTurkClient") -> None:
    hit_id, now = make_hit(mturk), datetime.now(UTC)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=now + timedelta(days=364))
    late = now + timedelta(days=366)
    code = refusal(mturk.update_expiration_for_hit, HITId=hit_id, ExpireAt=late)
    assert code == "ParameterValidationError"


def test_the_type_of_a_disposed_hit_stays(mturk: "MTurkClient") -> None:
    hit_id = make_hit(mturk)
    other = mturk.create_hit_type(**TYPE | {"Title": "Another"})["HITTypeId"]
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime(2020, 1, 1, tzinfo=UTC))
    mturk.delete_hit(HITId=hit_id)
    code = refusal(mturk.update_hit_type_of_hit, HITId=hit_id, HITTypeId=other)
    assert code == "InvalidHITState"


@pytest.mark.parametrize(
    "terms",
    [
        {"Title": "  "},
        {"Description": "\t"},
        {"Title": "a\x07b"},
        {"Description": "a\x1b[31mb"},
    ],
)
def test_texts_that_nobody_can_read_are_refused(
    mturk: "MTurkClient", terms: dict[str, str]
) -> None:
    assert refusal(mturk.create_hit_type, **TYPE | terms) == "ParameterValidationError"


@pytest.mark.parametrize("text", ["", "  ", "a\x1b[31mb"])
@pytest.mark.parametrize("member", ["Subject", "MessageText"])
def test_a_message_that_nobody_can_read_is_refused(send: Send, member: str, text: str) -> None:
    body = {"Subject": "s", "MessageText": "t", "WorkerIds": ["A1"]} | {member: text}
    reply = send("NotifyWorkers", json.dumps(body))
    assert reply.status_code == 400
    assert reply.json()["__type"] == "ParameterValidationError"


@pytest.mark.parametrize("text", ["", "  ", "a\x07b"])
def test_a_qualification_has_a_name_that_people_can_read(send: Send, text: str) -> None:
    body = {"Name": text, "Description": "d", "QualificationTypeStatus": "Active"}
    reply = send("CreateQualificationType", json.dumps(body))
    assert reply.status_code == 400
    assert reply.json()["__type"] == "ParameterValidationError"


def test_a_requirement_names_a_qualification_that_there_is(mturk: "MTurkClient") -> None:
    requirement = {"QualificationTypeId": "3NOBODYMADETHIS", "Comparator": "Exists"}
    terms = TYPE | {"QualificationRequirements": [requirement]}
    assert refusal(mturk.create_hit_type, **terms) == "QualificationTypeDoesNotExist"
    kind = mturk.create_qualification_type(
        Name="ours", Description="For us.", QualificationTypeStatus="Active"
    )["QualificationType"]
    requirement["QualificationTypeId"] = kind["QualificationTypeId"]
    mturk.create_hit_type(**terms)


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https:///task",
        "https://a b/",
        "https://host:port/",
        "https://ex\\ample/",
        "https://h/&lt;x",
    ],
)
def test_an_external_url_that_is_none_is_refused(mturk: "MTurkClient", url: str) -> None:
    question = (
        '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/'
        'AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">'
        f"<ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
    )
    asked = {"LifetimeInSeconds": 3_600, "Question": question}
    assert refusal(mturk.create_hit, **TYPE | asked) == "ParameterValidationError"


def test_an_answer_that_is_too_large_is_refused_and_the_next_one_taken(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    ada.accept(make_hit(mturk))
    ada.open_task()
    address = ada.browser.page.form["action"]
    fields = {"assignmentId": Assignment.objects.get().assignment_id}
    large = requests.post(address, data=fields | {"label": "x" * MOST_BYTES}, timeout=60)
    assert large.status_code == 409
    assert Assignment.objects.get().state == AssignmentState.ACCEPTED
    assert requests.post(address, data=fields | {"label": "cat"}, timeout=60).status_code == 200


def test_a_copy_of_the_cookie_is_of_no_use_after_signing_out(crowd: str, annotator: People) -> None:
    ada = annotator("ada")
    cookies = dict(ada.browser.session.cookies)
    work = f"{ada.site}work/"
    assert requests.get(work, cookies=cookies, timeout=60, allow_redirects=False).status_code == 200
    ada.browser.open(ada.site)
    ada.browser.select_form('form[action$="/sign-out/"]')
    ada.browser.submit_selected()
    assert requests.get(work, cookies=cookies, timeout=60, allow_redirects=False).status_code == 302


def test_a_password_like_the_name_makes_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["ada.lovelace1", "a long one for a person"])
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(answers))
    with pytest.raises(CommandError):
        call_command(channel.Command(), "account", "ada.lovelace")
    assert not Worker.objects.exists()
    call_command(channel.Command(), "account", "ada.lovelace")
    assert Worker.objects.get().check_password("a long one for a person")


@pytest.mark.parametrize("character", ["\0", "\x1b", "\ud800"])
def test_the_second_api_takes_no_text_that_nobody_can_read(character: str) -> None:
    key = key_pair_issue(requester_name="lab")
    named = {"Reference": "r", "Username": f"ada{character}", "Password": "correct horse"}
    for operation in ("CreateAccount", "CreateTicket", "FindPerson"):
        with pytest.raises(CrowdError) as caught:
            carry_out(operation, key, {**named, "Person": f"5{character}", "WorkerId": character})
        assert caught.value.code == "ValidationException"
