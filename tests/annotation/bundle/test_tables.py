import io
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.reports.bundle import tables
from annotation.reports.bundle.archive import write_archive
from annotation.reports.bundle.tables import LabelRow, QueryRow, Row, from_csv, to_csv
from metrics.errors import InputError

# Whatever a database of ours can hold: every character but NUL and lone surrogates.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


def read_back(kind: type[Row], content: bytes) -> list[Row]:
    file = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    return list(from_csv(kind, file, "queries.csv"))


@pytest.mark.long
@given(st.lists(st.builds(QueryRow, qid=texts, query=texts, gold=st.sampled_from(["", "n"]))))
def test_queries_survive_their_csv(rows: list[QueryRow]) -> None:
    assert read_back(QueryRow, to_csv(QueryRow, rows)) == rows


@given(
    st.lists(
        st.builds(
            LabelRow,
            qid=texts,
            label=st.sampled_from(["n", "f", "tie"]),
            method=st.just("mace"),
            source=st.just("model-based"),
            n_votes=st.integers(0, 9),
            n_for=st.integers(0, 9),
            confidence=st.none() | st.floats(0, 1),
            decided_by=texts,
            reason=texts,
        )
    )
)
def test_labels_survive_their_csv_to_the_last_bit(rows: list[LabelRow]) -> None:
    assert read_back(LabelRow, to_csv(LabelRow, rows)) == rows


@pytest.mark.parametrize(
    "content",
    [b"qid,query\na,b\n", b"other\n1\n", b"\xff\n"],
    ids=["column missing", "other table", "no text"],
)
def test_another_table_is_a_plain_error(content: bytes) -> None:
    with pytest.raises(InputError, match=r"queries\.csv"):
        read_back(QueryRow, content)


def test_an_archive_has_the_same_bytes_whatever_the_order_of_its_files(tmp_path: Path) -> None:
    files = {"b.csv": b"2", "a/c.csv": b"1", "manifest.json": b"{}"}
    write_archive(tmp_path / "1.zip", files)
    write_archive(tmp_path / "2.zip", dict(reversed(files.items())))
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "1.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files


@pytest.mark.parametrize("kind", list(tables._MOST_ROWS))
def test_no_table_is_written_that_is_refused_when_it_is_read(
    kind: type[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are those of each table; here three rows, as of hundreds of thousands."""
    noun = tables._MOST_ROWS[kind][1]
    monkeypatch.setitem(tables._MOST_ROWS, kind, (3, noun))
    values: dict[Any, Any] = {str: "1", int: 1}
    make: Any = kind
    row = make(*(values.get(field.type) for field in fields(kind)))
    content = to_csv(kind, [row] * 3)
    assert read_back(kind, content) == [row] * 3
    with pytest.raises(InputError, match=f"4 {noun} are more than the 3"):
        to_csv(kind, [row] * 4)
    with pytest.raises(InputError, match="has more than 3 records"):
        read_back(kind, content + content.splitlines(keepends=True)[-1])
