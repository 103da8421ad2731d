r"""Query files in three layouts, told apart by their first line; or tables, `query_tables`.

- `ids`: one query id per line;
- `texts`: `qid<TAB>text`;
- `labels`: `qid,text,label` as in the released data set: no header, no quoting, so the text lies
  between the first and the last comma.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Hinted, InputError
from ..io.csv_tables import unquoted
from ..io.digests import bytes_digest, digest_of
from ..io.files import checked_path
from ..io.lines import MAX_RECORD, line_too_long, text_lines, typed_lines
from ..io.parquet_tables import is_parquet
from ..public import public
from ..vocabulary import CATEGORIES
from .query_tables import LAYOUTS as _LAYOUTS
from .query_tables import (
    Layout,
    Row,
    json_queries,
    other_layout,
    parquet_lines,
    table_of_queries,
)

_PRESET = "preset:"
_DATA = Path(__file__).resolve().parents[1] / "data" / "queries"

#: Query sets that come with the package, named `preset:NAME` where a file is asked for.
PRESETS = {name: _DATA / f"{name}.tsv" for name in ("nongendered-1765", "fair-215")}

_SEPARATORS_OF_LABELS = 2
_LONGEST = 1 << 24  # bytes of a line: JSON may have all queries on one


@dataclass(frozen=True)
class Queries(Hinted):
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

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __getitem__(self, qid: str) -> str:
        return self.texts[qid]

    def keys(self) -> tuple[str, ...]:
        return self.ids


@public
def read_queries(
    path: str | Path, category: str = "n", *, labels: Collection[str] | None = CATEGORIES
) -> Queries:
    """Read a query file, packed or plain; its layout is `Queries.layout`.

    Of the layout `labels` only the queries of `category` are kept (`n`, `f`, `m`, `o`, or `all`);
    the others have no category and are kept whole. `labels` are the codes that a label may be, None
    for any. Raises `InputError` with file and line for a line of another layout, an id that is
    empty, repeated or holds a blank, an unknown label, and bytes that are not UTF-8; without a
    line for a file without queries.
    """
    checked_path(path, "the query file")
    path = _preset(str(path)) if _is_preset(path) else path
    rows = parquet_lines(path) if is_parquet(path) else list(text_lines(path, _LONGEST))
    return _queries_of(rows, path, category, digest_of(path), labels)


def read_query_texts(path: str | Path, category: str = "all") -> dict[str, str]:
    """The texts of the queries of a file by id; `InputError` where it has ids alone."""
    queries = read_queries(path, category)
    if queries.layout == "ids":
        raise InputError("has ids without texts.", path=path, remedy="Write qid<TAB>text lines.")
    return queries.texts


def _is_preset(path: str | Path) -> bool:
    return str(path).startswith(_PRESET) and not Path(path).exists()


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
    rows = list(typed_lines(text, _LONGEST))
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
    layout, parts = _read(rows, path, known)
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
    if not first_line:
        raise InputError("has a header, and no query below it.", path=path)
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


def _read(
    rows: list[tuple[int, str]], path: str | Path | None, known: Collection[str] | None
) -> tuple[Layout, Iterator[Row]]:
    """The layout, and the parts of each query."""
    lines = [(number, line.rstrip("\r\n")) for number, line in rows if line.strip(" \t\r\n")]
    if not lines:
        raise InputError("is empty.", path=path, remedy=_LAYOUTS)
    if lines[0][1].lstrip().startswith(("{", "[")):
        return json_queries(rows, path)
    for number, line in lines:
        if len(line) > MAX_RECORD:
            raise line_too_long(path, number, MAX_RECORD)
    if table := table_of_queries(rows, path):
        return table
    layout = _layout_of(*lines[0], path, known)
    return layout, _parts_of(lines, layout, path)


def _layout_of(
    number: int, line: str, path: str | Path | None, known: Collection[str] | None
) -> Layout:
    """The layout that the first line shows."""
    if "\t" in line:
        if line.count("\t") < _SEPARATORS_OF_LABELS:
            return "texts"
        if known is not None and _last_cell(line) not in known:
            raise _unknown_column(line, path, number)
        return "labels"
    if line.count(",") >= _SEPARATORS_OF_LABELS:
        return "labels"
    if "," in line or len(line.split()) > 1:
        raise InputError(
            "fits none of the layouts of a query file.", path=path, line=number, remedy=_LAYOUTS
        )
    return "ids"


def _unknown_column(line: str, path: str | Path | None, number: int) -> InputError:
    """Return the error for a column that may be a label, which must not be shown to people."""
    n_columns = line.count("\t") + 1
    return InputError(
        f"has {n_columns} columns, of which the last is not a label that is known here.",
        path=path,
        line=number,
        remedy="Write qid<TAB>text, or name the columns in a first line: qid, query and others.",
    )


def _last_cell(line: str) -> str:
    return line.rpartition("\t")[2].strip(" ")


def _parts_of(
    lines: list[tuple[int, str]], layout: Layout, path: str | Path | None
) -> Iterator[Row]:
    """Each line in its parts."""
    separator = "\t" if "\t" in lines[0][1] else ","
    always = separator == "\t" and all(cell[:1] == '"' for cell in lines[0][1].split("\t"))
    for number, line in lines:
        qid, text, label = line, "", ""
        if layout != "ids":
            qid, mark, text = line.partition(separator)
            if layout == "texts" and "\t" in text:
                raise _unknown_column(line, path, number)
            if layout == "labels":
                text, mark, label = text.rpartition(separator)
            if not mark:
                raise other_layout(path, number)
        qid, text, label = (
            unquoted(cell, separator, always=always) if layout != "ids" else cell
            for cell in (qid.strip(" "), text, label.strip(" "))
        )
        yield number, qid, text, label


def _check_cells(qid: str, layout: Layout, path: str | Path | None, number: int) -> None:
    if not qid:
        raise InputError("the query id is empty.", path=path, line=number, remedy=_LAYOUTS)
    if any(character.isspace() for character in qid) or (layout == "ids" and "," in qid):
        raise InputError(f"{qid!r} is not a query id.", path=path, line=number, remedy=_LAYOUTS)


def _unknown_label(
    label: str, known: Collection[str], path: str | Path | None, number: int
) -> InputError:
    return InputError(
        f"unknown category {label!r}.", path=path, line=number, remedy=f"Use {', '.join(known)}."
    )
