"""What the crowd service computes without a database: money, answers, requirements, policies."""

import string
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from mturk_local import ids, money
from mturk_local.answers import FRAME_FIELDS, AnswerError, answer_values, answer_xml
from mturk_local.policies import answers_agreed, known_answer_score
from mturk_local.qualifications import Held, Locale, guards, meets
from mturk_local.site.forms import completed, previewed


@pytest.mark.parametrize(
    ("reward", "number", "masters", "fee"),
    # Amazon's mail of June 2015 to requesters: 20 %, at least a cent; 20 % more from 10
    # assignments on; 5 % more for Masters; rounded half up.
    [
        ("0.05", 3, False, 1),
        ("0.08", 3, False, 2),
        ("0.10", 9, False, 2),
        ("0.10", 10, False, 4),
        ("0.10", 10, True, 5),
        ("1.00", 3, True, 25),
        ("0.00", 3, False, 1),
    ],
)
def test_the_fee_is_amazons(reward: str, number: int, masters: bool, fee: int) -> None:
    cents = money.cents(reward)

    assert money.assignment_cost(cents, max_assignments=number, masters=masters) - cents == fee


@pytest.mark.parametrize(
    ("written", "read"), [("0.5", 50), ("0.50", 50), ("12", 1200), ("1.", 100)]
)
def test_amounts_are_read_as_the_pattern_allows(written: str, read: int) -> None:
    assert money.cents(written) == read


@given(st.integers(min_value=0, max_value=10**9))
def test_an_amount_is_written_as_it_is_read(cents: int) -> None:
    assert money.cents(money.amount(cents)) == cents


def test_ids_look_like_amazons() -> None:
    made = {ids.entity_id() for _ in range(100)}

    assert len(made) == 100
    for one in made:
        assert len(one) == 30
        assert one.startswith("3")
        assert set(one) <= set(string.ascii_uppercase + string.digits)
    assert not any(ids.worker_id().startswith("ASIM") for _ in range(100))


PRINTABLE = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00").filter(
        lambda c: c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff")
    )
)


NAMES = st.text(string.ascii_letters, min_size=1).filter(lambda name: name not in FRAME_FIELDS)


@given(st.dictionaries(NAMES, PRINTABLE, min_size=1))
def test_every_answer_is_read_back_as_it_was_given(fields: dict[str, str]) -> None:
    xml = answer_xml(list(fields.items()))

    assert xml.isascii()
    assert answer_values(xml) == fields
    assert [element[0].text for element in fromstring(xml)] == list(fields)


def test_characters_that_xml_cannot_hold_are_left_out() -> None:
    assert answer_values(answer_xml([("a", "x\x00\x0b\ufffey")])) == {"a": "xy"}


@pytest.mark.parametrize(("mode", "kept"), [("pipe", "1|2"), ("first", "1"), ("last", "2")])
def test_a_field_that_comes_twice_is_kept_as_told(mode: str, kept: str) -> None:
    xml = answer_xml([("a", "1"), ("a", "2")], duplicates=mode)

    assert answer_values(xml) == {"a": kept}


def test_a_strict_rehearsal_refuses_a_field_that_comes_twice() -> None:
    with pytest.raises(AnswerError, match=r"'a'.*2"):
        answer_xml([("a", "1"), ("a", "2")], duplicates="strict")


def test_a_page_without_any_field_is_no_answer() -> None:
    with pytest.raises(AnswerError):
        answer_xml([("assignmentId", "3X"), ("hitId", "3Y")])


def asks(comparator: str, **values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": "3X", "Comparator": comparator, **values}


AUSTRIA = [{"Country": "AT"}]
VIENNA = [{"Country": "AT", "Subdivision": "09"}]


@pytest.mark.parametrize(
    ("requirement", "held", "met"),
    [
        (asks("Exists"), 0, True),
        (asks("Exists"), None, False),
        (asks("DoesNotExist"), None, True),
        (asks("DoesNotExist"), 1, False),
        (asks("NotEqualTo", IntegerValues=[5]), None, False),
        (asks("NotEqualTo", IntegerValues=[5]), 4, True),
        (asks("GreaterThanOrEqualTo", IntegerValues=[95]), 95, True),
        (asks("LessThan", IntegerValues=[95]), 95, False),
        (asks("In", IntegerValues=[1, 2]), 2, True),
        (asks("NotIn", IntegerValues=[1, 2]), 2, False),
        (asks("EqualTo", LocaleValues=AUSTRIA), Locale("AT", "09"), True),
        (asks("EqualTo", LocaleValues=VIENNA), Locale("AT", ""), False),
        (asks("NotIn", LocaleValues=AUSTRIA), Locale("DE", ""), True),
        (asks("NotIn", LocaleValues=AUSTRIA), None, False),
    ],
)
def test_requirements_are_met_or_not(requirement: dict[str, Any], held: Held, met: bool) -> None:
    assert meets(requirement, held) is met


def test_the_deprecated_flag_guards_the_preview() -> None:
    old = {"RequiredToPreview": True}

    assert [guards(old, action) for action in ("Accept", "Preview", "Discover")] == [
        True,
        True,
        False,
    ]
    assert [guards({}, action) for action in ("Accept", "Preview")] == [True, False]


def test_the_plurality_is_that_of_amazons_example() -> None:
    # The example of Amazon's page on SimplePlurality/2011-09-01: four questions, three workers.
    answers = {
        "1": {"A": "coat", "B": "blue", "C": "large", "D": "Furry"},
        "2": {"A": "sweater", "B": "blue", "C": "large", "D": "fur"},
        "3": {"A": "coat", "B": "green", "C": "large", "D": "furr"},
    }
    found = answers_agreed(["A", "B", "C", "D"], answers, threshold=50)

    assert found.agreed == {"A": ("coat", 66), "B": ("blue", 66), "C": ("large", 100)}
    assert found.hit_score == 75
    assert found.worker_scores == {"1": 100, "2": 66, "3": 66}


def test_answers_with_equal_support_have_no_plurality() -> None:
    found = answers_agreed(["A"], {"1": {"A": "x"}, "2": {"A": "y"}}, threshold=10)

    assert (found.agreed, found.hit_score) == ({}, 0)


def test_known_answers_count_only_when_all_values_match() -> None:
    key = {"a": ["x"], "b": ["x", "y"]}

    assert known_answer_score(key, {"a": "x", "b": "y|x"}) == (100, {"a": True, "b": True})
    assert known_answer_score(key, {"a": "x", "b": "x"}) == (50, {"a": True, "b": False})


PAGE = (
    '<!DOCTYPE html><html><body><form action="{action}"><input name="assignmentId" value="">'
    "<input type='radio' name='q'></form><script>if (a < b && c) {{ f(); }}</script></body></html>"
)


@pytest.mark.parametrize(
    "action",
    [
        "",
        "https://www.mturk.com/mturk/externalSubmit",
        "https://workersandbox.mturk.com/mturk/externalSubmit",
    ],
)
def test_a_page_is_completed_so_that_it_works_without_javascript(action: str) -> None:
    page = completed(PAGE.format(action=action), submit_url="https://x/s?a&b", assignment_id="3A")

    assert 'action="https://x/s?a&amp;b"' in page
    assert 'method="post"' in page
    assert 'value="3A"' in page
    assert "if (a < b && c) { f(); }" in page
    assert page.startswith("<!DOCTYPE html>")


def test_a_form_that_goes_elsewhere_is_left_alone() -> None:
    page = completed(PAGE.format(action="/search"), submit_url="https://x", assignment_id="3A")

    assert 'action="/search"' in page
    assert "3A" not in page


def test_a_form_without_the_field_gets_one() -> None:
    page = completed("<form></form>", submit_url="https://x", assignment_id="3A")

    assert '<input name="assignmentId" type="hidden" value="3A"/>' in page


def test_a_preview_cannot_be_filled_in() -> None:
    assert previewed(PAGE.format(action="")).count("disabled") == 2
