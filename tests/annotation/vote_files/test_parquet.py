"""Votes and queries in Parquet, as data frames are stored."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.studies.file_checks import check_table
from metrics import read_queries
from metrics.errors import InputError
from metrics.votes.files.reader import read_votes
from tests.annotation.vote_files.test_field_layouts import votes

Columns = Mapping[str, Sequence[object]]


def written(path: Path, columns: Columns) -> Path:
    frame = pd.DataFrame(dict(columns))
    if "worker" in frame:
        frame = frame.astype({"worker": "category"})
    frame.to_parquet(path)
    return path


def test_votes_are_read_a_line_or_a_column_for_each_person(tmp_path: Path) -> None:
    long: Columns = {
        "query_id": [12, 12, 13],
        "worker": ["ann", "bob", "ann"],
        "label": ["f", None, "m"],
    }
    wide: Columns = {"query_id": ["12", "13"], "ann": ["f", "m"], "bob": [None, "n"]}

    plain = written(tmp_path / "votes.parquet", long)
    check_table(plain)
    assert votes(read_votes([plain])) == [("12", "ann", "f"), ("13", "ann", "m")]
    assert votes(read_votes([written(tmp_path / "wide.parquet", wide)])) == [
        ("12", "ann", "f"),
        ("13", "ann", "m"),
        ("13", "bob", "n"),
    ]


def test_an_error_names_the_record(tmp_path: Path) -> None:
    columns: Columns = {"query_id": ["1", "2"], "worker": ["a", "a"], "label": ["f", "what"]}
    with pytest.raises(InputError, match=r"votes\.parquet:2: .*'what'"):
        read_votes([written(tmp_path / "votes.parquet", columns)])


@pytest.mark.parametrize("n_rows", [1, 3])
def test_queries_are_read_by_the_names_of_their_columns(tmp_path: Path, n_rows: int) -> None:
    texts = ['who said "hi", first', "a\ttab", "a"][:n_rows]
    columns: Columns = {
        "qid": [1, 2, 3][:n_rows],
        "query": texts,
        "label": ["n", "f", "n"][:n_rows],
    }
    read = read_queries(written(tmp_path / "queries.parquet", columns), "all")
    assert list(read.texts.values()) == texts
    assert list(read.labels) == ["1", "2", "3"][:n_rows]
    with pytest.raises(InputError, match="has no id and text"):
        read_queries(written(tmp_path / "other.parquet", {"a": ["x"], "b": ["y"]}))


def test_many_different_texts_and_few_are_read_alike(tmp_path: Path) -> None:
    n_rows = 50_000
    columns: Columns = {
        "query_id": [f"query-{at}-" + "x" * 40 for at in range(n_rows)],
        "worker": ["ann"] * n_rows,
        "label": ["f", "m"] * (n_rows // 2),
        "score": [at / 4 for at in range(n_rows)],
        "day": [pd.Timestamp(2024, 5, 1)] * n_rows,
    }
    found = read_votes([written(tmp_path / "votes.parquet", columns)])
    assert [one.qid for one in found.votes] == columns["query_id"]


def test_a_text_that_is_repeated_counts_as_often_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    ids = pa.array(["x" * 100_000] * 2_000)
    pq.write_table(pa.table({"query_id": ids, "worker": ids, "label": ids}), path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match="holds more than 100 MB when it is read"):
        read_votes([path])


def test_empty_columns_and_rows_count_too(tmp_path: Path) -> None:
    path = tmp_path / "empty.parquet"
    nothing = pa.nulls(30_000_000)
    pq.write_table(pa.table(dict.fromkeys(("query_id", "worker", "label", "a"), nothing)), path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match="holds more than 100 MB when it is read"):
        read_votes([path])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"query_id": ["1"], "answers": [["f"]]}, "holds lists or objects"),
        ({"query_id": ["1\0"], "worker": ["a"], "label": ["f"]}, "NUL character"),
        ({"query_id": [b"\xff"], "worker": ["a"], "label": ["f"]}, "is not UTF-8"),
        ({"query_id": [], "worker": [], "label": []}, "has columns and no row"),
    ],
)
def test_what_is_no_table_of_votes_is_refused(tmp_path: Path, content: Columns, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read_votes([written(tmp_path / "votes.parquet", content)])


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    columns: Columns = {"query_id": ["1"], "worker": ["a"], "label": ["f"]}
    whole = written(tmp_path / "votes.parquet", columns).read_bytes()
    damaged = tmp_path / "damaged.parquet"
    for end in range(4, len(whole), 97):
        damaged.write_bytes(whole[:end])
        with pytest.raises(InputError, match="damaged, or is not a Parquet"):
            read_votes([damaged])
    for at in range(4, len(whole), 7):
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            read_votes([damaged])
        except InputError:
            continue


def test_without_the_package_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns: Columns = {"query_id": ["1"], "worker": ["a"], "label": ["f"]}
    path = written(tmp_path / "votes.parquet", columns)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError) as caught:
        read_votes([path])
    assert "fairpool[fast]" in caught.value.remedy
