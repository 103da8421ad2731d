"""One reader of lines: however a file is packed, encoded and ended, the records are the same."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from metrics.errors import InputError
from metrics.io.contents import contents_of
from metrics.io.lines import read_text, text_lines
from metrics.io.packing import each_file
from metrics.runs import read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries
from metrics.texts.collection import read_collection
from metrics.texts.labels import read_labels
from metrics.texts.lexicon import read_lexicon


def zipped(content: bytes) -> bytes:
    """A zip of one file, with what a Mac puts beside it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("folder/", b"")
        archive.writestr("folder/input.tsv", content)
        archive.writestr("__MACOSX/folder/._input.tsv", b"\0\5\26\7")
    return packed.getvalue()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: pa.compress(content, "zstd", asbytes=True),
    "zip": zipped,
}
#: As Python calls them: with a mark, those that end in -sig, utf-16 and utf-32.
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
ENDS = ("\n", "\r\n", "\r")
_TEXT = "q1\twho léft\nq2\twhat 你好\n"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("packing", PACKINGS)
def test_a_text_has_the_same_lines_however_it_is_written(
    tmp_path: Path, packing: str, encoding: str, end: str
) -> None:
    path = tmp_path / "no ending.csv"
    path.write_bytes(PACKINGS[packing](_TEXT.replace("\n", end).encode(encoding)))

    lines = [(number, line.rstrip("\r\n")) for number, line in text_lines(path)]

    assert lines == [(1, "q1\twho léft"), (2, "q2\twhat 你好")]
    assert read_text(path, 1_000).replace("\r\n", "\n") == _TEXT


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"q1\ta\nq\0\tb\n", 2),
        (b"q1\ta\rq2\tb\nq3\tc\n", 1),
        (b"q1\ta\nq2\t\xff\n", 2),
        ("q1\ta\n".encode("utf-16") + b"\0", None),
        (b"\xff\xfe\x00\xd8a\0", None),
    ],
)
def test_what_is_no_text_is_refused_where_it_stands(
    tmp_path: Path, content: bytes, line: int | None
) -> None:
    path = tmp_path / "input"
    path.write_bytes(content)

    with pytest.raises(InputError) as refused:
        list(text_lines(path))

    assert (refused.value.path, refused.value.line) == (str(path), line)


def test_a_mark_inside_files_put_together_belongs_to_no_line(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes("q1 0 d1 1\n".encode("utf-8-sig") + "q2 0 d2 1\n".encode("utf-8-sig"))

    assert [line for _, line in text_lines(path)] == ["q1 0 d1 1\n", "q2 0 d2 1\n"]


def test_files_in_a_zip_have_paths_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "votes.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bob.csv", "b\n")
        archive.writestr("ann/ann.csv", "a\n")

    files = each_file(path)

    assert files == [path / "ann/ann.csv", path / "bob.csv"]
    assert [next(text_lines(file)) for file in files] == [(1, "a\n"), (1, "b\n")]
    with pytest.raises(InputError, match="holds 2 files"):
        list(text_lines(path))
    with pytest.raises(InputError, match="no such file"):
        list(text_lines(path / "cyd.csv"))


@pytest.mark.parametrize("name", ["[Content_Types].xml", "mimetype"])
def test_a_document_of_an_office_program_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "votes.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "")

    with pytest.raises(InputError, match="office"):
        list(text_lines(path))


@pytest.mark.parametrize("packing", [name for name in PACKINGS if name != "plain"])
def test_an_archive_that_is_cut_short_is_refused(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "input"
    whole = PACKINGS[packing](bytes(range(1, 10)) * 1_000)
    path.write_bytes(whole[: len(whole) - 20])

    with pytest.raises(InputError) as refused:
        list(text_lines(path))

    assert refused.value.path == str(path)


def records_of_labels(path: Path) -> object:
    labels = read_labels(path)
    return sorted(labels.row_of), labels.names


#: Each reader, with what it makes of a file of two records and of the same under a header.
_READERS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "run": (lambda p: read_run(p).to_dict(), "", "q1 Q0 d1 1 2 x\nq2 Q0 d2 1 1 x\n"),
    "run under names": (
        lambda p: read_run(p).to_dict(),
        "qid\tdocno\trank\tscore\n",
        "q1\td1\t1\t2\nq2\td2\t1\t1\n",
    ),
    "qrels": (read_qrels, "query-id\tcorpus-id\tscore\n", "q1\td1\t1\nq2\td2\t1\n"),
    "queries": (lambda p: read_queries(p).texts, "qid\tquery\n", "q1\twho\nq2\twhat\n"),
    "collection": (lambda p: list(read_collection(p)), "id\ttext\n", "d1\tHe.\nd2\tShe.\n"),
    "labels": (records_of_labels, "Doc ID,Category\n", "d1,north\nd2,south\n"),
    "word list": (lambda p: read_lexicon(p).words, "term,gender\n", "he,m\nshe,f\n"),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", _READERS)
def test_every_reader_takes_every_mark_and_line_end(
    tmp_path: Path, name: str, encoding: str, end: str
) -> None:
    read, header, text = _READERS[name]
    plain, marked = tmp_path / "plain" / "input", tmp_path / "marked" / "input"
    plain.parent.mkdir()
    marked.parent.mkdir()
    plain.write_text(header + text)
    marked.write_bytes((header + text).replace("\n", end).encode(encoding))

    assert read(marked) == read(plain)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", _READERS)
def test_every_reader_takes_every_packing_under_any_name(
    tmp_path: Path, name: str, packing: str
) -> None:
    read, header, text = _READERS[name]
    plain, packed = tmp_path / "plain", tmp_path / "packed.txt"
    plain.write_text(header + text)
    packed.write_bytes(PACKINGS[packing]((header + text).encode("utf-16")))

    assert read(packed) == read(plain)


@pytest.mark.parametrize("name", ["queries", "labels", "word list", "collection"])
def test_a_header_is_no_record(tmp_path: Path, name: str) -> None:
    read, header, text = _READERS[name]
    with_header, without = tmp_path / "with", tmp_path / "without"
    with_header.write_text(header + text)
    without.write_text(text)

    assert read(with_header) == read(without)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_labels, "docno,words\nd1,north\n"),
        (read_labels, "docno,title,group\nd1,x,north\n"),
    ],
)
def test_names_of_other_columns_are_refused(
    tmp_path: Path, read: Callable[[Path], object], text: str
) -> None:
    path = tmp_path / "input"
    path.write_text(text)

    with pytest.raises(InputError) as refused:
        read(path)

    assert refused.value.line == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "qrels"),
        ("q1\td1\t1\t22.5\nq1\td2\t2\t21.0\n", "run"),
        ("q1\td1\t1\nq1\td2\t2\n", "run"),
        ("qid,docno,rank,score\nq1,d1,1,2\n", "run"),
        ('{"pid": "d1", "passage": "He.", "docid": "D1"}\n', "texts"),
        ('{"docid": "d1", "url": "", "body": "He."}\n', "texts"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_contents_are_known_whatever_writes_them(
    tmp_path: Path, text: str, kind: str, encoding: str
) -> None:
    path = tmp_path / "input"
    path.write_bytes(text.encode(encoding))

    looks = contents_of(path)

    assert looks is not None
    assert looks.kind == kind


_FLOAT_IDS: dict[str, Callable[[Path], object]] = {
    "261.0 Q0 7.0 1 2.5 bm25\n31.0 Q0 8.0 1 1.5 bm25\n": lambda p: read_run(p).to_dict(),
    "qid,docno,score\n261.0,7.0,2.5\n31.0,8.0,1.5\n": lambda p: read_run(p).to_dict(),
    "261.0 0 7.0 1\n31.0 0 8.0 0\n": read_qrels,
    "query-id\tcorpus-id\tscore\n261.0\t7.0\t1.0\n31.0\t8.0\t0.0\n": read_qrels,
    "261.0\twho\n31.0\twhat\n": lambda p: read_queries(p).texts,
    "qid,query\n261.0,who\n31.0,what\n": lambda p: read_queries(p).texts,
    '[{"qid": 261.0, "query": "who"}, {"qid": 31.0, "query": "what"}]': lambda p: (
        read_queries(p).texts
    ),
    "261.0\n31.0\n": lambda p: read_queries(p).texts,
}


@pytest.mark.parametrize("content", _FLOAT_IDS)
def test_ids_that_pandas_made_floats_stay_as_they_are_written(tmp_path: Path, content: str) -> None:
    """Where they meet ids of another file they are told apart or joined: see test_ids.py."""
    path = tmp_path / "floats"
    path.write_text(content)

    assert sorted(_FLOAT_IDS[content](path)) == ["261.0", "31.0"]  # type: ignore[call-overload]


@pytest.mark.parametrize("content", _FLOAT_IDS)
def test_numbers_of_turns_are_ids_as_they_are(tmp_path: Path, content: str) -> None:
    path = tmp_path / "turns"
    path.write_text(content.replace("261.0", "31.1"))

    assert list(_FLOAT_IDS[content](path)) in (["31.0", "31.1"], ["31.1", "31.0"])  # type: ignore[call-overload]


@pytest.mark.parametrize("form", ["{docno}\tHe.\n", '{{"id": "{docno}", "text": "He."}}\n'])
def test_collections_put_together_have_no_mark_in_a_docno(tmp_path: Path, form: str) -> None:
    path = tmp_path / "collection"
    parts = [form.format(docno=docno).encode("utf-8-sig") for docno in ("d1", "d2")]
    path.write_bytes(b"".join(parts))

    assert list(read_collection(path)) == [("d1", "He."), ("d2", "He.")]
