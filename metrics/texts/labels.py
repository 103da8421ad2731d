"""Labels of documents, `docno,group[,weight]`: any attribute that documents can have."""

import csv
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..io.digests import bytes_digest
from ..io.files import open_bytes
from .document_numbers import DocumentNumbers

HEADERS = (["docno", "group"], ["docno", "group", "weight"])
_SHAPE = "Write docno,group or docno,group,weight, one line for each group of a document."
# A name stands in LabelExposure(group=NAME) and in a target NAME:0.5/OTHER:0.5.
_GROUP = re.compile(r"[^\s(),=:/]{1,100}")


def read_labels(path: str | Path) -> DocumentNumbers:
    """The weight of each group (columns, sorted by name) in each document that has a label.

    A line without a weight has the weight 1; a document may have several lines, with several
    groups. A first line `docno,group[,weight]` is a header. Raises `InputError` with file and line
    for a line of another shape, a group that cannot be named in a measure, a weight that is no
    number above 0, and a group that a document has twice.
    """
    with open_bytes(path) as stream:
        data = stream.read()
    weights: dict[tuple[str, str], float] = {}
    for number, row in _rows(data, path):
        docno, group, weight = _entry(row, path, number)
        if (docno, group) in weights:
            raise InputError(
                f"gives the document {docno!r} the group {group!r} again.", path=path, line=number
            )
        weights[docno, group] = weight
    if not weights:
        raise InputError("has no labels.", path=path, remedy=_SHAPE)
    return _numbers(weights, {"file": Path(path).name, "digest": bytes_digest(data)})


def labels_of(groups: Mapping[str, str | Mapping[str, float]]) -> DocumentNumbers:
    """The same from memory: `{docno: group}`, or `{docno: {group: weight}}`.

    Raises `InputError` for what a file could not hold, and where no document has a label.
    """
    weights: dict[tuple[str, str], float] = {}
    for docno, shares in groups.items():
        for group, weight in ({shares: 1.0} if isinstance(shares, str) else shares).items():
            _check_group(group, None, None)
            weights[docno, group] = _weight(str(weight), None, None)
    if not weights:
        raise InputError("no document has a label.", remedy="Give {docno: group}.")
    return _numbers(weights, {"file": ""})


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


def _rows(data: bytes, path: str | Path) -> Iterator[tuple[int, list[str]]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8.", path=path, line=line, remedy=_SHAPE) from None
    reader = csv.reader(text.split("\n"), strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells) and not (reader.line_num == 1 and cells in HEADERS):
                yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(
            f"is no CSV ({error}).", path=path, line=reader.line_num, remedy=_SHAPE
        ) from None


def _entry(row: list[str], path: str | Path, number: int) -> tuple[str, str, float]:
    if len(row) not in (2, 3) or not row[0] or any(c.isspace() or c == "\0" for c in row[0]):
        raise InputError("is not a docno and a group.", path=path, line=number, remedy=_SHAPE)
    _check_group(row[1], path, number)
    return row[0], row[1], _weight(row[2], path, number) if len(row) > len(HEADERS[0]) else 1.0


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
            f"the weight {text[:40]!r} is no number above 0.",
            path=path,
            line=number,
            remedy="Leave out the line of a group that the document does not have.",
        )
    return weight
