r"""Query files in three layouts, told apart by their first line.

- `ids`: one query id per line;
- `texts`: `qid<TAB>text`;
- `labels`: `qid,text,label` as in the released data set: no header, no quoting, so the text lies
  between the first and the last comma; or, under the header `qid,query,label`, standard CSV.
"""

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from ..errors import InputError
from ..io.digests import bytes_digest, digest_of
from ..io.files import open_bytes
from ..io.lines import numbered_lines
from ..vocabulary import CATEGORIES

Layout = Literal["ids", "texts", "labels"]

_PRESET = "preset:"
_DATA = Path(__file__).resolve().parents[1] / "data" / "queries"

#: Query sets that come with the package, named `preset:NAME` where a file is asked for.
PRESETS = {name: _DATA / f"{name}.tsv" for name in ("nongendered-1765", "fair-215")}

_LAYOUTS = "A query file has one id per line, or qid<TAB>text, or qid,text,label."
_SEPARATORS_OF_LABELS = 2
#: The first line of labels as standard CSV.
HEADER = "qid,query,label"


@dataclass(frozen=True)
class Queries:
    """The queries of a file, in its order.

    `texts` maps each id to its text ("" in the layout `ids`, which has none), `lines` to its line
    in the file, `labels` to its category in the layout `labels`. `layout` says how the file was
    understood, `n_other` how many queries were left out because they have another category.
    """

    path: str
    layout: Layout
    texts: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    n_other: int = 0
    digest: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


def read_queries(
    path: str | Path, category: str = "n", *, labels: Collection[str] | None = CATEGORIES
) -> Queries:
    """Read a query file, plain or `.gz` or `.zst`; its layout is `Queries.layout`.

    Of the layout `labels` only the queries of `category` are kept (`n`, `f`, `m`, `o`, or `all`);
    the others have no category and are kept whole. `labels` are the codes that a label may be, None
    for any. Raises `InputError` with file and line for a line of another layout, an id that is
    empty, repeated or holds a blank, an unknown label, and bytes that are not UTF-8; without a
    line for a file without queries.
    """
    path = _preset(str(path)) if str(path).startswith(_PRESET) else path
    with open_bytes(path) as stream:
        rows = list(_lines(stream, path))
    return _queries_of(rows, path, category, digest_of(path), labels)


def read_query_texts(path: str | Path, category: str = "all") -> dict[str, str]:
    """The texts of the queries of a file by id; `InputError` where it has ids alone."""
    queries = read_queries(path, category)
    if queries.layout == "ids":
        raise InputError("has ids without texts.", path=path, remedy="Write qid<TAB>text lines.")
    return queries.texts


def _preset(text: str) -> Path:
    name = text.removeprefix(_PRESET)
    if name not in PRESETS:
        raise InputError(
            f"{text}: no such query set.",
            remedy=f"Use {' or '.join(_PRESET + known for known in PRESETS)}, or a file.",
        )
    return PRESETS[name]


def parse_queries(
    text: str, category: str = "n", *, labels: Collection[str] | None = CATEGORIES
) -> Queries:
    """The queries of what somebody has typed or pasted, in one of the layouts of a file.

    As `read_queries`; errors have a line and no path.
    """
    raw = text.encode("utf-8", "surrogatepass")
    rows = list(_lines(io.BytesIO(raw), None))
    return _queries_of(rows, None, category, bytes_digest(raw), labels)


def _queries_of(
    rows: list[tuple[int, str]],
    path: str | Path | None,
    category: str,
    digest: str,
    known: Collection[str] | None,
) -> Queries:
    if category not in (*CATEGORIES, "all"):
        raise InputError(
            f"unknown category {category!r}.", remedy=f"Use {', '.join(CATEGORIES)} or all."
        )
    lines = [(number, line.rstrip("\r\n")) for number, line in rows if line.strip(" \t\r\n")]
    if not lines:
        raise InputError("is empty.", path=path, remedy=_LAYOUTS)
    layout = _layout_of(*lines[0], path, known)
    is_table = lines[0][1] == HEADER
    parts = _cells(rows, path) if is_table else _parts_of(lines, layout, path)
    first_line: dict[str, int] = {}
    texts, labels = {}, {}
    for number, qid, text, label in parts:
        _check_cells(qid, layout, path, number)
        if layout == "labels" and known is not None and label not in known:
            raise _unknown_label(label, known, path, number)
        if qid in first_line:
            raise InputError(
                f"repeats the query {qid!r} of line {first_line[qid]}.", path=path, line=number
            )
        first_line[qid] = number
        if layout != "labels" or category in (label, "all"):
            texts[qid], labels[qid] = text, label
    if not texts:
        raise InputError(f"has no query of category {category!r}.", path=path)
    return Queries(
        path="" if path is None else str(path),
        layout=layout,
        texts=texts,
        labels=labels if layout == "labels" else {},
        lines={qid: first_line[qid] for qid in texts},
        n_other=len(first_line) - len(texts),
        digest=digest,
    )


def _lines(stream: BinaryIO, path: str | Path | None) -> Iterator[tuple[int, str]]:
    """The lines with their line ends and numbers."""
    for number, raw in numbered_lines(stream, path):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise InputError(
                "is not UTF-8.", path=path, line=number, remedy="Save the file as UTF-8."
            ) from None
        if "\0" in line:
            raise InputError("holds a NUL byte.", path=path, line=number, remedy=_LAYOUTS)
        yield number, line


def _layout_of(
    number: int, line: str, path: str | Path | None, known: Collection[str] | None
) -> Layout:
    """The layout that the first line shows."""
    if "\t" in line:
        of_labels = line.count("\t") >= _SEPARATORS_OF_LABELS
        has_label = known is None or _last_cell(line) in known
        return "labels" if of_labels and has_label else "texts"
    if line.count(",") >= _SEPARATORS_OF_LABELS:
        return "labels"
    if "," in line or len(line.split()) > 1:
        raise InputError(
            "fits none of the layouts of a query file.", path=path, line=number, remedy=_LAYOUTS
        )
    return "ids"


def _last_cell(line: str) -> str:
    return line.rpartition("\t")[2].strip(" ")


#: Line, id, text and label.
_Row = tuple[int, str, str, str]


def _parts_of(
    lines: list[tuple[int, str]], layout: Layout, path: str | Path | None
) -> Iterator[_Row]:
    """Each line in its parts."""
    separator = "\t" if "\t" in lines[0][1] else ","
    for number, line in lines:
        qid, text, label = line, "", ""
        if layout != "ids":
            qid, found, text = line.partition(separator)
            if layout == "labels":
                text, found, label = text.rpartition(separator)
            if not found:
                raise _other_layout(path, number)
        yield number, qid.strip(" "), text, label.strip(" ")


def _cells(rows: list[tuple[int, str]], path: str | Path | None) -> Iterator[_Row]:
    """Each record below the header; a quoted text may go over several lines."""
    header = next(place for place, (_, line) in enumerate(rows) if line.strip(" \t\r\n"))
    reader = csv.reader((line for _, line in rows[header + 1 :]), strict=True)
    number = begins = rows[header][0] + 1
    try:
        for cells in reader:
            begins, number = number, rows[header][0] + 1 + reader.line_num
            if not cells:
                continue
            if len(cells) != _SEPARATORS_OF_LABELS + 1:
                raise _other_layout(path, begins)
            yield begins, cells[0], cells[1], cells[2]
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}.", path=path, line=number, remedy=_LAYOUTS) from None


def _other_layout(path: str | Path | None, number: int) -> InputError:
    return InputError(
        "is not of the layout of the first line.", path=path, line=number, remedy=_LAYOUTS
    )


def _check_cells(qid: str, layout: Layout, path: str | Path | None, number: int) -> None:
    if not qid:
        raise InputError("the query id is empty.", path=path, line=number, remedy=_LAYOUTS)
    if any(character.isspace() for character in qid) or (layout == "ids" and "," in qid):
        raise InputError(f"{qid!r} is no query id.", path=path, line=number, remedy=_LAYOUTS)


def _unknown_label(
    label: str, known: Collection[str], path: str | Path | None, number: int
) -> InputError:
    return InputError(
        f"unknown category {label!r}.", path=path, line=number, remedy=f"Use {', '.join(known)}."
    )
