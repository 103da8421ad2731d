from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.runs.queries import Queries, read_queries


def read(tmp_path: Path, text: str | bytes, category: str = "n") -> Queries:
    path = tmp_path / "queries.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_queries(path, category)


def test_one_id_per_line_has_no_texts(tmp_path: Path) -> None:
    queries = read(tmp_path, "2\n1\r\n\n3")
    assert queries.layout == "ids"
    assert queries.texts == {"2": "", "1": "", "3": ""}
    assert queries.lines == {"2": 1, "1": 2, "3": 4}


def test_texts_follow_a_tab_and_keep_commas_and_quotes(tmp_path: Path) -> None:
    queries = read(tmp_path, '1\twho, "what" and why\n2\t\n')
    assert queries.layout == "texts"
    assert queries.texts == {"1": 'who, "what" and why', "2": ""}


def test_the_released_layout_is_cut_at_its_first_and_last_comma(tmp_path: Path) -> None:
    text = "1,is this, or that, a question,n\n2,who was she,f\n"
    queries = read(tmp_path, text)
    assert queries.layout == "labels"
    assert queries.texts == {"1": "is this, or that, a question"}
    assert queries.labels == {"1": "n"}
    assert queries.n_other == 1
    assert read(tmp_path, text, "f").ids == ("2",)
    assert read(tmp_path, text, "all").labels == {"1": "n", "2": "f"}


def test_labels_may_be_a_third_column_after_a_tab(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    path.write_bytes(b"q1\tnurses, midwives\tn\nq2\tking\tof spain\tm\n")
    read = read_queries(path, "all")
    assert read.layout == "labels"
    assert read.texts == {"q1": "nurses, midwives", "q2": "king\tof spain"}
    assert read.labels == {"q1": "n", "q2": "m"}


def test_labels_under_a_header_are_standard_csv(tmp_path: Path) -> None:
    text = '\ufeffqid,query,label\n1,"a, ""b""",n\n\n2,"two\r\nlines",n\n3,plain,f\n'
    queries = read(tmp_path, text)
    assert queries.layout == "labels"
    assert queries.texts == {"1": 'a, "b"', "2": "two\r\nlines"}
    assert queries.lines == {"1": 2, "2": 4}


@pytest.mark.parametrize(
    ("text", "line", "data"),
    [
        ("1\ta\n2\tb\n1\tc\n", 3, "'1'"),
        ("1,a,n\n2,b,x\n", 2, "'x'"),
        ("id,query,label\n", None, "header"),
        ("qid,query,label\n1,a,n\n2,b,x\n", 3, "'x'"),
        ('qid,query,label\n1,"two\nlines",n\n2,b\n', 4, "layout"),
        ('qid,query,label\n1,"open,n\n', 2, "CSV"),
        ("1\ta\n2\tb\tn\n", 2, "3 columns"),
        ("qid\twords\n1\ta\n", 1, "words"),
        ("\ttext\n", 1, "id"),
        ("1\ta\n  \ttext\n", 2, "id"),
        (",text,n\n", 1, "id"),
        ("1\ta\n2 b\n", 2, ""),
        ("1,a,n\n2,b\n", 2, ""),
        ("1 what is it\n", 1, ""),
        ("1,what\n", 1, ""),
        ("1\n2 3\n", 2, "'2 3'"),
        ("1\n2,3\n", 2, "'2,3'"),
        ("1 2\ttext\n", 1, "'1 2'"),
        (b"1\ta\n2\t\xff\n", 2, "UTF-8"),
        (b"1\ta\0\n", 1, "NUL"),
        ("", None, ""),
        ("1,a,f\n", None, "'n'"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(
    tmp_path: Path, text: str | bytes, line: int | None, data: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert data in str(caught.value)
    assert caught.value.line == line


def test_an_unknown_category_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'x'"):
        read(tmp_path, "1\n", "x")
