import csv
import io
import json

import pandas as pd
import pytest

from annotation.labels.export.formats import LABEL_FORMATS
from annotation.labels.export.labels import ExportedLabel, ExportedVote
from annotation.labels.export.pseudonyms import person, simulated
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


def lines(labels: list[ExportedLabel], layout: str, *options: str) -> list[str]:
    return list(LABEL_FORMATS[layout].write(labels, frozenset(options)))


def label(query: str, code: str = "n", qid: str = "1") -> ExportedLabel:
    return ExportedLabel(
        qid, query, code, "majority", "majority", 3, 2,
        votes=(ExportedVote("w-1", "n", "human"), ExportedVote("w-2", "n", "simulated"),
               ExportedVote("w-3", "f", "human")),
    )  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_are_written_byte_for_byte(query: str) -> None:
    assert lines([label(query)], "csv") == [f"1,{query},n\n"]
    assert lines([label(query)], "tsv") == [f"1\t{query}\n"]
    (row,) = lines([label(query)], "jsonl")
    assert json.loads(row)["query"] == query
    (quoted,) = lines([label(query)], "csv", "quote")
    assert next(csv.reader(io.StringIO(quoted, newline=""))) == ["1", query, "n"]


@pytest.mark.parametrize("query", BREAKING)
def test_line_breaks_survive_where_a_layout_can_hold_them(query: str) -> None:
    (quoted,) = lines([label(query)], "csv", "quote")
    assert next(csv.reader(io.StringIO(quoted, newline=""))) == ["1", query, "n"]
    (row,) = lines([label(query)], "jsonl")
    assert json.loads(row)["query"] == query


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_formulas_are_neutralised_only_on_request(text: str) -> None:
    assert lines([label(text)], "csv") == [f"1,{text},n\n"]
    assert _in_a_spreadsheet(label(text)) == ['="1"', f"'{text}", "n"]
    assert _in_a_spreadsheet(label("x", qid="=1"))[0] == "'=1"


@pytest.mark.parametrize("text", ["007", "1e5", "3-4", "12/05/1999", "1 May", "TRUE", "1,5"])
def test_what_a_spreadsheet_would_take_for_something_else_stays_text(text: str) -> None:
    assert _in_a_spreadsheet(label(text)) == ['="1"', f'="{text}"', "n"]


@pytest.mark.parametrize("text", ["who won, and why", 'is "1" odd', "true love", "1" * 41])
def test_texts_stay_as_they_are(text: str) -> None:
    assert _in_a_spreadsheet(label(text))[1] == text


def test_a_header_names_the_columns_of_standard_csv() -> None:
    found = pd.read_csv(io.StringIO("".join(lines([label("a, b")], "csv", "header"))))
    assert found.to_dict("records") == [{"qid": 1, "query": "a, b", "label": "n"}]


def _in_a_spreadsheet(one: ExportedLabel) -> list[str]:
    """The cells of the only row, below a byte order mark and the names of the columns."""
    text = "".join(lines([one], "csv", "spreadsheet"))
    header, cells = csv.reader(io.StringIO(text, newline=""))
    assert header == ["\ufeffqid", "query", "label"]
    return cells


@pytest.mark.parametrize(
    ("layout", "query", "qid"),
    [("csv", "two\nlines", "1"), ("csv", "x", "1,2"), ("tsv", "two\rlines", "1")],
)
def test_what_a_layout_cannot_hold_is_an_error(layout: str, query: str, qid: str) -> None:
    with pytest.raises(InputError):
        lines([label(query, qid=qid)], layout)


def test_json_lines_say_how_a_label_came_about_and_who_was_no_person() -> None:
    (row,) = lines([label("x")], "jsonl")
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
