import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.texts import collection
from metrics.texts.collection import read_collection
from metrics.vocabulary import Format

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}
TWO = [("7", "he said"), ("8", "")]


def write(folder: Path, data: bytes, name: str = "c.tsv") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def fault(path: Path, format: Format = "auto") -> InputError:  # noqa: A002 - as in read_collection
    with pytest.raises(InputError) as caught:
        list(read_collection(path, format))
    assert caught.value.path == str(path)
    return caught.value


@pytest.mark.parametrize("suffix", PACKERS)
def test_tsv_is_read_plain_and_packed(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path, PACKERS[suffix](b"7\the said\n8\t\n"), f"c.tsv{suffix}")

    assert list(read_collection(path)) == TWO


@pytest.mark.parametrize("suffix", PACKERS)
def test_json_lines_are_read_plain_and_packed(tmp_path: Path, suffix: str) -> None:
    data = b'{"id": "7", "contents": "he said"}\n{"id": 8, "contents": ""}\n'

    assert list(read_collection(write(tmp_path, PACKERS[suffix](data), f"c.jsonl{suffix}"))) == TWO


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_an_archive_in_several_parts_is_read_to_its_end(tmp_path: Path, suffix: str) -> None:
    pack = PACKERS[suffix]
    path = write(tmp_path, pack(b"7\the ") + pack(b"said\n8\t\n"), f"c.tsv{suffix}")

    assert list(read_collection(path)) == TWO


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"7\the said\n8\t\n")))

    assert list(read_collection("-")) == TWO


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    text = "a\u0085b\x0bc\x0cd\re\u2028f\x1cg"

    path = write(tmp_path, f"1\t{text}\n2\tx\r\n3\ty\r\r\n4\tz\r".encode())

    assert list(read_collection(path)) == [("1", text), ("2", "x"), ("3", "y\r"), ("4", "z")]


def test_tabs_after_the_first_belong_to_the_text(tmp_path: Path) -> None:
    assert list(read_collection(write(tmp_path, b"1\ta\tb"))) == [("1", "a\tb")]


def test_a_byte_order_mark_is_not_part_of_the_first_docno(tmp_path: Path) -> None:
    assert list(read_collection(write(tmp_path, b"\xef\xbb\xbf1\ta\n"))) == [("1", "a")]


@pytest.mark.parametrize("name", ["id", "docid", "docno", "_id"])
@pytest.mark.parametrize("field", ["contents", "text", "passage"])
def test_the_known_fields_of_json_lines(tmp_path: Path, name: str, field: str) -> None:
    lines = [{name: "a", field: "he", "other": [1]}, {name: 2**40, field: "she", "title": "Her"}]
    path = write(tmp_path, b"\n".join(map(orjson.dumps, lines)), "c.jsonl")

    assert list(read_collection(path)) == [("a", "he"), (str(2**40), "Her she")]


@pytest.mark.parametrize("title", ["null", '""'])
def test_an_empty_title_adds_nothing(tmp_path: Path, title: str) -> None:
    path = write(tmp_path, f'{{"_id": "a", "title": {title}, "text": "he"}}'.encode(), "c.jsonl")

    assert list(read_collection(path)) == [("a", "he")]


@pytest.mark.parametrize(
    ("name", "data", "docno"),
    [
        ("c", b'{"id": "1", "text": "a"}', "1"),
        ("c", b"1\ta", "1"),
        ("c.tsv", b"{\ta", "{"),
        ("c.ndjson", b' {"id": "1", "text": "a"}', "1"),
        ("c.json", b'{"id": "1", "text": "a"}', "1"),
    ],
)
def test_the_format_follows_the_name_then_the_first_byte(
    tmp_path: Path, name: str, data: bytes, docno: str
) -> None:
    assert next(read_collection(write(tmp_path, data, name)))[0] == docno


def test_a_format_that_is_asked_for_wins(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"id": "1", "text": "a"}', "c.tsv")

    assert list(read_collection(path, "jsonl")) == [("1", "a")]
    assert "no tab" in fault(path).message


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"1\ta\n2 b\n", 2, "no tab"),
        (b"1\ta\n\n2\tb\n", 2, "no tab"),
        (b"1\ta\n\tb\n", 2, "docno is empty"),
        (b"1\ta\n2\tb\n1\tc\n2\td\n", 3, "the docno is that of line 1"),
        (b"1\ta\n2\tcaf\xe9\n", 2, "not UTF-8"),
        (b"1\ta\n2\t\xed\xa0\x80\n", 2, "not UTF-8"),
        (b"1\ta\n2\xff\tb\n", 2, "not UTF-8"),
        (b"", None, "no passages"),
    ],
)
def test_a_bad_tsv_line_is_named(
    tmp_path: Path, data: bytes, line: int | None, message: str
) -> None:
    error = fault(write(tmp_path, data))

    assert error.line == line
    assert message in error.message


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"id": "2", "text": "\\ud800"}', "not JSON"),
        (b'{"id": "2", "text": "a\xff"}', "not JSON"),
        (b'["2", "a"]', "not a JSON object"),
        (b'{"text": "a"}', "no field id or pid or docid or docno or _id"),
        (b'{"id": "2"}', "no field contents or text or passage"),
        (b'{"id": null, "text": "a"}', "neither a string nor a whole number"),
        (b'{"id": true, "text": "a"}', "neither a string nor a whole number"),
        (b'{"id": 1.5, "text": "a"}', "neither a string nor a whole number"),
        (b'{"id": "2", "text": null}', "the text or the title is not a string"),
        (b'{"id": "2", "text": "a", "title": 1}', "the text or the title is not a string"),
        (b'{"id": "", "text": "a"}', "docno is empty"),
        (b'{"docno": 1, "text": "a"}', "the docno is that of line 1"),
    ],
)
def test_a_bad_json_line_is_named(tmp_path: Path, second: bytes, message: str) -> None:
    path = write(tmp_path, b'{"id": "1", "text": "a"}\n' + second + b"\n", "c.jsonl")
    error = fault(path)

    assert error.line == 2
    assert message in error.message


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("kept", [0.3, 0.999])
def test_a_truncated_archive_is_an_error(tmp_path: Path, suffix: str, kept: float) -> None:
    data = PACKERS[suffix](b"".join(b"%d\tpassage %d\n" % (i, i * i) for i in range(50_000)))
    error = fault(write(tmp_path, data[: int(len(data) * kept)], f"c.tsv{suffix}"))

    assert "damaged or cut short" in error.message
    assert (error.line is not None) == (kept == 0.999)  # one block was whole


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".bz2", ".xz", ".zip"])
def test_a_file_is_packed_if_its_first_bytes_say_so_not_its_name(
    tmp_path: Path, suffix: str
) -> None:
    assert list(read_collection(write(tmp_path, b"1\ta\n", f"c.tsv{suffix}"))) == [("1", "a")]


def test_a_missing_file_and_a_folder_are_plain_errors(tmp_path: Path) -> None:
    assert "no such file" in fault(tmp_path / "none.tsv").message
    assert "is a folder" in fault(tmp_path).message


def test_a_line_that_never_ends_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "MAX_LINE", 10)

    assert "longer than 10 bytes" in fault(write(tmp_path, b"1\ta\n2\t" + b"b" * 9)).message


@pytest.mark.parametrize(
    "line",
    [b"what is rain\t1", b'{"id": "what is rain", "text": "1"}', b"a b\t"],
    ids=["swapped columns", "JSON", "a blank"],
)
def test_a_docno_has_no_blank(tmp_path: Path, line: bytes) -> None:
    name = "c.jsonl" if line.startswith(b"{") else "c.tsv"
    first = b'{"id": "0", "text": "x"}' if name == "c.jsonl" else b"0\tx"
    error = fault(write(tmp_path, first + b"\n" + line + b"\n", name))
    assert (error.path, error.line) == (str(tmp_path / name), 2)


def test_progress_counts_the_bytes_on_disk(tmp_path: Path) -> None:
    data = gzip.compress(b"".join(b"%d\tpassage\n" % i for i in range(1000)))
    seen: list[int] = []

    list(read_collection(write(tmp_path, data, "c.tsv.gz"), progress=seen.append))

    assert sum(seen) == len(data)


passages = st.dictionaries(
    st.text(
        st.characters(exclude_characters=" \t\n\r\ufeff", exclude_categories=["Cs", "Cc"]),
        min_size=1,
    ),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])).filter(
        lambda text: not text.endswith("\r")
    ),
    min_size=1,
)


@pytest.mark.long
@given(passages)
def test_any_passages_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, written: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("c")
    tsv = "\n".join(f"{docno}\t{text}" for docno, text in written.items()).encode()
    jsonl = b"\n".join(orjson.dumps({"id": d, "text": t}) for d, t in written.items())

    assert dict(read_collection(write(folder, tsv, "c.tsv"))) == written
    assert dict(read_collection(write(folder, jsonl, "c.jsonl"))) == written
