"""Schemes: what they refuse, with place and remedy, and that YAML and JSON give back the same."""

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from annotation.schemes import (
    CANNOT_TELL,
    CANNOT_TELL_WORDS,
    Level,
    Option,
    Question,
    SchemeError,
    built_in_languages,
    built_in_scheme,
    built_in_schemes,
    check_scheme,
    in_language,
    scheme_from_json,
    scheme_from_yaml,
    scheme_to_yaml,
)
from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.released import has_released_layout
from annotation.task_page.texts import fixed_texts
from metrics.vocabulary import Category

VALUES: dict[str, Any] = {
    "name": "religion",
    "title": "Religion",
    "questions": [
        {
            "name": "faith",
            "text": "Does it name a religion?",
            "kind": "single",
            "options": [{"code": "no", "label": "No"}, {"code": "yes", "label": "Yes"}],
        },
        {
            "name": "groups",
            "text": "Which?",
            "kind": "multi",
            "options": [{"code": "a", "label": "A"}, {"code": "b", "label": "B"}],
            "shown_if": {"question": "faith", "any_of": ["yes"]},
        },
        {
            "name": "harm",
            "text": "How harmful?",
            "kind": "scale",
            "options": [{"code": n} for n in (1, 2, 3)],
        },
        {"name": "why", "text": "Why?", "kind": "text", "required": False},
    ],
    "subset": {
        "words": "queries that name no religion",
        "question": "faith",
        "any_of": ["no"],
    },
}


def changed(change: str) -> dict[str, Any]:
    values = deepcopy(VALUES)
    exec(change, {"s": values, "q": values["questions"]})  # noqa: S102 - our own lines below
    return values


@pytest.mark.parametrize("scheme", built_in_schemes().values(), ids=built_in_schemes())
def test_yaml_and_json_give_back_the_same_scheme(scheme: Any) -> None:
    text = scheme_to_yaml(scheme)
    assert scheme_from_yaml(text) == scheme
    assert scheme_from_json(json.loads(json.dumps(scheme.as_json()))) == scheme
    assert scheme_to_yaml(scheme_from_yaml(text)) == text


@pytest.mark.parametrize("scheme", built_in_schemes().values(), ids=built_in_schemes())
def test_each_built_in_option_is_explained(scheme: Any) -> None:
    for question in scheme.questions:
        for option in question.options:
            assert option.definition
            assert len(option.examples) >= 2
            assert option.counter_example
            assert option.counter_reason
            assert option.counter_example not in option.examples


def test_the_first_built_in_scheme_asks_for_the_categories() -> None:
    first, *others = built_in_schemes().values()
    assert has_released_layout(first)
    assert not any(has_released_layout(scheme) for scheme in others)


def test_a_built_in_scheme_is_there_in_its_languages_and_else_in_english() -> None:
    assert list(built_in_schemes("de")) == list(built_in_schemes("xx")) == list(built_in_schemes())
    assert {*built_in_languages("gender")} == {"en", "de"}
    german = in_language(built_in_scheme("gender"), "de")
    assert german.language == "de"
    assert in_language(built_in_scheme("severity"), "de") == built_in_scheme("severity")
    own = replace(built_in_scheme("gender"), title="Mine")
    assert in_language(own, "de") == own


@pytest.mark.parametrize("language", ["", "English", 'en"><script>', "x"])
def test_a_scheme_names_its_language_by_a_code(language: str) -> None:
    with pytest.raises(SchemeError, match=r"language: .* is not a code of a language"):
        check_scheme(replace(built_in_scheme("gender"), language=language))


def test_codes_that_yaml_takes_for_truth_values_stay_text() -> None:
    scheme = scheme_from_yaml(scheme_to_yaml(scheme_from_json(VALUES)))
    assert scheme.questions[0].codes == ("no", "yes")
    plain = scheme_from_yaml(
        "name: x\ntitle: X\nquestions:\n- {name: q, text: Q, kind: single, options: "
        "[{code: no}, {code: on}]}\nsubset: {words: w, question: q, any_of: [no]}\n"
    )
    assert plain.questions[0].codes == ("no", "on")


def test_the_level_follows_the_kind() -> None:
    scheme = scheme_from_json(VALUES)
    levels = [question.level for question in scheme.questions]
    assert levels == [Level.NOMINAL, Level.NOMINAL, Level.INTERVAL, Level.NOMINAL]


@pytest.mark.parametrize(
    ("codes", "own", "cannot_tell", "keys"),
    [
        ("a b c", {}, True, "1 2 3"),
        ("0 1 2 3", {}, False, "0 1 2 3"),
        ("0 1 2 3", {}, True, "4 1 2 3"),  # 0 is the key of “I cannot tell”
        ("3 2 1", {}, True, "3 2 1"),
        ("8 9 10", {}, True, "1 2 3"),
        ("1 2 3", {"1": "3"}, True, "3 2 1"),
        ("a b c", {"b": "1"}, True, "2 1 3"),
    ],
)
def test_the_key_of_an_option_is_its_own_its_digit_or_the_next(
    codes: str, own: dict[str, str], cannot_tell: bool, keys: str
) -> None:
    options = tuple(Option(code=code, label="x", key=own.get(code, "")) for code in codes.split())
    question = Question(name="q", text="Q", kind=SINGLE, options=options, cannot_tell=cannot_tell)
    assert [key for _, key in question.with_keys] == keys.split()


def test_more_options_than_keys_have_none() -> None:
    options = tuple(Option(code=f"c{n}", label="x") for n in range(30))
    keys = [key for _, key in Question(name="q", text="Q", kind=SINGLE, options=options).with_keys]
    assert sorted(keys[:21]) == sorted(set(keys) - {""})
    assert keys[21:] == [""] * 9


def test_a_question_is_shown_after_the_answer_that_it_depends_on() -> None:
    scheme = scheme_from_json(VALUES)
    groups = scheme.question("groups")
    assert scheme.is_shown(groups, {"faith": frozenset({"yes"})})
    assert not scheme.is_shown(groups, {"faith": frozenset({"no"})})
    assert not scheme.is_shown(groups, {"faith": frozenset({CANNOT_TELL})})
    assert not scheme.is_shown(groups, {})


@pytest.mark.parametrize(
    ("subset", "inside", "outside"),
    [
        ({"any_of": ["no"]}, ["no"], ["yes"]),
        ({"question": "groups", "none_of": ["a"]}, ["b"], ["a", "b"]),
        ({"question": "harm", "at_least": 2}, ["2"], ["1"]),
        ({"question": "harm", "at_most": 2}, ["1"], ["3"]),
    ],
)
def test_the_subset_is_made_by_answers(
    subset: dict[str, Any], inside: list[str], outside: list[str]
) -> None:
    values = deepcopy(VALUES)
    values["subset"] = {"words": "w", "question": "faith", **subset}
    made = scheme_from_json(values).subset
    assert made.holds(frozenset(inside))
    assert not made.holds(frozenset(outside))
    assert not made.holds(frozenset())
    assert not made.holds(frozenset({CANNOT_TELL}))


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        ("q[0]['options'][1]['code'] = 'no'", "questions[1].options[2].code", "comes twice"),
        ("q[1]['name'] = 'faith'", "questions[2].name", "comes twice"),
        (
            "q[0]['shown_if'] = {'question': 'groups', 'any_of': ['a']}",
            "questions[1].shown_if",
            "circle: faith -> groups -> faith",
        ),
        (
            "q[0]['shown_if'] = {'question': 'harm', 'any_of': ['1']}",
            "questions[1].shown_if",
            "comes later",
        ),
        (
            "q[1]['shown_if'] = {'question': 'faith', 'any_of': ['perhaps']}",
            "questions[2].shown_if.any_of",
            "no option 'perhaps'",
        ),
        ("s['subset'] = {'question': 'faith', 'any_of': ['no']}", "subset.words", "missing"),
        ("del s['subset']['any_of']", "subset", "names no answer"),
        ("s['subset']['any_of'] = ['x']", "subset.any_of", "no option 'x'"),
        ("s['subset']['question'] = 'why'", "subset", "names no answer"),
        (
            "q[0]['options'] = [{'code': f'c{n}'} for n in range(200)]",
            "questions[1].options",
            "200 options",
        ),
        ("q[0]['options'] = [{'code': 'a'}] * 2000", "questions[1].options", "2,000 members"),
        (
            "q[0]['options'][0]['label'] = '<script>alert(1)</script>'",
            "questions[1].options[1].label",
            "markup",
        ),
        ("q[0]['text'] = 'a <b>bold</b> one'", "questions[1].text", "markup"),
        ("q[0]['text'] = 'turned \\u202e round'", "questions[1].text", "control characters"),
        ("q[0]['options'][0]['code'] = '?'", "questions[1].options[1].code", "is not a code"),
        ("q[2]['options'][1]['code'] = '7'", "questions[3].options", "not consecutive"),
        ("q[2]['level'] = 'nominal'", "questions[3].level", "cannot be nominal"),
        ("q[0]['kind'] = 'pick'", "questions[1].kind", "not known"),
        ("q[0]['colour'] = 'red'", "questions[1].colour", "not known here"),
        ("del q[0]['text']", "questions[1].text", "missing"),
        ("s['questions'] = []", "questions", "0 questions"),
        ("s['questions'] = 'none'", "questions", "not a list"),
        ("q[0]['options'][0]['key'] = 'ab'", "questions[1].options[1].key", "is not a key"),
        ("q[3]['required'] = 'perhaps'", "questions[4].required", "neither true nor false"),
        ("s['title'] = 'x' * 500", "title", "500 characters"),
    ],
)
def test_refused_with_place_and_remedy(change: str, place: str, says: str) -> None:
    with pytest.raises(SchemeError) as caught:
        scheme_from_json(changed(change))
    assert caught.value.place == place
    assert says in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: &x [1]\nb: *x\n", "line 1: the YAML cannot be read: anchors"),
        ("name: a\nname: b\n", "line 2: the YAML cannot be read: the key 'name' comes twice"),
        ("[" * 300, "nested too deeply"),
        ("name: [a\n", "cannot be read"),
        ("name: a\x00b\n", "cannot be read"),
        ("- a\n", "not a mapping"),
        ("", "not a mapping"),
        ("x" * 200_001, "200,001 characters"),
        ("!!python/object/apply:os.system ['true']", "not a mapping"),
    ],
)
def test_hostile_yaml_is_refused(text: str, says: str) -> None:
    with pytest.raises(SchemeError) as caught:
        scheme_from_yaml(text)
    assert says in str(caught.value)
    assert caught.value.remedy


def test_words_that_stand_in_two_places_are_the_same() -> None:
    """Files of the released layouts name the categories; annotators read translated words."""
    assert built_in_scheme("gender").questions[0].labels == dict(Category.choices)
    assert fixed_texts("en")["cannot_tell"] == CANNOT_TELL_WORDS
