"""Tables that name their columns: however the file is written, the cells are the same."""

import gzip
from pathlib import Path

import pytest

from metrics.cli.run_arguments import named_lines
from metrics.errors import InputError
from metrics.io.csv_tables import named_rows
from metrics.runs.queries import read_queries
from metrics.texts.labels import read_labels
from metrics.texts.lexicon import read_lexicon


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
        (b"q_id,text\n1\n", "table:2: does not have a cell for each column."),
        (b'q_id,text\n1,"a\n', "table:2: is not CSV here"),
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

    assert dict(named_lines(str(path))) == {"a.run": 'A, "new"', "b.run": "B"}


QUERIES = {"q1": 'who said "hi" first', "q2": "who left; and when"}


@pytest.mark.parametrize(
    "lines",
    [
        ["qid\tquery", 'q1\t"who said ""hi"" first"', "q2\twho left; and when"],
        ['q1\t"who said ""hi"" first"', "q2\twho left; and when"],
        ['"qid"\t"query"', '"q1"\t"who said ""hi"" first"', '"q2"\t"who left; and when"'],
        ["qid,query", 'q1,"who said ""hi"" first"', "q2,who left; and when"],
        ["qid;query", 'q1;"who said ""hi"" first"', 'q2;"who left; and when"'],
        ["sep=;", "qid;query", 'q1;"who said ""hi"" first"', 'q2;"who left; and when"'],
        ["sep=,", "qid,query", 'q1,"who said ""hi"" first"', "q2,who left; and when"],
    ],
)
def test_queries_are_the_same_whatever_parts_and_quotes_their_cells(
    tmp_path: Path, lines: list[str]
) -> None:
    path = tmp_path / "queries"
    path.write_text("\n".join(lines) + "\n")

    assert read_queries(path).texts == QUERIES


def test_quotes_that_a_query_has_itself_stay(tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_text('q1\t"to be or not to be"\nq2\t"a" or "b"\nq3\t"half\n')

    assert list(read_queries(path).texts.values()) == [
        '"to be or not to be"',
        '"a" or "b"',
        '"half',
    ]


def test_a_text_with_a_comma_is_quoted_in_the_released_layout(tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_text('q1,"who left, and when",n\nq2,who came, and why,n\n')

    assert read_queries(path).texts == {"q1": "who left, and when", "q2": "who came, and why"}


@pytest.mark.parametrize("start", ["", "sep=;\n"])
def test_labels_words_and_values_may_be_parted_by_semicolons(tmp_path: Path, start: str) -> None:
    (tmp_path / "labels").write_text(f'{start}docno;group;weight\nd1;"a";2\nd2;b;1\n')
    (tmp_path / "words").write_text(f"{start}word;group\nshe;f\nhe;m\n")
    (tmp_path / "values").write_text(f"{start}q_id;text\n1;a, b\n")

    assert read_labels(tmp_path / "labels").names == ("a", "b")
    assert read_lexicon(tmp_path / "words").group_of == {"she": "f", "he": "m"}
    rows = list(named_rows(tmp_path / "values", ["q_id"], ""))
    assert [row for _, row in rows] == [{"q_id": "1", "text": "a, b"}]
