from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.queries import Queries, read_queries


def read(tmp_path: Path, text: str | bytes, category: str = "n") -> Queries:
    path = tmp_path / "queries.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_queries(path, category)


def test_one_id_per_line_has_no_texts(tmp_path: Path) -> None:
    queries = read(tmp_path, "2\n1\r\n\n3")
    assert queries.layout == "ids"
    assert queries.texts == {"2": "", "1": "", "3": ""}
    assert queries.lines == {"2": 1, "1": 2, "3": 4}


def test_texts_follow_a_tab_and_keep_commas_quotes_and_later_tabs(tmp_path: Path) -> None:
    queries = read(tmp_path, '1\twho, "what" and\twhy\n2\t\n')
    assert queries.layout == "texts"
    assert queries.texts == {"1": 'who, "what" and\twhy', "2": ""}


def test_the_released_layout_is_cut_at_its_first_and_last_comma(tmp_path: Path) -> None:
    text = "1,is this, or that, a question,n\n2,who was she,f\n"
    queries = read(tmp_path, text)
    assert queries.layout == "labels"
    assert queries.texts == {"1": "is this, or that, a question"}
    assert queries.labels == {"1": "n"}
    assert queries.n_other == 1
    assert read(tmp_path, text, "f").ids == ("2",)
    assert read(tmp_path, text, "all").labels == {"1": "n", "2": "f"}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("1\ta\n2\tb\n1\tc\n", 3, "repeats the query '1' of line 1"),
        ("1,a,n\n2,b,x\n", 2, "unknown category 'x'"),
        ("qid,query,label\n", 1, "unknown category 'label'"),
        ("\ttext\n", 1, "id is empty"),
        ("1\ta\n  \ttext\n", 2, "id is empty"),
        (",text,n\n", 1, "id is empty"),
        ("1\ta\n2 b\n", 2, "not of the layout of the first line"),
        ("1,a,n\n2,b\n", 2, "not of the layout of the first line"),
        ("1 what is it\n", 1, "fits none"),
        ("1,what\n", 1, "fits none"),
        ("1\n2 3\n", 2, "'2 3' is no query id"),
        ("1\n2,3\n", 2, "'2,3' is no query id"),
        ("1 2\ttext\n", 1, "'1 2' is no query id"),
        (b"1\ta\n2\t\xff\n", 2, "not UTF-8"),
        (b"1\ta\0\n", 1, "NUL"),
        ("", None, "is empty"),
        ("1,a,f\n", None, "no query of category 'n'"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(
    tmp_path: Path, text: str | bytes, line: int | None, said: str
) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read(tmp_path, text)
    assert caught.value.line == line


def test_an_unknown_category_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown category 'x'"):
        read(tmp_path, "1\n", "x")
