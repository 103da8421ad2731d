"""Files of labels of documents."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.texts.labels import labels_of, read_labels


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
        ('d1,"north\n', 1),
        (b"d1,north\nd2,s\xffd\n", 2),
    ],
)
def test_a_damaged_file_is_an_error_with_its_line(
    tmp_path: Path, content: str | bytes, line: int | None
) -> None:
    with pytest.raises(InputError) as caught:
        read_labels(written(tmp_path, content))
    assert caught.value.line == line


def test_labels_of_several_attributes_are_shares_with_a_column_for_each_group(
    tmp_path: Path,
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "docno,attribute,group,weight\nd1,gender,f,0.25\nd1,gender,m,0.5\nd2,region,north,1\n"
    )
    labels = read_labels(path)
    assert labels.names == ("gender:f", "gender:m", "region:north")
    assert labels.values.tolist() == [[0.25, 0.5, 0.0], [0.0, 0.0, 1.0]]


def test_four_columns_need_no_header_and_a_weight_may_be_left_out_under_one(
    tmp_path: Path,
) -> None:
    four = tmp_path / "four.csv"
    four.write_text("d1,gender,f,1\n")
    three = tmp_path / "three.csv"
    three.write_text("docno,attribute,group\nd1,gender,f\n")
    assert read_labels(four).names == read_labels(three).names == ("gender:f",)


def test_shares_above_a_whole_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("docno,attribute,group,weight\nd1,gender,f,0.7\nd1,gender,m,0.4\n")
    with pytest.raises(InputError) as caught:
        read_labels(path)
    assert caught.value.line == 3


def test_a_frame_has_the_columns_of_a_file() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"docno": ["d1", 7], "attribute": ["gender"] * 2, "group": ["f", "m"], "weight": [1, 0.5]}
    )
    labels = labels_of(frame)
    assert labels.names == ("gender:f", "gender:m")
    assert labels.rows(["7"]).tolist() == [1]
    with pytest.raises(InputError, match="docno"):
        labels_of(frame.rename(columns={"docno": "id"}))
