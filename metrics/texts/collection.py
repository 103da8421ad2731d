"""Collections of passages: TSV, JSON lines (plain, gz, zst or standard input), and Parquet."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import orjson

from ..errors import InputError
from ..extras import need
from ..io import headers
from ..io.files import checked_path, open_bytes
from ..io.ids import Lookup
from ..io.lines import MAX_LINE, numbered_lines, open_text
from ..io.packing import ENDINGS
from ..io.storage import is_url, open_raw
from ..public import public
from ..vocabulary import Format
from .duplicates import Duplicates, digest

#: MS MARCO's passages have a `pid` beside the `docid` of the document that they are from.
ID_FIELDS = ("id", "pid", "docid", "docno", "_id")
TEXT_FIELDS = ("contents", "text", "passage", "segment", "body")

_AT_ONCE = 1 << 20
_SHOWN = 40  # characters of an invalid docno in a message
_JSON_SUFFIXES = {".jsonl", ".json", ".ndjson"}
_TSV_SUFFIXES = {".tsv", ".txt"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: Blanks and control characters, which no docno of a run can have; as a regular expression.
BLANKS = r"[\x00-\x20]"
_BLANK = re.compile(BLANKS).search
#: A passage that begins after a lone `\r`, inside a line that ends with `\n`.
_HIDDEN = re.compile(rb"\r[^\s]{1,200}\t").search
#: The first bytes of a Parquet file.
PARQUET = b"PAR1"


@public
def read_collection(
    path: str | Path,
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    progress: Callable[[int], object] | None = None,
) -> Iterator[tuple[str, str]]:
    r"""The passages of a collection as pairs (docno, text), in its order, one per line.

    A line ends at the byte `\n` only, so that U+0085, `\v` or a lone `\r` stay inside a passage;
    one `\r` before it belongs to the line end. TSV: `docno<TAB>text`, all tabs after the first
    belong to the text. JSON lines: see `json_passage`. `auto` takes a name that ends in .jsonl,
    .json or .ndjson (before .gz or .zst) for JSON lines, one in .tsv or .txt for TSV, and looks for
    `{` as the first byte where the name says nothing. A file that begins as Parquet does is read as
    Parquet: its columns have the names and meanings of the fields of JSON lines, and errors count
    rows in place of lines.

    `progress` is called with the number of bytes read, as they lie on disk. Raises `InputError`
    with file and line; a repeated docno is found at the end, because remembering all docnos would
    not fit into bounded memory.
    """
    on_read = None if progress is None else lambda block: progress(len(block))
    checked_path(path, "the collection")
    yield from read_passages(path, format, on_read)


def read_passages(
    path: str | Path,
    format: Format,  # noqa: A002
    on_read: Callable[[bytes], object] | None,
) -> Iterator[tuple[str, str]]:
    """Read like `read_collection`; `on_read` gets the bytes as they are on disk."""
    read = _read_rows if is_parquet(path, format) else _read_lines
    with Duplicates() as duplicates:
        for docno, text in read(path, format, on_read):
            duplicates.add(digest(docno.encode()))
            yield docno, text
        if duplicate := duplicates.first():
            number, earlier = duplicate
            raise repeated_docno(path, number + 1, path, earlier + 1)


def _read_lines(
    path: str | Path,
    format_: Format,
    on_read: Callable[[bytes], object] | None,
) -> Iterator[tuple[str, str]]:
    parse = None
    for number, line in _numbered_lines(path, format_, on_read):
        parse = parse or PARSERS[detect_format(path, format_, line)]
        yield parse(line, path, number)


def _read_rows(
    path: str | Path,
    _format: Format,
    on_read: Callable[[bytes], object] | None,
) -> Iterator[tuple[str, str]]:
    if on_read is not None:
        # Parquet's footer is read first, so the bytes are counted in a pass of their own.
        with open_bytes(path, on_read) as stream:
            while stream.read(_AT_ONCE):
                pass
    is_empty = True
    for docnos, texts, _ in need(".parquet_collection", __package__).read_batches(path):
        is_empty = False
        yield from zip(docnos.to_pylist(), texts.to_pylist(), strict=True)
    if is_empty:
        raise empty_collection(path)


def texts_of(
    docnos: Collection[str], passages: Iterable[tuple[str, str]]
) -> tuple[dict[str, str], str]:
    """The texts of documents of runs, looked up in one pass through the collection; and a remark.

    It says that ids were written otherwise there, or that none was found.
    """
    lookup = Lookup(docnos)
    texts = {docno: text for docno, text in passages if lookup.wants(docno)}
    names, remark = lookup.matched(texts, "the documents of the runs", "the collection")
    return {docno: texts[name] for docno, name in names.items()}, remark


def is_parquet(path: str | Path, format: Format) -> bool:  # noqa: A002
    """Return whether the passages are rows of a Parquet file, by `format` or its first bytes."""
    if format != "auto" or not (is_url(path) or Path(path).is_file()):
        return format == "parquet"
    with open_raw(path) as file:
        return file.read(len(PARQUET)) == PARQUET


def detect_format(path: str | Path, format: Format, start: bytes) -> Literal["tsv", "jsonl"]:  # noqa: A002
    """The format of lines: what is asked for, what the name says, or what the first byte says."""
    if format == "parquet":
        raise InputError(
            "Parquet is read by rows, not by lines.", path=path, remedy="Write TSV or JSON lines."
        )
    if format != "auto":
        return format
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in ENDINGS]
    if suffixes and suffixes[-1] in _JSON_SUFFIXES:
        return "jsonl"
    if suffixes and suffixes[-1] in _TSV_SUFFIXES:
        return "tsv"
    return "jsonl" if start.startswith(b"{") else "tsv"


def header_size(start: bytes, path: str | Path, format: Format) -> int:  # noqa: A002
    r"""Length in bytes of a first line that names columns, docno and then text; else 0.

    Raises `InputError` for other columns or another order, and for a passage after a lone `\r`,
    which would be taken for a part of the passage before it.
    """
    if detect_format(path, format, start[:1]) != "tsv":
        return 0
    start = start[: headers.HEAD]
    if hidden := _HIDDEN(start):
        raise InputError(
            "a carriage return inside the line, and a docno behind it: two passages, or one?",
            path=path,
            line=start.count(b"\n", 0, hidden.start()) + 1,
            remedy="Save the file with one kind of line ends.",
        )
    line, end, _ = start.partition(b"\n")
    names = [headers.normal(name.decode("utf-8", "replace")) for name in line.split(b"\t")]
    of_texts = {*headers.TEXTS, "title"}
    if len(names) > 1 and names[0] in headers.DOCNOS and of_texts.issuperset(names[1:]):
        return len(line + end)
    swapped = len(names) > 1 and names[0] in of_texts and names[1] in headers.DOCNOS
    if len(names) > 1 and (names[0] in headers.DOCNOS or swapped):
        raise InputError(
            f"names columns, but not a docno and its text: {', '.join(names)[:80]}.",
            path=path,
            line=1,
            remedy="Write docno<TAB>text on each line; the first may be docno<TAB>text itself.",
        )
    return 0


def _numbered_lines(
    path: str | Path, format_: Format, on_read: Callable[[bytes], object] | None
) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1, without line end, byte order mark and header."""
    number = 0
    try:
        with open_text(path, on_read) as stream:
            skipped = bool(header_size(stream.peek(headers.HEAD), path, format_))
            for at, line in numbered_lines(stream, path, MAX_LINE):
                number = at - skipped
                if not number:
                    continue
                yield at, line.removesuffix(b"\n").removesuffix(b"\r")
    except InputError as error:
        if error.line is not None or not number:
            raise
        # A damaged archive: say how far it could be read.
        raise InputError(error.message, path=path, line=number, remedy=error.remedy) from error
    if not number:
        raise empty_collection(path)


def tsv_passage(line: bytes, path: str | Path, number: int) -> tuple[str, str]:
    """The docno and text of a line `docno<TAB>text` without its line end.

    A byte order mark is removed: files that were joined have one inside.
    """
    docno, tab, text = line.removeprefix(BYTE_ORDER_MARK).partition(b"\t")
    if not tab:
        raise InputError(
            "no tab.", path=path, line=number, remedy="Write docno<TAB>text on each line."
        )
    check_docno(docno.decode("utf-8", "replace"), path, number)
    try:
        return docno.decode(), text.decode()
    except UnicodeDecodeError:
        raise InputError(
            "not UTF-8.", path=path, line=number, remedy="Save the collection as UTF-8."
        ) from None


def json_passage(line: bytes, path: str | Path, number: int) -> tuple[str, str]:
    """The docno and text of one JSON object.

    The docno is the first of `id`, `pid`, `docid`, `docno`, `_id` that is there, a string or a
    whole number; the text the first of `contents`, `text`, `passage`, `segment`, `body`. A
    `title` that is not empty goes before the text with one space between them. Other fields are
    ignored.
    """
    try:
        fields = orjson.loads(line.removeprefix(BYTE_ORDER_MARK))
    except orjson.JSONDecodeError as error:
        raise _bad_json(path, number, f"not JSON: {error}.") from None
    if not isinstance(fields, dict):
        raise _bad_json(path, number, "not a JSON object.")
    docno = _first_field(fields, ID_FIELDS, path, number)
    text = _first_field(fields, TEXT_FIELDS, path, number)
    title = fields.get("title")
    if isinstance(docno, int) and not isinstance(docno, bool):
        docno = str(docno)
    if not isinstance(docno, str):
        raise _bad_json(path, number, "the docno is neither a string nor a whole number.")
    if not isinstance(text, str) or not isinstance(title, str | None):
        raise _bad_json(path, number, "the text or the title is not a string.")
    check_docno(docno, path, number)
    return docno, f"{title} {text}" if title else text


def _first_field(
    fields: dict[str, Any], names: tuple[str, ...], path: str | Path, number: int
) -> object:
    for name in names:
        if name in fields:
            return fields[name]
    raise _bad_json(path, number, f"no field {' or '.join(names)}.")


# What a line says, without its line end; with the path and line number for its errors.
PARSERS = {"tsv": tsv_passage, "jsonl": json_passage}


def _bad_json(path: str | Path, number: int, message: str) -> InputError:
    return InputError(
        message,
        path=path,
        line=number,
        remedy='Write one object per line: {"id": "7", "text": "..."}.',
    )


def empty_collection(path: str | Path) -> InputError:
    return InputError(
        "no passages: the file is empty.", path=path, remedy="Write docno<TAB>text lines."
    )


def check_docno(docno: str, path: str | Path | None, number: int) -> None:
    """Raise `InputError` for a docno that is empty, or that no line of a run could name."""
    if not docno:
        raise InputError(
            "the docno is empty.", path=path, line=number, remedy="Each passage needs a docno."
        )
    if not _BLANK(docno):
        return
    beginning = docno if len(docno) <= _SHOWN else f"{docno[:_SHOWN]}..."
    raise InputError(
        f"the docno {beginning!r} has a blank or a control character, which a run cannot have.",
        path=path,
        line=number,
        remedy="Write docno<TAB>text, in this order, with docnos without blanks.",
    )


def repeated_docno(
    path: str | Path, line: int, earlier_path: str | Path, earlier_line: int
) -> InputError:
    """The error for a passage that has the docno of an earlier one."""
    place = f"line {earlier_line}"
    if earlier_path != path:
        place += f" of {earlier_path}"
    return InputError(
        f"the docno is that of {place}.",
        path=path,
        line=line,
        remedy="Give each passage a docno of its own, and each file once.",
    )
