"""Checks of a file's content: a name proves nothing, and uploads are hostile.

One pass over the file finds its digest, its number of lines and everything that would harm later
readers (an archive or a line without end, NUL bytes). The first lines are then read as scoring and
pooling will read them; small files are read whole.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.vocabulary import FileKind
from metrics.errors import InputError
from metrics.io.digests import Digest, digest_of
from metrics.io.lines import MAX_LINE, MAX_RECORD, open_text
from metrics.io.packing import HEAD, packing_at
from metrics.io.packing import packing_of as packed_again
from metrics.io.parquet_tables import is_parquet
from metrics.runs.definition import fields_of, parse_line
from metrics.runs.layouts import lines_of_layout
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries
from metrics.texts.collection import detect_format, read_collection
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import check_pages, open_magnitudes
from metrics.vocabulary import LARGEST_TABLE

#: Lines that are checked at once; the rest is checked when the file is used.
FIRST_LINES = 1_000
_BLOCK = 1 << 20
#: Text compresses to a tenth, repetitive text to a fiftieth; an archive beyond this is a bomb.
_MOST_TIMES = 200
_ALWAYS_ALLOWED = 1 << 26
_MEGABYTE = 1_000_000
#: Kinds that are read into memory as a whole, with their largest size.
_LARGEST = {
    FileKind.QUERIES: 100 * _MEGABYTE,
    FileKind.QRELS: 100 * _MEGABYTE,
    FileKind.LEXICON: _MEGABYTE,
}
_FOREIGN = {
    b"7z\xbc\xaf": "a 7z archive",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
}
_TAR, _TAR_AT = b"ustar", 257


@dataclass(frozen=True)
class Checked:
    """A usable file: its digest on disk, and its facts.

    Of queries, `coverage` tells by the name of a run how its queries differ from them.
    """

    digest: str
    size: int
    summary: dict[str, Any]
    coverage: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class _Pass:
    """Findings of one pass over the bytes."""

    packed: int = 0
    unpacked: int = 0
    lines: int = 0
    digest: Digest = field(default_factory=Digest)

    def take(self, block: bytes) -> None:
        self.packed += len(block)
        self.digest.update(block)


def packing_of(path: Path) -> str:
    """Return `.gz`, `.bz2`, `.xz`, `.zst` or `.zip` by the bytes; "" for others."""
    packing = packing_at(path)
    return f".{packing}" if packing else ""


def check_file(path: Path, kind: str) -> Checked:
    """Contents of `path` as a file of `kind`; `InputError` with file and line if it is none."""
    kind = FileKind(kind)
    if kind == FileKind.MAGNITUDES:
        return _magnitudes(path)
    if kind == FileKind.QUERIES and is_parquet(path):
        facts = _queries(path)  # its reader counts what it unpacks
        size = path.stat().st_size
        summary = {"lines": facts["n_queries"], "unpacked": size, **facts}
        return Checked(digest_of(path), size, summary)
    longest = MAX_LINE if kind == FileKind.COLLECTION else MAX_RECORD
    largest = _LARGEST.get(kind, settings.UNPACKED_LIMIT_MB * _MEGABYTE)
    content = _pass_over(path, longest, largest, kind.label.lower())
    summary = {"lines": content.lines, "unpacked": content.unpacked, **_CHECKS[kind](path)}
    return Checked(str(content.digest), content.packed, summary)


def most_unpacked(packed: int) -> int:
    """Bytes that an archive of `packed` bytes may grow to; a larger one is a bomb."""
    largest = settings.UNPACKED_LIMIT_MB * _MEGABYTE
    return int(min(largest, max(_ALWAYS_ALLOWED, _MOST_TIMES * packed)))


def check_table(path: Path) -> None:
    """`InputError` for labels or votes that are not text, or beyond `LARGEST_TABLE` unpacked.

    Of Parquet the reader counts what it unpacks.
    """
    if is_parquet(path):
        return
    longest = LARGEST_TABLE if _is_json(path) else MAX_LINE
    _pass_over(path, longest, LARGEST_TABLE, "labels or votes")


def _is_json(path: Path) -> bool:
    """Return whether the file begins as JSON, which may be one line of any length."""
    with open_text(path) as stream:
        return stream.read(1_000).lstrip()[:1] in (b"[", b"{")


def _pass_over(path: Path, longest: int, largest: int, what: str) -> _Pass:
    content = _Pass()
    begun = 0
    with open_text(path, content.take) as stream:
        for block in iter(partial(stream.read, _BLOCK), b""):
            if not content.unpacked:
                _refuse_foreign(block, path)
            if (nul := block.find(b"\0")) >= 0:
                line = content.lines + block.count(b"\n", 0, nul) + 1
                raise _no_text(path, line, "holds a NUL byte.")
            content.unpacked += len(block)
            _refuse_bomb(content, path, largest, what)
            feeds = block.count(b"\n")
            begun += block.find(b"\n") if feeds else len(block)
            if begun > longest:
                raise _no_text(
                    path, content.lines + 1, f"the line has more than {longest:,} bytes."
                )
            content.lines += feeds
            if feeds:
                begun = len(block) - block.rfind(b"\n") - 1
    content.lines += bool(begun)
    if not content.unpacked:
        raise InputError("is empty.", path=path, remedy="Choose another file.")
    return content


def _refuse_foreign(start: bytes, path: Path) -> None:
    what = next((name for magic, name in _FOREIGN.items() if start.startswith(magic)), "")
    if start[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        what = "a tar archive"
    if packed_again(start[:HEAD]):
        what = "an archive within an archive"
    if what:
        raise InputError(
            f"is {what}, not text.",
            path=path,
            remedy="Unpack it and give the file inside; files can be packed only once."
            if "archive" in what
            else "Save what it holds as text, as CSV or TSV in UTF-8.",
        )


def _refuse_bomb(content: _Pass, path: Path, largest: int, what: str) -> None:
    if content.unpacked > largest:
        raise InputError(
            f"holds more than {largest // _MEGABYTE:,} MB.",
            path=path,
            remedy=f"Check that this is the right file ({what}).",
        )
    if content.unpacked > most_unpacked(content.packed):
        raise InputError(
            f"grows to more than {_MOST_TIMES} times its size when it is unpacked.",
            path=path,
            remedy="If it is the right file, give it unpacked.",
        )


def _no_text(path: Path, line: int, message: str) -> InputError:
    return InputError(message, path=path, line=line, remedy="Is this a text file?")


def _collection(path: Path) -> dict[str, Any]:
    with open_text(path) as stream:
        layout = detect_format(path, "auto", stream.peek(1)[:1])
    for _ in islice(read_collection(path), FIRST_LINES):
        pass
    return {"layout": layout}


def _run(path: Path) -> dict[str, Any]:
    depth: dict[str, int] = {}
    for number, line in _first_lines(path):
        if fields := fields_of(line):
            qid, _line = parse_line(fields, path, number)
            depth[qid] = depth.get(qid, 0) + 1
    if not depth:
        raise InputError("is empty.", path=path, remedy="Write: qid Q0 docno rank score tag.")
    # Of a large run, of the first lines.
    return {"depth": max(depth.values())}


def _first_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The first lines of a run as those of TREC, with their numbers."""
    if (lines := lines_of_layout(path)) is not None:
        yield from islice(lines, FIRST_LINES)
        return
    with open_text(path) as stream:
        yield from enumerate(islice(stream, FIRST_LINES), start=1)


def _queries(path: Path) -> dict[str, Any]:
    queries = read_queries(path, "all")
    if queries.layout == "ids":
        raise InputError(
            "the queries have no text.", path=path, line=1, remedy="Write qid<TAB>text."
        )
    return {"n_queries": len(queries), "layout": queries.layout}


def _qrels(path: Path) -> dict[str, Any]:
    qrels = read_qrels(path)
    return {"n_queries": len(qrels), "n_judged": sum(map(len, qrels.values()))}


def _lexicon(path: Path) -> dict[str, Any]:
    lexicon = read_lexicon(path)
    return {"words": dict(zip(lexicon.groups, map(len, lexicon.words), strict=True))}


def _magnitudes(path: Path) -> Checked:
    metadata = open_magnitudes(path).metadata
    check_pages(path)  # damaged files are refused now, not when measuring
    return Checked(digest_of(path), path.stat().st_size, {"made_from": vars(metadata)})


_CHECKS: dict[FileKind, Callable[[Path], dict[str, Any]]] = {
    FileKind.COLLECTION: _collection,
    FileKind.QUERIES: _queries,
    FileKind.RUN: _run,
    FileKind.QRELS: _qrels,
    FileKind.LEXICON: _lexicon,
}
