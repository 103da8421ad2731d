from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.qrels import read_qrels


def test_grades_are_read_per_query(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 2\n1\tQ0\tb -1\n\n2 0 a 0\n", encoding="utf-8")
    assert read_qrels(path) == {"1": {"a": 2, "b": -1}, "2": {"a": 0}}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (b"1 0 a\n", 1, "3 columns"),
        (b"1 0 a 1\n1 0 b good\n", 2, "'good' is not a whole number"),
        (b"1 0 a 1\n1 0 a 2\n", 2, "again"),
        (b"1 0 \xff 1\n", 1, "not UTF-8"),
        (b"", None, "is empty"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(
    tmp_path: Path, text: bytes, line: int | None, said: str
) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(text)
    with pytest.raises(InputError, match=said) as caught:
        read_qrels(path)
    assert caught.value.line == line
