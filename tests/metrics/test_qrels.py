from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.runs.qrels import read_qrels


def test_grades_are_read_per_query(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 2\n1\tQ0\tb -1\n\n2 0 a 0\n", encoding="utf-8")
    assert read_qrels(path) == {"1": {"a": 2, "b": -1}, "2": {"a": 0}}


@pytest.mark.parametrize(
    ("text", "line", "data"),
    [
        (b"1 0 a\n", 1, "3"),
        (b"1 0 a 1\n1 0 b good\n", 2, "'good'"),
        (b"1 0 a 1\n1 0 a 2\n", 2, ""),
        (b"1 0 \xff 1\n", 1, "UTF-8"),
        (b"", None, ""),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(
    tmp_path: Path, text: bytes, line: int | None, data: str
) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(text)
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert data in str(caught.value)
    assert caught.value.line == line
