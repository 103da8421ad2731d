"""What an error advises is typed as it stands, whatever the file holds, and then it works."""

import csv
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.labels.operations.votes_read import VoteReading, votes_in
from annotation.management.verbs.label.import_votes import Command
from metrics.errors import InputError
from metrics.remedies import Remedy
from metrics.votes.files.answers import UnclearAnswerError
from metrics.votes.files.mapping import as_options, read_mapping, read_names
from metrics.votes.files.people import Choice
from metrics.votes.files.reader import read_votes

CODES = ("n", "f", "m", "o")
#: Words and names that a shell, a comma or an equals sign would take apart.
HOSTILE = [
    "woman", "a, b", "a=b", "it's", 'say "x"', "$(rm -rf x)", "`id`", "-x", "--labels", "a;b",
    "a  b", "*", "~", "#1", "tab\there", "ä ö", "{", "[1", '{"a": "b"}', "a\\b", "!x", "x" * 150,
]  # fmt: skip


def typed_options(error: InputError) -> list[list[str]]:
    """The options of each remedy, as a shell would hand them on."""
    return [shlex.split(as_options(remedy)) for remedy in error.remedies]


def read_as_typed(path: Path, words: list[str]) -> Any:
    """The votes as `label import-votes PATH --name x` reads them with these words behind it."""
    parser = Command().create_parser("manage.py", "label import-votes")
    options = vars(parser.parse_args([str(path), "--name", "x", *words]))

    def merged(name: str) -> dict[str, str]:
        return {k: v for one in options[name] or [] for k, v in one.items()}

    def listed(name: str) -> tuple[str, ...]:
        return tuple(name for one in options[name] or [] for name in one)

    return read_votes(
        [path],
        columns=merged("columns"),
        labels=merged("labels"),
        gold=merged("gold"),
        layout=options["layout"],
        choice=Choice(listed("people"), listed("ignore")),
    )


def table(path: Path, *rows: list[str]) -> Path:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    path.write_text(text.getvalue(), newline="")
    return path


def advice_works(path: Path) -> None:
    """Every piece of the advice, typed alone, leads beyond the error that gave it."""
    with pytest.raises(InputError) as raised:
        read_as_typed(path, [])
    offered = typed_options(raised.value)
    assert offered, raised.value
    assert [words for words in offered if said(path, words) == raised.value.message] == []


def said(path: Path, words: list[str]) -> str:
    """The error of what was typed; "" where it is read."""
    try:
        read_as_typed(path, words)
    except InputError as error:
        return error.message
    return ""


# JSON that is not a choice is not an answer: another column is asked for.
@pytest.mark.parametrize("word", [word for word in HOSTILE if not word.startswith(("{", "["))])
def test_an_unknown_answer_is_mapped_as_the_error_says(word: str, tmp_path: Path) -> None:
    rows = [["query_id", "worker", "label"], ["q1", "a", word], ["q2", "a", "f"]]
    path = table(tmp_path / "votes.csv", *rows)
    advice_works(path)


@pytest.mark.parametrize("name", HOSTILE)
def test_columns_are_named_as_the_error_says(name: str, tmp_path: Path) -> None:
    advice_works(table(tmp_path / "a.csv", ["query_id", name, "label"], ["q1", "x y z", "f"]))
    advice_works(table(tmp_path / "b.csv", ["query_id", name, f"{name}2"], ["q1", "0", "1"]))
    head = ["HITId", "AssignmentId", "WorkerId", f"Answer.{name}", f"Answer.{name} 2x"]
    advice_works(table(tmp_path / "c.csv", head, ["h", "a", "w", "f", "m"]))


def test_all_words_that_mean_a_category_are_mapped_at_once(tmp_path: Path) -> None:
    rows = [["q1", "a", "Female"], ["q1", "b", "Male"], ["q1", "c", "Not sure"]]
    path = table(tmp_path / "votes.csv", ["query_id", "worker", "label"], *rows)
    with pytest.raises(InputError) as raised:
        read_as_typed(path, [])
    (words,) = typed_options(raised.value)
    found = read_as_typed(path, words)
    assert [one.answer for one in found.votes] == ["f", "m"]
    assert len(found.cannot_tell) == 1


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("True", "False"), ("yes", ""), ("1.0", "0")])
def test_yes_and_no_are_asked_for_their_question(yes: str, no: str, tmp_path: Path) -> None:
    rows = [["query_id", "worker", "label"], ["q1", "a", yes], ["q1", "b", no], ["q2", "a", yes]]
    path = table(tmp_path / "votes.csv", *rows)
    for name, more, first in (("votes", [], "question"), ("counts", [["q2", "b", "2"]], "labels")):
        with pytest.raises(UnclearAnswerError) as raised:
            votes_in([table(tmp_path / f"{name}.csv", *rows, *more)], None, VoteReading())
        assert list(raised.value.remedies[0].arguments) == [first]
    advice_works(path)


@pytest.mark.parametrize("word", ["None", "nan", "NULL", "N/A", "<NA>", "-"])
def test_what_may_be_missing_is_never_counted_as_a_category(word: str, tmp_path: Path) -> None:
    rows = [["query_id", "r1", "r2"], ["q1", "f", "m"], ["q2", "f", word]]
    path = table(tmp_path / "votes.csv", *rows)
    with pytest.raises(InputError) as raised:
        read_as_typed(path, [])
    (words,) = typed_options(raised.value)
    found = read_as_typed(path, words)
    assert [(one.worker, one.answer) for one in found.votes] == [
        ("r1", "f"), ("r2", "m"), ("r1", "f"),
    ]  # fmt: skip
    assert [one.reason for one in found.set_aside] == ["left out"]


#: Whatever else is wrong with a file: no advice takes votes out of it.
WRONG = {
    "a query twice": "qid,ann,bob\nq1,f,f\nq1,m,f\n",
    "an answer twice": '[{"id": 1, "annotator": 1, "label": "f", "text": "x"},'
    '{"id": 1, "annotator": 1, "label": "m", "text": "x"}]',
    "an id with a blank": "query_id,worker,label\nq 1,a,f\n",
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_no_advice_is_to_delete_votes(what: str, tmp_path: Path) -> None:
    path = tmp_path / "votes"
    path.write_text(WRONG[what])
    with pytest.raises(InputError) as raised:
        read_as_typed(path, [])
    assert raised.value.advice()
    assert not re.search(r"(?i)\b(keep|take|remove|delete)\b", raised.value.advice())


@pytest.mark.django_db
@pytest.mark.parametrize("sign", [" ", "\t"])
def test_a_run_is_called_so(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    rows = ("q1 Q0 d1 1 12.5 bm25", "q1 Q0 d2 2 11.5 bm25")
    path.write_text("".join(row.replace(" ", sign) + "\n" for row in rows))
    with pytest.raises(InputError, match="looks like a run") as raised:
        read_as_typed(path, [])
    assert raised.value.remedies == ()
    with pytest.raises(CommandError) as printed:
        call_command("label", "import-votes", str(path), "--name", "x")
    assert str(printed.value).count("ooks like a run") == 1


#: Files whose first line is a row, by what tells it.
HEADLESS = {
    "one column": "q1 0 d1 1\nq1 0 d2 0\n",
    "ids like the first cell": "q1,ann,Female\nq2,bob,Male\n",
    "a cell as above": "queen,ann,Female\nking,ann,Male\n",
    "answers alone": "q1,Female,Male\nq2,Female,Male\n",
    "a run with commas": "q1,Q0,d1,1,12.5,bm25\nq1,Q0,d2,2,11.5,bm25\n",
}


@pytest.mark.parametrize("what", HEADLESS)
def test_a_row_is_never_quoted_as_names_of_columns(what: str, tmp_path: Path) -> None:
    path = tmp_path / "votes"
    path.write_text(HEADLESS[what])
    with pytest.raises(InputError, match="does not name the columns") as raised:
        read_as_typed(path, [])
    assert raised.value.remedies == ()


def test_people_who_are_numbers_are_columns_and_may_answer_by_numbers(tmp_path: Path) -> None:
    rows = [["sentence", "1", "2"], ["queen", "1", "0"], ["king", "0", "0"]]
    advice_works(table(tmp_path / "votes.csv", *rows))


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).map(str.strip)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_TEXT.filter(bool), st.sampled_from([*CODES, ""]), min_size=1, max_size=4))
@example({"a, b": "f", "c=d": "m"})
def test_any_mapping_can_be_typed(mapping: dict[str, str]) -> None:
    for last in (True, False):
        name = "labels" if last else "columns"
        words = shlex.split(as_options(Remedy("", {name: mapping})))
        value = words[1] if len(words) > 1 else words[0].partition("=")[2]
        assert read_mapping(value, last=last) == mapping


@settings(max_examples=150, deadline=None)
@given(st.lists(_TEXT.filter(bool), min_size=1, max_size=4, unique=True))
def test_any_names_can_be_typed(names: list[str]) -> None:
    words = shlex.split(as_options(Remedy("", {"people": names})))
    value = words[1] if len(words) > 1 else words[0].partition("=")[2]
    assert list(read_names(value)) == names
