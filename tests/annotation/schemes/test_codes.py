"""One rule of codes: from a label that is typed to the votes, the files, and back."""

import csv
import json
import re
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from annotation.batches.pages.scheme_draft import OptionDraft, QuestionDraft, SchemeDraft
from annotation.labels.export.formats import VOTE_FORMATS
from annotation.labels.operations.own_words import known_words, own_question
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes_export import VotesParameters, vote_lines
from annotation.language_models.reply import label_in
from annotation.models import Batch
from annotation.schemes import (
    JOINED,
    LONGEST_NAME,
    About,
    Option,
    Question,
    Scheme,
    known_answers,
    known_text,
    scheme_from_json,
    scheme_from_yaml,
    scheme_to_yaml,
)
from annotation.schemes.codes import RESERVED, code_of, is_code, option_codes
from annotation.schemes.formats import WRITERS, read_scheme
from annotation.schemes.kinds import KINDS
from annotation.schemes.released import options_of
from annotation.task_page import Answer, PageTexts, read_answer, render
from metrics.errors import InputError
from metrics.io.lines import one_line
from metrics.votes.files.answers import Answer as FileAnswer
from metrics.votes.files.label_files import read_model_labels
from tests.performing import do
from tests.schemed import READ_BACK, made, submit
from tests.study import stored_pool

#: Labels as people write them, in several scripts, with what no code has.
TYPED = [
    *("Yes, definitely", "No (not at all)", "Ja, eindeutig", "Naïve & < 5 >", "Money & work"),
    *("Да, конечно!", "نعم، بالتأكيد", "نمی‌دانم", "हाँ, बिल्कुल", "はい。", "絶対に違う", "👍 good"),
    *("ใช่", "İstanbul", "Straße?", "e\u0301te\u0301", "-1", "0", "+1", "1.", "C++", "C", "C#"),
    *("Tie", "All", "★", "★★", "a" * 80, "x | y; z = 1", "“quoted”", "don't", "50 %"),
]
_LETTERS = st.characters(categories=["L", "M", "N", "P", "S", "Zs"])
LABELS = (
    st.text(_LETTERS, min_size=1, max_size=80)
    .map(one_line)
    .filter(lambda text: bool(text) and not re.search("<|&#|javascript:", text, re.IGNORECASE))
)
FEW = hypothesis_settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def edited(labels: list[str], kind: str) -> Scheme:
    """The scheme of somebody who typed these labels in the editor, and nothing else of them."""
    options = [OptionDraft(f"q0-o{n}", {"label": label}) for n, label in enumerate(labels)]
    question = QuestionDraft("q0", {"text": "Which?", "kind": kind, "required": True}, options)
    draft = SchemeDraft(
        About.QUERY,
        {"title": "Typed"},
        [question],
        {"words": "queries with the first answer", "any_of": ["q0-o0"]},
    )
    return scheme_from_json(draft.as_json())


def pressed(scheme: Scheme, label_at: int) -> list[tuple[str, str]]:
    """The fields that a browser sends of the page if that option is pressed at its only place."""
    page = BeautifulSoup(render([("q", "a query")], PageTexts(scheme)), "html.parser")
    field = page.select('fieldset input:not([value="?"])')[label_at]
    return [("v", "2"), (str(field["name"]), str(field["value"]))]


def said(answer: Answer) -> frozenset[str]:
    [codes] = answer.codes
    [chosen] = codes.values()
    return chosen


@given(st.text())
@example("\u0301a")
@example("a\u200d\u0301")
@example("\N{MINUS SIGN}1")
def test_a_code_is_made_once_and_is_valid(text: str) -> None:
    code = code_of(text)
    assert not code or is_code(code)
    assert one_line(code) == code
    assert code_of(code) == code
    assert unicodedata.is_normalized("NFC", code)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=8))
def test_options_get_codes_that_differ(labels: list[str]) -> None:
    codes = option_codes([""] * len(labels), labels)
    assert len({*codes}) == len(labels)
    assert all(map(is_code, codes))
    assert RESERVED.isdisjoint(codes)


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS.values() if kind.has_options])
@FEW
@given(st.lists(LABELS, min_size=2, max_size=6, unique=True))
@example(TYPED[:10])
@example(TYPED[10:21])
@example(TYPED[21:])
def test_a_typed_label_comes_back_from_the_page(kind: str, labels: list[str]) -> None:
    scheme = edited(labels, kind)
    for at, code in enumerate(scheme.questions[0].codes):
        assert said(read_answer(scheme, pressed(scheme, at), 1)) == {code}
        assert scheme.questions[0].labels[code] == labels[at]
        known = known_answers(scheme, code)
        assert known_answers(scheme, known_text(scheme, known)) == known
    assert scheme_from_yaml(scheme_to_yaml(scheme)) == scheme


def test_a_negative_number_stays_negative() -> None:
    assert edited(["-1", "0", "\N{MINUS SIGN}2"], "single").questions[0].grades == {
        "-1": -1,
        "0": 0,
        "-2": -2,
    }


@pytest.mark.parametrize("program", READ_BACK)
def test_other_programs_give_the_labels_back(program: str) -> None:
    scheme = edited(TYPED, "single")
    again = read_scheme(WRITERS[program](scheme))
    assert again.questions[0].codes == scheme.questions[0].codes


def test_labels_of_other_programs_that_make_the_same_code_get_a_number() -> None:
    choices = "".join(f'<Choice value="{value}"/>' for value in ("Yes!", "Yes?", "!!", "tie"))
    control = f'<Choices name="ja" toName="query">{choices}</Choices>'
    xml = f'<View><Text name="query" value="$query"/>{control}</View>'
    assert read_scheme(xml).questions[0].codes == ("Yes", "Yes_2", "3", "tie_2")
    potato = "annotation_schemes:\n" + "".join(
        f"- {{annotation_type: radio, name: {name}, labels: ['Yes!', 'Yes?']}}\n"
        for name in ("سؤال", "другой")
    )
    first, second = read_scheme(potato).questions
    assert first.name != second.name
    assert first.codes == second.codes == ("Yes", "Yes_2")


def odd(kind: str) -> Scheme:
    """A scheme as 1.0 stored it: its editor made such codes of labels."""
    codes = ["money   work", "no  not at all", "other"]
    options = [{"code": code, "label": code} for code in codes]
    first = {"name": "topic", "text": "What?", "kind": kind, "options": options}
    then = {"question": "topic", "any_of": ["money   work"]}
    yes_no = [{"code": "yes", "label": "Yes"}, {"code": "no", "label": "No"}]
    second = {"name": "paid", "text": "Paid?", "kind": "single", "options": yes_no}
    return scheme_from_json(
        {
            "name": "odd",
            "title": "Odd",
            "questions": [first, {**second, "shown_if": then}],
            "subset": {"words": "queries about work", **then},
        }
    )


@pytest.mark.parametrize("kind", ["single", "multi"])
def test_a_stored_code_with_several_blanks_is_read_from_new_and_old_pages(kind: str) -> None:
    scheme = odd(kind)
    name = "q-0-topic" if kind == "single" else "q-0-topic.0"
    page = BeautifulSoup(render([("q", "a query")], PageTexts(scheme)), "html.parser")
    assert page.select(f'input[name="{name}"][value="money   work"]')
    [shown_if] = page.select("[data-if]")
    assert shown_if["data-codes"] == '["money   work"]'
    for value in ("money   work", "money work"):
        fields = [("v", "2"), (name, value), ("q-0-paid", "yes")]
        [codes] = read_answer(scheme, fields, 1).codes
        assert codes == {"topic": {"money   work"}, "paid": {"yes"}}
    assert known_answers(scheme, "money work") == {"topic": frozenset({"money   work"})}


def test_a_squeezed_answer_that_two_codes_could_be_is_no_option() -> None:
    values = odd("single").as_json()
    values["questions"][0]["options"].append({"code": "money work", "label": "Another"})
    question = scheme_from_json(values).questions[0]
    assert question.code_in("money   work") == "money   work"
    assert question.code_in("money work") is None


@pytest.mark.django_db
@pytest.mark.parametrize("layout", list(VOTE_FORMATS))
@pytest.mark.parametrize("labels", [TYPED[n : n + 8] for n in range(0, len(TYPED), 8)])
def test_a_typed_label_comes_back_from_a_file_of_votes(
    labels: list[str], layout: str, tmp_path: Path
) -> None:
    scheme, pool = edited(labels, "single"), stored_pool(len(labels))
    batch = made(pool.belongs.study, scheme=scheme_to_yaml(scheme))
    batch.hits.update(hit_id="H")
    question = scheme.questions[0]
    fields = [(f"q-{place}-{question.name}", code) for place, code in enumerate(question.codes)]
    for worker in ("A1", "A2"):
        assert submit(batch, worker, fields).votes == len(labels)
    file = tmp_path / f"votes.{VOTE_FORMATS[layout].extension}"
    parameters = VotesParameters(layout=layout)
    file.write_text("".join(vote_lines(batch=batch, parameters=parameters)), encoding="utf-8")
    columns = {"label": "Answer.label_*", "query_id": "Input.qid_*", "query": "Input.query_*"}
    sent: dict[str, Any] = {"name": "again", "files": [file], "scheme": scheme}
    sent |= {"columns": columns} if VOTE_FORMATS[layout].by_assignment else {}
    do(IMPORT_VOTES, batch.study, **sent)
    imported = Batch.objects.get(name="again")
    decided = {row.qid: row.decisions for row in scheme_results(batch=batch).queries}
    assert {row.qid: row.decisions for row in scheme_results(batch=imported).queries} == decided
    codes = [row[question.name].codes for row in decided.values()]
    assert {*codes} == {frozenset({code}) for code in question.codes}
    assert not any(JOINED in code or len(code) > LONGEST_NAME for code in question.codes)


def test_a_file_of_a_model_may_have_labels_or_codes(tmp_path: Path) -> None:
    question = edited([*TYPED, "Yes", "YES"], "single").questions[0]
    for rows in (question.codes, list(question.labels.values())):
        file = tmp_path / "labels.csv"
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([("qid", "label"), *enumerate(rows)])
        read = read_model_labels(file, model="m", options=options_of(question))
        assert tuple(label.category for label in read.labels) == question.codes


def asked(*options: tuple[str, str]) -> Question:
    listed = tuple(Option(code=code, label=label) for code, label in options)
    return Question(name="q", text="Which?", kind=KINDS["single"], options=listed)


def test_options_that_differ_in_capitals_alone_are_told_apart_where_they_are_called() -> None:
    question = asked(("Yes", "Yes"), ("YES", "YES!"), ("no", "No"))
    for word, code in (("Yes", "Yes"), ("YES", "YES"), ("YES!", "YES"), ("yes!", "YES")):
        assert question.code_named(word) == code
        answers = [FileAnswer("votes.csv", 2, "q1", "A", word)]
        assert known_words(question, answers)[word] == code
    assert question.code_named("yes") is None
    assert question.code_named(" NO ") == "no"
    assert label_in('{"label": "yes"}', question.codes) is None


def test_a_known_answer_may_be_the_label() -> None:
    scheme = edited(["Yes, definitely", "No (not at all)"], "single")
    [yes, _] = scheme.questions[0].codes
    for typed in ("Yes, definitely", "yes,  definitely", yes):
        assert known_answers(scheme, typed) == {scheme.questions[0].name: {yes}}
    with pytest.raises(InputError, match="no option"):
        known_answers(scheme, "Yes, maybe")


def test_a_label_that_two_options_have_names_neither() -> None:
    question = asked(("a", "Same"), ("b", "Same"), ("c", "a"))
    assert [question.code_named(word) for word in ("Same", "a", "b")] == [None, "a", "b"]


def test_a_word_in_other_letters_of_the_same_look_is_one_option() -> None:
    words = ("e\u0301te\u0301", "\u00e9t\u00e9", "hiver")
    answers = [FileAnswer("votes.csv", 2, "q1", "A", word) for word in words]
    scheme, codes = own_question("When?", answers, {})
    assert scheme.questions[0].codes == ("\u00e9t\u00e9", "hiver")
    assert codes[words[0]] == codes[words[1]] == "\u00e9t\u00e9"


@pytest.mark.parametrize("label", [label for label in TYPED if code_of(label)])
def test_a_model_that_answers_with_the_label_names_its_code(label: str) -> None:
    code = code_of(label)
    assert label_in(json.dumps({"label": label}), [code, "other"]) == code
    assert label_in(json.dumps({"label": code}), [code, "other"]) == code
    assert label_in(json.dumps({"label": [label]}), [code, "other"]) is None
    assert label_in('{"label": null}', ["None", "other"]) is None


@pytest.mark.django_db
def test_a_code_with_a_plus_is_one_in_the_links_of_the_agreement(admin_client: Client) -> None:
    scheme = edited(["C++", "C#"], "single")
    batch = made(stored_pool(2).belongs.study, scheme=scheme_to_yaml(scheme))
    question = scheme.questions[0]
    for worker, codes in (("A1", question.codes), ("A2", question.codes[::-1])):
        submit(batch, worker, [(f"q-{n}-{question.name}", code) for n, code in enumerate(codes)])
    page = admin_client.get(reverse("batch-agreement", args=[batch.pk])).content.decode()
    links = re.findall(r'first=[^"]*', page)
    assert links
    for link in links:
        asked = parse_qs(link.replace("&amp;", "&"))
        assert {*asked["first"], *asked["second"]} <= {*question.codes}
