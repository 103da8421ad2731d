import csv
import io
import json

import pytest

from annotation.export.labels import ExportedLabel, ExportedVote, lines
from annotation.export.pseudonyms import person, simulated
from metrics.errors import InputError

HOSTILE = [
    "plain",
    "a, with, commas",
    '=HYPERLINK("http://x")',
    "<script>alert(1)</script> ]]>",
    "مرحبا \u202eabc 👩‍👧",
    "x" * 10_000,
    "a\u0085b\u2028c",
    ' leading blank, "quotes"',
]
BREAKING = ["two\nlines", "carriage\rreturn", "both\r\n"]


def label(query: str, code: str = "n", qid: str = "1") -> ExportedLabel:
    return ExportedLabel(
        qid, query, code, "majority", "majority", 3, 2,
        votes=(ExportedVote("w-1", "n", "human"), ExportedVote("w-2", "n", "simulated"),
               ExportedVote("w-3", "f", "human")),
    )  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_are_written_byte_for_byte(query: str) -> None:
    assert list(lines([label(query)], layout="csv")) == [f"1,{query},n\n"]
    assert list(lines([label(query)], layout="tsv")) == [f"1\t{query}\n"]
    (row,) = lines([label(query)], layout="jsonl")
    assert json.loads(row)["query"] == query
    (quoted,) = lines([label(query)], layout="csv", quote=True)
    assert next(csv.reader(io.StringIO(quoted, newline=""))) == ["1", query, "n"]


@pytest.mark.parametrize("query", BREAKING)
def test_line_breaks_survive_where_a_layout_can_hold_them(query: str) -> None:
    (quoted,) = lines([label(query)], layout="csv", quote=True)
    assert next(csv.reader(io.StringIO(quoted, newline=""))) == ["1", query, "n"]
    (row,) = lines([label(query)], layout="jsonl")
    assert json.loads(row)["query"] == query


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_formulas_are_neutralised_only_on_request(text: str) -> None:
    assert list(lines([label(text)], layout="csv")) == [f"1,{text},n\n"]
    assert list(lines([label(text)], layout="csv", spreadsheet=True)) == [f"1,'{text},n\n"]


def test_a_formula_in_the_id_is_neutralised_too() -> None:
    assert list(lines([label("x", qid="=1")], layout="tsv", spreadsheet=True)) == ["'=1\tx\n"]


@pytest.mark.parametrize(
    ("layout", "query", "qid"),
    [("csv", "two\nlines", "1"), ("csv", "x", "1,2"), ("tsv", "two\rlines", "1")],
)
def test_what_a_layout_cannot_hold_is_an_error(layout: str, query: str, qid: str) -> None:
    with pytest.raises(InputError, match="separator or a line break"):
        list(lines([label(query, qid=qid)], layout=layout))


def test_json_lines_say_how_a_label_came_about_and_who_was_no_person() -> None:
    (row,) = lines([label("x")], layout="jsonl")
    found = json.loads(row)
    assert found["tally"] == {"f": 1, "n": 2}
    assert found["voters"] == {"human": 2, "simulated": 1}
    assert found["source"] == "majority"


def test_a_person_has_one_pseudonym_per_key() -> None:
    assert person("A1", key="k") == person("A1", key="k")
    assert person("A1", key="k") != person("A1", key="other")
    assert "A1" not in person("A1", key="k")


def test_simulated_workers_are_named_by_their_votes_not_by_their_ids() -> None:
    first = simulated({"X9": [("q1", "n")], "A3": [("q2", "f")]})
    second = simulated({"B1": [("q1", "n")], "C7": [("q2", "f")]})
    assert first == {"X9": "simulated-1", "A3": "simulated-2"}
    assert second == {"B1": "simulated-1", "C7": "simulated-2"}
