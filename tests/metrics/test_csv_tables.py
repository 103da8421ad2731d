"""Tables that name their columns: however the file is written, the cells are the same."""

import gzip
from pathlib import Path

import pytest

from metrics.cli.table import _names
from metrics.errors import InputError
from metrics.io.csv_tables import named_rows


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("packed", [False, True])
def test_cells_come_by_the_names_of_their_columns(
    tmp_path: Path, encoding: str, end: str, packed: bool
) -> None:
    path = tmp_path / "table"
    content = end.join(["q_id,text", 'é1,"one', 'text"', "2,other", ""]).encode(encoding)
    path.write_bytes(gzip.compress(content) if packed else content)

    rows = [
        (line, row["q_id"], row["text"].split()) for line, row in named_rows(path, ["q_id"], "")
    ]

    assert rows == [(3, "é1", ["one", "text"]), (4, "2", ["other"])]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "table:1: lacks q_id."),
        (b"qid,text\n", "table:1: lacks q_id."),
        (b"q_id,text\n1\n", "table:2: has not a cell for each column."),
        (b'q_id,text\n1,"a\n', "table:2: is no CSV here"),
        (b"q_id,text\n1,\xff\n", "table:2: is not UTF-8."),
    ],
)
def test_a_table_of_another_shape_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "table").write_bytes(content)

    with pytest.raises(InputError) as refused:
        list(named_rows(tmp_path / "table", ["q_id"], "Give another."))

    assert says in str(refused.value)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_names_of_a_table_of_runs_are_read_so_too(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "names.csv"
    path.write_bytes(gzip.compress('a.run\tA, "new"\r\nb.run,B\r\n'.encode(encoding)))

    assert _names(str(path)) == {"a.run": 'A, "new"', "b.run": "B"}
