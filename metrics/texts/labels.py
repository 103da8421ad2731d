"""Labels of documents, `docno[,attribute],group[,weight]`: any attribute that documents can have.

In a file with the column `attribute` a weight is a share of the document: those of an attribute add
up to at most 1, and what they leave is unknown. Without the column weights are proportions.
"""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError
from ..extras import need
from ..io import headers
from ..io.csv_tables import parted, records
from ..io.digests import digest_of
from ..io.lines import text_lines
from .document_numbers import DocumentNumbers

HEADERS = (
    ["docno", "group"],
    ["docno", "group", "weight"],
    ["docno", "attribute", "group"],
    ["docno", "attribute", "group", "weight"],
)
_SHAPE = (
    "Write docno,group or docno,group,weight, or under the header docno,attribute,group,weight a "
    "share of each group; one line for each group of a document."
)
_FULL = len(HEADERS[-1])
_TWO = 2
# Shares that add up to 1 in decimal do so in binary but for this.
_ROUNDING = 1e-9
# A name stands in LabelExposure(group=NAME) and in a target NAME:0.5/OTHER:0.5.
_GROUP = re.compile(r"[^\s(),=:/]{1,100}")


def read_labels(path: str | Path) -> DocumentNumbers:
    """The weight of each group (columns, sorted by name) in each document that has a label.

    A line without a weight has the weight 1; a document may have several lines, with several
    groups. A first line that names these columns is a header, and after `docno,attribute,group` or
    with four columns the columns are named `attribute:group`. Raises `InputError` with file and
    line for a line of another shape, a group that cannot be named in a measure, a weight that is no
    number above 0, a group that a document has twice, and shares of an attribute above 1.
    """
    weights: dict[tuple[str, str], float] = {}
    shares: dict[tuple[str, str], float] = {}
    with_attribute: bool | None = None
    for number, row in _rows(path):
        if with_attribute is None:
            header = _header_of(row, path)
            with_attribute = "attribute" in header
            if header:
                continue
        docno, group, weight = _entry(row, path, number, with_attribute=with_attribute)
        if (docno, group) in weights:
            raise InputError(
                f"gives the document {docno!r} the group {group!r} again.", path=path, line=number
            )
        weights[docno, group] = weight
        _add_share(shares, docno, group, weight, path=path, line=number)
    if not weights:
        raise InputError("has no labels.", path=path, remedy=_SHAPE)
    return _numbers(weights, {"file": Path(path).name, "digest": digest_of(path)})


Shares = Mapping[str, float]
Groups = str | Shares | Mapping[str, str | Shares]


def labels_of(groups: Any) -> DocumentNumbers:
    """Read labels from memory: a mapping by docno, pairs, or a frame with a file's columns.

    By docno stand a group, `{group: weight}`, or `{attribute: ...}` of one of these. Raises
    `InputError` for what a file could not hold, and where no document has a label.
    """
    is_series = hasattr(groups, "index") and not hasattr(groups, "columns")
    if isinstance(groups, list | tuple) or is_series:
        groups = _mapping_of(groups)
    rows = _rows_of_mapping(groups) if isinstance(groups, Mapping) else _rows_of_frame(groups)
    weights: dict[tuple[str, str], float] = {}
    shares: dict[tuple[str, str], float] = {}
    for docno, attribute, group, value in rows:
        name = _column(attribute, group, None, None)
        weight = _weight(str(value), None, None)
        if (docno, name) in weights:
            raise InputError(f"gives the document {docno!r} the group {name!r} again.")
        weights[docno, name] = weight
        _add_share(shares, docno, name, weight)
    if not weights:
        raise InputError("no document has a label.", remedy="Give {docno: group}.")
    return _numbers(weights, {"file": ""})


_Row = tuple[str, str, str, float]
_SHAPE_IN_MEMORY = "Give {docno: group}, {docno: {group: weight}}, or a frame with docno and group."


def _mapping_of(pairs: Any) -> dict[Any, Any]:
    """Pairs of docno and group, or a Series, as a mapping."""
    if hasattr(pairs, "items"):
        return dict(pairs.items())
    if not all(isinstance(pair, tuple | list) and len(pair) == _TWO for pair in pairs):
        raise InputTypeError("not docno and group.", remedy=_SHAPE_IN_MEMORY)
    return dict(pairs)


def _rows_of_mapping(groups: Mapping[str, Groups]) -> Iterator[_Row]:
    """Rows (docno, attribute or "", group, weight)."""
    for docno, label in groups.items():
        if isinstance(label, str):
            yield str(docno), "", label, 1.0
            continue
        if not isinstance(label, Mapping):
            raise InputTypeError(
                f"the label of document {docno!r} is {label!r}.", remedy=_SHAPE_IN_MEMORY
            )
        for name, value in label.items():
            if isinstance(value, str):
                yield str(docno), name, value, 1.0
            elif isinstance(value, Mapping):
                yield from ((str(docno), name, group, weight) for group, weight in value.items())
            else:
                yield str(docno), "", name, value


def _rows_of_frame(frame: Any) -> Iterator[_Row]:
    narwhals = need("narwhals")
    try:
        rows = narwhals.from_native(frame, eager_only=True).rows(named=True)
    except TypeError:
        raise InputTypeError(
            f"{type(frame).__name__} gives no labels.",
            remedy="Give a file, {docno: group}, or a data frame with docno and group.",
        ) from None
    for row in rows:
        if not {"docno", "group"} <= set(row):
            raise InputError(
                f"the frame of labels has the columns {', '.join(row)}.",
                remedy="Name them docno, attribute (of several), group, weight.",
            )
        yield str(row["docno"]), str(row.get("attribute", "")), row["group"], row.get("weight", 1.0)


def _add_share(
    shares: dict[tuple[str, str], float],
    docno: str,
    name: str,
    weight: float,
    *,
    path: str | Path | None = None,
    line: int | None = None,
) -> None:
    """Add up the shares of a document under a named attribute: they are of a whole."""
    attribute = name.rpartition(":")[0]
    total = shares.get((docno, attribute), 0.0) + weight
    shares[docno, attribute] = total
    if attribute and total > 1 + _ROUNDING:
        raise InputError(
            f"the shares of {attribute} of the document {docno!r} add up to {total:.6g}.",
            path=path,
            line=line,
            remedy="Give shares that add up to at most 1; the rest counts as unknown.",
        )


def _column(attribute: str, group: object, path: str | Path | None, number: int | None) -> str:
    """The name of the column of a group: `group`, or `attribute:group`."""
    _check_group(str(group), path, number)
    if not attribute:
        return str(group)
    _check_group(attribute, path, number)
    return f"{attribute}:{group}"


def _numbers(
    weights: Mapping[tuple[str, str], float], origin: Mapping[str, object]
) -> DocumentNumbers:
    names = tuple(sorted({group for _, group in weights}))
    row_of = {docno: row for row, docno in enumerate(dict.fromkeys(docno for docno, _ in weights))}
    column_of = {name: column for column, name in enumerate(names)}
    values = np.zeros((len(row_of), len(names)))
    for (docno, group), weight in weights.items():
        values[row_of[docno], column_of[group]] = weight
    return DocumentNumbers(names, values, row_of, origin, len(row_of))


def _rows(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    lines, mark = parted(list(text_lines(path)))
    for _, number, row in records(lines, mark or ",", path, _SHAPE):
        yield number, [cell.strip() for cell in row]


def _header_of(cells: list[str], path: str | Path) -> list[str]:
    """The columns that a first line names, as in `HEADERS`; none where it names none."""
    names = ["group" if name in headers.LABELS else name for name in map(headers.normal, cells)]
    if names[0] not in headers.DOCNOS:
        return []
    names[0] = "docno"
    if names not in HEADERS:
        raise InputError(
            f"names the columns {', '.join(cells)[:80]}.", path=path, line=1, remedy=_SHAPE
        )
    return names


def _entry(
    row: list[str], path: str | Path, number: int, *, with_attribute: bool
) -> tuple[str, str, float]:
    """Docno, column and weight of a line."""
    with_attribute = with_attribute or len(row) == _FULL
    attribute = row.pop(1) if with_attribute and len(row) > len(HEADERS[0]) else ""
    wrong = len(row) not in (2, 3) or (with_attribute and not attribute)
    if wrong or not row[0] or any(c.isspace() or c == "\0" for c in row[0]):
        raise InputError("is not a docno and a group.", path=path, line=number, remedy=_SHAPE)
    weight = _weight(row[2], path, number) if len(row) > len(HEADERS[0]) else 1.0
    return row[0], _column(attribute, row[1], path, number), weight


def _check_group(name: str, path: str | Path | None, number: int | None) -> None:
    if not _GROUP.fullmatch(name) or not name.isprintable():
        raise InputError(
            f"{name[:40]!r} cannot name a group.",
            path=path,
            line=number,
            remedy="Use at most 100 characters without blanks, commas, parentheses, =, : and /.",
        )


def _weight(text: str, path: str | Path | None, number: int | None) -> float:
    try:
        weight = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight > 0):
        raise InputError(
            f"the weight {text[:40]!r} is not a number above 0.",
            path=path,
            line=number,
            remedy="Leave out the line of a group that the document does not have.",
        )
    return weight
