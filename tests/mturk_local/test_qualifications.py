"""Qualifications: granted, tested, asked for, and what they open and close to workers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from mturk_local.models import Worker
from tests.mturk_local.conftest import Annotator, Guest, assignments, make_hit
from tests.mturk_local.time_passing import let_time_pass

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
TEST = f"""<QuestionForm xmlns="{SCHEMAS}2017-11-06/QuestionForm.xsd">
  <Overview><Title>A short test</Title><Text>Two questions.</Text></Overview>
  <Question><QuestionIdentifier>sum</QuestionIdentifier><IsRequired>true</IsRequired>
    <QuestionContent><Text>What is 1 + 1?</Text></QuestionContent>
    <AnswerSpecification><SelectionAnswer><StyleSuggestion>radiobutton</StyleSuggestion>
      <Selections>
        <Selection><SelectionIdentifier>two</SelectionIdentifier><Text>2</Text></Selection>
        <Selection><SelectionIdentifier>three</SelectionIdentifier><Text>3</Text></Selection>
      </Selections></SelectionAnswer></AnswerSpecification></Question>
  <Question><QuestionIdentifier>why</QuestionIdentifier>
    <QuestionContent><Text>Why?</Text></QuestionContent>
    <AnswerSpecification><FreeTextAnswer/></AnswerSpecification></Question>
</QuestionForm>"""
KEY = f"""<AnswerKey xmlns="{SCHEMAS}2005-10-01/AnswerKey.xsd">
  <Question><QuestionIdentifier>sum</QuestionIdentifier>
    <AnswerOption><SelectionIdentifier>two</SelectionIdentifier><AnswerScore>5</AnswerScore>
    </AnswerOption><DefaultScore>0</DefaultScore></Question>
  <QualificationValueMapping><PercentageMapping><MaximumSummedScore>5</MaximumSummedScore>
  </PercentageMapping></QualificationValueMapping>
</AnswerKey>"""


def make_type(mturk: "MTurkClient", name: str = "trained", **other: Any) -> str:
    asked = {"Description": "Knows the categories.", "QualificationTypeStatus": "Active", **other}
    made = mturk.create_qualification_type(Name=name, **asked)
    return made["QualificationType"]["QualificationTypeId"]


def requirement(type_id: str, comparator: str = "Exists", **other: Any) -> list[Any]:
    return [{"QualificationTypeId": type_id, "Comparator": comparator, **other}]


def press(person: Guest, form: str) -> None:
    person.browser.select_form(form)
    person.browser.submit_selected()


def take_test(person: Annotator, type_id: str, **answers: str) -> None:
    person.browser.open(f"{person.site}qualifications/{type_id}/")
    press(person, 'form[action$="/ask/"]')
    person.browser.select_form("form.task-form")
    for name, value in {"sum": "two", **answers}.items():
        person.browser[name] = value
    person.browser.submit_selected()


def test_a_granted_qualification_opens_a_hit_and_a_revoked_one_closes_it(
    mturk: "MTurkClient", annotator: People
) -> None:
    type_id = make_type(mturk)
    hit_id = make_hit(mturk, QualificationRequirements=requirement(type_id))
    ada = annotator("ada")
    assert "You lack a qualification trained" in ada.text(f"hits/{hit_id}/")

    mturk.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=ada.worker_id, IntegerValue=80
    )
    assert "lack" not in ada.text(f"hits/{hit_id}/")
    score = mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=ada.worker_id)
    assert (score["Qualification"]["IntegerValue"], score["Qualification"]["Status"]) == (
        80,
        "Granted",
    )
    mturk.disassociate_qualification_from_worker(
        QualificationTypeId=type_id, WorkerId=ada.worker_id, Reason="Too fast"
    )
    assert "You lack" in ada.text(f"hits/{hit_id}/")
    assert "Revoked. Too fast" in ada.text("work/")
    revoked = mturk.list_workers_with_qualification_type(
        QualificationTypeId=type_id, Status="Revoked"
    )
    assert [one["WorkerId"] for one in revoked["Qualifications"]] == [ada.worker_id]


@pytest.mark.parametrize(
    ("guarded", "in_list", "preview"),
    [
        ("Accept", True, True),
        ("PreviewAndAccept", True, False),
        ("DiscoverPreviewAndAccept", False, False),
    ],
)
def test_requirements_guard_what_they_say(
    mturk: "MTurkClient", annotator: People, guarded: str, in_list: bool, preview: bool
) -> None:
    type_id = make_type(mturk)
    wanted = requirement(type_id, ActionsGuarded=guarded)
    hit_id = make_hit(mturk, QualificationRequirements=wanted)
    ada = annotator("ada")

    assert ("Label queries" in ada.text()) is in_list
    assert ("Preview" in ada.text(f"hits/{hit_id}/")) is preview
    ada.browser.open(f"{ada.site}hits/{hit_id}/")
    assert not ada.browser.page.select('form[action$="/accept/"]')


def test_a_hit_for_those_who_lack_a_qualification(mturk: "MTurkClient", annotator: People) -> None:
    type_id = make_type(mturk)
    hit_id = make_hit(mturk, QualificationRequirements=requirement(type_id, "DoesNotExist"))
    ada, ben = annotator("ada"), annotator("ben")
    mturk.associate_qualification_with_worker(QualificationTypeId=type_id, WorkerId=ada.worker_id)

    assert "You lack" in ada.text(f"hits/{hit_id}/")
    ben.accept(hit_id)
    ben.answer(label="cat")
    assert assignments(mturk, hit_id)[0]["WorkerId"] == ben.worker_id


def test_the_country_of_a_worker_is_required(mturk: "MTurkClient", annotator: People) -> None:
    wanted = requirement("00000000000000000071", "In", LocaleValues=[{"Country": "AT"}])
    hit_id = make_hit(mturk, QualificationRequirements=wanted)
    ada = annotator("ada")
    assert "You lack a qualification Worker_Locale" in ada.text(f"hits/{hit_id}/")
    Worker.objects.update(country="AT")

    assert "lack" not in ada.text(f"hits/{hit_id}/")


def test_a_test_is_scored_by_its_key_at_once(mturk: "MTurkClient", annotator: People) -> None:
    type_id = make_type(mturk, Test=TEST, AnswerKey=KEY, TestDurationInSeconds=600)
    ada, ben = annotator("ada"), annotator("ben")
    take_test(ada, type_id, why="<b>because</b>")
    take_test(ben, type_id, sum="three")

    scores = [
        mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=one.worker_id)
        for one in (ada, ben)
    ]
    assert [score["Qualification"]["IntegerValue"] for score in scores] == [100, 0]
    assert "with the value 100" in ada.text(f"qualifications/{type_id}/")


def test_a_test_without_a_key_waits_for_the_requester(
    mturk: "MTurkClient", annotator: People
) -> None:
    type_id = make_type(
        mturk, Test=TEST, TestDurationInSeconds=600, RetryDelayInSeconds=3600, Keywords="gender"
    )
    ada = annotator("ada")
    take_test(ada, type_id)
    (request,) = mturk.list_qualification_requests(QualificationTypeId=type_id)[
        "QualificationRequests"
    ]
    assert "<SelectionIdentifier>two</SelectionIdentifier>" in request["Answer"]
    mturk.reject_qualification_request(
        QualificationRequestId=request["QualificationRequestId"], Reason="Explain it"
    )
    assert "Explain it" in ada.text("work/")
    ada.browser.open(f"{ada.site}qualifications/{type_id}/")
    press(ada, 'form[action$="/ask/"]')
    assert "You can ask again" in ada.browser.page.get_text()
    let_time_pass(3601)
    take_test(ada, type_id)
    (again,) = mturk.list_qualification_requests()["QualificationRequests"]
    mturk.accept_qualification_request(
        QualificationRequestId=again["QualificationRequestId"], IntegerValue=7
    )

    score = mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=ada.worker_id)
    assert score["Qualification"]["IntegerValue"] == 7
    assert mturk.list_qualification_requests()["QualificationRequests"] == []


def test_a_test_must_be_handed_in_in_time(mturk: "MTurkClient", annotator: People) -> None:
    type_id = make_type(mturk, Test=TEST, AnswerKey=KEY, TestDurationInSeconds=600)
    ada = annotator("ada")
    ada.browser.open(f"{ada.site}qualifications/{type_id}/")
    press(ada, 'form[action$="/ask/"]')
    form = ada.browser.select_form("form.task-form")
    form["sum"] = "two"
    let_time_pass(601)
    late = ada.browser.submit_selected()

    assert "time for this test has run out" in late.text
    with pytest.raises(ClientError):
        mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=ada.worker_id)


def test_an_auto_granted_qualification_is_had_for_the_asking(
    mturk: "MTurkClient", annotator: People
) -> None:
    type_id = make_type(mturk, AutoGranted=True, AutoGrantedValue=3)
    ada = annotator("ada")
    ada.browser.open(f"{ada.site}qualifications/{type_id}/")
    press(ada, 'form[action$="/ask/"]')

    score = mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=ada.worker_id)
    assert score["Qualification"]["IntegerValue"] == 3


def test_types_are_shown_changed_listed_and_deleted(
    mturk: "MTurkClient", client_of: Callable[[str], "MTurkClient"]
) -> None:
    type_id = make_type(mturk, Test=TEST, AnswerKey=KEY, TestDurationInSeconds=600)
    make_type(client_of("other"), "theirs", Keywords="trained")
    with pytest.raises(ClientError, match="QualificationType"):
        make_type(mturk)
    changed = mturk.update_qualification_type(
        QualificationTypeId=type_id, Description="New", QualificationTypeStatus="Inactive"
    )["QualificationType"]
    shown = mturk.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]

    assert shown == changed
    assert (shown["Description"], shown["IsRequestable"], shown["Test"]) == ("New", False, TEST)
    foreign = client_of("other").get_qualification_type(QualificationTypeId=type_id)
    assert "AnswerKey" not in foreign["QualificationType"]
    found = mturk.list_qualification_types(Query="TRAINED", MustBeRequestable=False)
    assert {one["Name"] for one in found["QualificationTypes"]} == {"trained", "theirs"}
    mine = mturk.list_qualification_types(MustBeRequestable=False, MustBeOwnedByCaller=True)
    assert [one["Name"] for one in mine["QualificationTypes"]] == ["trained"]
    mturk.delete_qualification_type(QualificationTypeId=type_id)
    with pytest.raises(ClientError):
        mturk.get_qualification_type(QualificationTypeId=type_id)
    make_type(mturk)


def test_hits_are_found_by_the_qualification_they_ask_for(mturk: "MTurkClient") -> None:
    type_id = make_type(mturk)
    make_hit(mturk)
    wanted = make_hit(mturk, QualificationRequirements=requirement(type_id))

    found = mturk.list_hits_for_qualification_type(QualificationTypeId=type_id)
    assert [hit["HITId"] for hit in found["HITs"]] == [wanted]


@pytest.mark.parametrize(
    "wanted",
    [
        requirement("3X", "Exists", IntegerValues=[1]),
        requirement("3X", "In", IntegerValues=list(range(16))),
        requirement("3X", "LessThan", LocaleValues=[{"Country": "US"}]),
        requirement("3X", "EqualTo"),
        requirement("3X", RequiredToPreview=True, ActionsGuarded="Accept"),
        [requirement("3X")[0]] * 11,
    ],
)
def test_impossible_requirements_are_refused(mturk: "MTurkClient", wanted: list[Any]) -> None:
    with pytest.raises(ClientError) as refused:
        make_hit(mturk, QualificationRequirements=wanted)

    assert refused.value.response["Error"]["Code"] == "ParameterValidationError"
