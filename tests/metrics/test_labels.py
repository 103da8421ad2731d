"""Files of labels of documents."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.texts.labels import read_labels


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "labels.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_groups_and_weights(tmp_path: Path) -> None:
    text = "docno,group,weight\nd1,north\n\nd2,south,0.25\nd2,north,.75\r\n"
    labels = read_labels(written(tmp_path, text))
    assert labels.names == ("north", "south")
    assert labels.values[labels.rows(["d2", "d1"])].tolist() == [[0.75, 0.25], [1, 0]]
    assert labels.rows(["d3"]).tolist() == [-1]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", None),
        ("docno,group\n", None),
        ("d1\n", 1),
        ("d1,north,1,2\n", 1),
        (",north\n", 1),
        ("d 1,north\n", 1),
        ("d1,\n", 1),
        ("d1,no=rth\n", 1),
        ("d1,a:b\n", 1),
        ("d1,a b\n", 1),
        ("d1,north,x\n", 1),
        ("d1,north,0\n", 1),
        ("d1,north,-1\n", 1),
        ("d1,north,nan\n", 1),
        ("d1,north,1e999\n", 1),
        ("d1,north,1_0\n", 1),
        ("d1,north\nd1,south\nd1,north,2\n", 3),
        ('d1,"north\n', 2),
        (b"d1,north\nd2,s\xffd\n", 2),
    ],
)
def test_a_damaged_file_is_an_error_with_its_line(
    tmp_path: Path, content: str | bytes, line: int | None
) -> None:
    with pytest.raises(InputError) as caught:
        read_labels(written(tmp_path, content))
    assert caught.value.line == line
