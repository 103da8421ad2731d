"""Who is a person in a table with one query per line: names tell, or whoever brings it says."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.reports.bundle.second_alpha import krippendorff_alpha
from metrics.errors import InputError
from metrics.votes.files.answers import Votes
from metrics.votes.files.mapping import read_mapping
from metrics.votes.files.people import Choice
from metrics.votes.files.reader import read_tables, read_votes

CATEGORIES = ("n", "f", "m", "o")


def read(path: Path, **options: Any) -> Votes:
    terms: dict[str, Any] = {"columns": {}, "labels": {}, "gold": {}, **options}
    return read_votes([path], **terms)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "votes.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def by_person(found: Votes) -> dict[str, str]:
    """The answers of each person in the order of the queries."""
    people: dict[str, str] = {}
    for one in found.votes:
        people[one.worker] = people.get(one.worker, "") + one.answer
    return people


def test_the_rater_who_always_disagrees_is_kept(tmp_path: Path) -> None:
    found = read(written(tmp_path, "query_id,ann,bob,cyd", "q1,f,f,o", "q2,m,m,o", "q3,f,m,o"))
    assert by_person(found) == {"ann": "fmf", "bob": "fmm", "cyd": "ooo"}
    # package krippendorff 0.8.1, nominal
    assert alpha(found) == pytest.approx(-0.037, abs=5e-4)


def alpha(found: Votes) -> float | None:
    counts: dict[str, list[int]] = {}
    for one in found.votes:
        counts.setdefault(one.qid, [0] * len(CATEGORIES))[CATEGORIES.index(one.answer)] += 1
    return krippendorff_alpha(np.array(list(counts.values())))


#: Header, first lines, mapping; who votes, and what was said of the rest.
TABLES: dict[str, tuple[list[str], dict[str, str], dict[str, str]]] = {
    "capitals of one rater": (
        ["query_id,ann,bob,cyd", "q1,f,f,F", "q2,m,m,F", "q3,f,m,F"],
        {"F": "f"},
        {"ann": "fmf", "bob": "fmm", "cyd": "fff"},
    ),
    "a prediction": (
        ["qid,query,predicted,annotator1,annotator2", "q1,a,f,f,f", "q2,b,f,m,m", "q3,c,m,f,m"],
        {},
        {"annotator1": "fmf", "annotator2": "fmm"},
    ),
    "counts and agreement": (
        ["query_id,r1,r2,n_votes,agree", "q1,1,1,2,1", "q2,2,2,2,1", "q3,1,2,2,0"],
        {"1": "f", "2": "m", "0": "n"},
        {"r1": "fmf", "r2": "fmm"},
    ),
    "majority and start": (
        ["qid,start,ann,bob,majority", "q1,1,f,f,f", "q2,2,m,f,f"],
        {},
        {"ann": "fm", "bob": "ff"},
    ),
    "a language model and its confidence": (
        ["id,text,coder_A,coder_B,gpt4,confidence", "1,a,f,f,f,1", "2,b,m,f,f,1"],
        {},
        {"coder_A": "fm", "coder_B": "ff"},
    ),
    "labels numbered beside the final one": (
        ["item_id;label1;label2;label3;final_label", "1;f;f;m;f", "2;m;m;m;m"],
        {},
        {"label1": "fm", "label2": "fm", "label3": "mm"},
    ),
    "an index of a data frame": (
        [",Rater 1,Rater 2,gold_label", "0,f,f,f", "1,m,f,m"],
        {},
        {"Rater 1": "fm", "Rater 2": "ff"},
    ),
    "a label beside people": (
        ["query_id,worker_1,worker_2,label", "q1,f,f,f", "q2,f,m,m"],
        {},
        {"worker_1": "ff", "worker_2": "fm"},
    ),
    "decimals of a data frame": (
        ["query_id,r1,r2", "q1,1.0,2.0", "q2,,1.0"],
        {"1": "f", "2": "m"},
        {"r1": "f", "r2": "mf"},
    ),
}


@pytest.mark.parametrize("what", TABLES)
def test_names_of_columns_tell_who_votes(what: str, tmp_path: Path) -> None:
    lines, labels, people = TABLES[what]
    path = written(tmp_path, *lines)
    assert read_tables([path]).format.name == "wide"
    found = read(path, labels=labels)
    assert by_person(found) == people
    assert found.notes[0] == f"Read as one column per person: {', '.join(people)}."


#: What nobody can tell: the table, and the column that is asked about.
UNCLEAR = {
    "numbers under names that tell nothing": (["qid,ann,bob", "q1,0,1", "q2,1,1"], "ann"),
    "a stranger beside raters": (["qid,r1,r2,zeta", "q1,f,f,f", "q2,m,m,f"], "zeta"),
    "words of nobody else": (["qid,ann,bob,zeta", "q1,f,f,x", "q2,m,m,y"], "zeta"),
}


@pytest.mark.parametrize("what", UNCLEAR)
def test_what_names_do_not_tell_is_asked_for_and_the_advice_works(
    what: str, tmp_path: Path
) -> None:
    lines, column = UNCLEAR[what]
    path = written(tmp_path, *lines)
    labels = {"0": "n", "1": "f", "x": "o", "y": "o"}
    with pytest.raises(InputError, match=column) as raised:
        read(path, labels=labels)
    first, *others = raised.value.remedies
    people = tuple(first.arguments["people"])
    assert column in people
    assert set(by_person(read(path, labels=labels, choice=Choice(people)))) == set(people)
    if others and column == "zeta":
        ignore = tuple(others[0].arguments["ignore"])
        assert "zeta" not in by_person(read(path, labels=labels, choice=Choice((), ignore)))


def test_a_person_decides_otherwise(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,predicted,annotator1,annotator2", "1,f,m,m", "2,m,f,f")
    found = read(path, choice=Choice(("predicted", "annotator1")))
    assert by_person(found) == {"predicted": "fm", "annotator1": "mf"}
    found = read(path, choice=Choice((), ("annotator2",)), layout="wide")
    assert by_person(found) == {"annotator1": "mf"}
    with pytest.raises(InputError, match="'nobody'"):
        read(path, choice=Choice(("nobody",)))


def test_columns_that_are_named_are_stronger_than_what_a_table_looks_like(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,r1,r2", "q1,f,f", "q2,m,f", "q2,f,f")
    columns = {"query_id": "qid", "worker": "r1", "label": "r2"}
    assert [(one.worker, one.answer) for one in read(path, columns=columns).votes] == [
        ("f", "f"), ("m", "f"), ("f", "f"),
    ]  # fmt: skip


def test_a_table_without_people_is_refused_where_it_is_said_to_have_some(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,predicted,majority", "q1,f,f")
    with pytest.raises(InputError, match="no column seems to have the answers of a person"):
        read(path, layout="wide")
    assert by_person(read(path, choice=Choice(("majority",)))) == {"majority": "f"}


def test_a_second_line_of_a_query_is_no_advice_to_delete_it(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,ann,bob", "q1,f,f", "q1,m,f")
    with pytest.raises(InputError, match=":3: ") as raised:
        read(path)
    assert "Keep" not in raised.value.remedy
    assert raised.value.remedies[0].arguments == {"layout": "plain"}


_NAMES = st.lists(
    st.sampled_from(["annotator{}", "rater_{}", "r{}", "Coder {}", "worker-{}", "human{}_label"]),
    min_size=1,
    max_size=1,
)
_OTHERS = {
    "predicted": "f", "majority": "m", "n_votes": "2", "agree": "1", "start": "1",
    "final_label": "f", "comment": "so, so", "text": 'a "text"', "split": "dev", "gpt4": "m",
}  # fmt: skip
_WORDS = st.sampled_from([("f", "m", "o"), ("Female", "Male", "Other, or none"), ("1", "2", "3")])


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], set[tuple[str, str, str]], dict[str, str]]:
    """A table as its rows, the votes in it, and what its words mean."""
    (pattern,) = draw(_NAMES)
    people = [pattern.format(number) for number in range(1, draw(st.integers(2, 4)) + 1)]
    others = draw(st.lists(st.sampled_from(sorted(_OTHERS)), unique=True, max_size=4))
    words = draw(_WORDS)
    header = draw(st.permutations(["query_id", *people, *others]))
    rows, votes = [list(header)], set()
    labels = dict(zip(words, "fmo", strict=True))
    for number in range(draw(st.integers(1, 5))):
        cells = {"query_id": f"q{number}"} | {name: _OTHERS[name] for name in others}
        for person in people:
            cells[person] = draw(st.sampled_from([*words, ""]))
            if cells[person]:
                votes.add((f"q{number}", person, labels[cells[person]]))
        rows.append([cells[name] for name in header])
    return rows, votes, labels


@settings(max_examples=60, deadline=None)
@given(tables())
def test_random_tables_give_the_votes_that_were_put_in(
    tmp_path_factory: pytest.TempPathFactory,
    made: tuple[list[list[str]], set[tuple[str, str, str]], dict[str, str]],
) -> None:
    rows, votes, labels = made
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    path = tmp_path_factory.mktemp("wide") / "votes.csv"
    path.write_text(text.getvalue())
    found = read(path, labels=labels)
    assert {(one.qid, one.worker, one.answer) for one in found.votes} == votes


_ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(_ANY, min_size=1, max_size=4, unique=True), st.data())
def test_names_that_tell_nothing_give_the_votes_of_those_who_are_named_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject
) -> None:
    header = ["query_id", *names]
    cells = st.sampled_from(["f", "m", "2", "x", ""])
    rows = [[f"q{at}", *(data.draw(cells) for _ in names)] for at in range(3)]
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    path = tmp_path_factory.mktemp("wide") / "votes.csv"
    path.write_text(text.getvalue(), newline="")
    labels = {"2": "o", "x": "n"}
    try:
        found = read(path, labels=labels, choice=Choice(tuple(names)))
    except InputError:
        return
    put_in = {
        (row[0], name.strip(), labels.get(cell, cell))
        for row in rows
        for name, cell in zip(names, row[1:], strict=True)
        if cell
    }
    assert {(one.qid, one.worker, one.answer) for one in found.votes} == put_in


@pytest.mark.parametrize("text", ['{"a, b": "f", "c=d": "m"}', "Yes=f,No=n", "x=,a=b=f"])
def test_mappings_are_typed_plainly_or_as_json(text: str) -> None:
    assert set(read_mapping(text, last=True).values()) <= {"f", "m", "n", ""}
