"""The three kinds of questions, as workers meet them."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.exceptions import ClientError
from pytest_django import Settings

from tests.mturk_local.conftest import Annotator, assignments, make_hit
from tests.mturk_local.test_qualifications import TEST

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]

EXTERNAL = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2006-07-14/ExternalQuestion.xsd"><ExternalURL>{url}</ExternalURL>'
    "<FrameHeight>600</FrameHeight></ExternalQuestion>"
)


def test_a_question_form_is_shown_and_its_selections_are_named(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk, Question=TEST)
    ada = annotator("ada")
    ada.accept(hit_id)
    refused = ada.answer(why="no choice made")
    assert "Please answer: sum" in refused.text
    ada.browser.open(f"{ada.site}hits/{hit_id}/")
    ada.answer(sum="two", why="<b>")

    answer = assignments(mturk, hit_id)[0]["Answer"]
    assert "<SelectionIdentifier>two</SelectionIdentifier>" in answer
    assert "<FreeText>&lt;b&gt;</FreeText>" in answer


def test_an_external_page_is_told_who_works_and_where_to_send_the_answer(
    mturk: "MTurkClient", annotator: People
) -> None:
    url = "https://tasks.example/page?item=7&amp;b=1"
    hit_id = make_hit(mturk, Question=EXTERNAL.format(url=url))
    ada = annotator("ada")
    ada.browser.open(f"{ada.site}hits/{hit_id}/")
    preview = parse_qs(urlsplit(ada.browser.page.iframe["src"]).query)
    ada.accept(hit_id)
    frame = ada.browser.page.iframe
    told = parse_qs(urlsplit(frame["src"]).query)

    assert preview["assignmentId"] == ["ASSIGNMENT_ID_NOT_AVAILABLE"]
    assert (told["item"], told["b"], told["hitId"]) == (["7"], ["1"], [hit_id])
    assert told["workerId"] == [ada.worker_id]
    assert frame["height"] == "600"
    sent = ada.browser.post(
        f"{told['turkSubmitTo'][0]}/mturk/externalSubmit",
        data={"assignmentId": told["assignmentId"][0], "label": "cat"},
    )
    assert sent.ok
    assert "<FreeText>cat</FreeText>" in assignments(mturk, hit_id)[0]["Answer"]


def test_an_external_page_must_come_over_https(mturk: "MTurkClient", settings: Settings) -> None:
    local = EXTERNAL.format(url="http://127.0.0.1:9/task")
    with pytest.raises(ClientError, match="https://"):
        make_hit(mturk, Question=local)
    settings.MTURK_LOCAL_ALLOW_HTTP_QUESTIONS = True

    assert make_hit(mturk, Question=local)
    with pytest.raises(ClientError, match="https://"):
        make_hit(mturk, Question=EXTERNAL.format(url="javascript:alert(1)"))


def test_amazons_address_of_a_preview_leads_to_the_group(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    group_id = mturk.get_hit(HITId=hit_id)["HIT"]["HITGroupId"]

    assert "Preview" in annotator("ada").text(f"mturk/preview?groupId={group_id}")


def test_an_answer_without_its_assignment_is_refused(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.open_task()
    address = ada.browser.page.form["action"]

    assert ada.browser.post(address, data={"label": "cat"}).status_code == 400
    forged = address[:-30] + ("y" if address[-30] == "x" else "x") + address[-29:]
    assert ada.browser.post(forged, data={}).status_code == 404
    assert assignments(mturk, hit_id) == []
