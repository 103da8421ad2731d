"""Known labels of pairs of query and passage, in the layouts that people have them in."""

import csv
from collections.abc import Callable, Sequence

from metrics.errors import InputError
from metrics.io.lines import typed_lines
from metrics.io.pair_ids import pair_id, split_pair_id
from metrics.runs.queries import Queries

GOLD_PAIRS = (
    "qid, a blank, docno, a tab, the label; lines of a qrels file; or a table with the columns "
    "qid, docno and label"
)
_COLUMNS = ["qid", "docno", "label"]
_N_OF_QRELS = 4


def gold_pairs(text: str, path: str = "") -> Queries | None:
    """The labels by the ids of the pairs, as `with_gold` takes them; None where no pair is named.

    The first line tells the layout.
    """
    typed = typed_lines(text, path=path or None)
    lines = [(number, line.rstrip("\r\n")) for number, line in typed if line.strip()]
    cells_of = _layout_of(lines[0][1]) if lines else None
    if cells_of is None:
        return None
    labels: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for number, line in lines:
        cells = [cell.strip() for cell in cells_of(line)]
        if cells == _COLUMNS and not numbers:
            continue
        if len(cells) != len(_COLUMNS) or not all(cells):
            wrong, remedy = "names no query, passage and label.", f"Write {GOLD_PAIRS}."
            raise InputError(wrong, path=path or None, line=number, remedy=remedy)
        qid, docno, label = cells
        pair = pair_id(qid, docno)
        if pair in labels:
            wrong = f"repeats the pair {pair!r} of line {numbers[pair]}."
            raise InputError(wrong, path=path or None, line=number)
        labels[pair], numbers[pair] = label, number
    if not labels:
        raise InputError("has a header, and no pair below it.", path=path or None)
    return Queries(path, "texts", texts=labels, lines=numbers)


def _layout_of(line: str) -> Callable[[str], Sequence[str]] | None:
    for cells_of in (_by_commas, _by_tabs):
        if [cell.strip() for cell in cells_of(line)] == _COLUMNS:
            return cells_of
    qrels, named = line.split(), line.split("\t")
    if len(qrels) == _N_OF_QRELS and qrels[1] in ("0", "Q0") and qrels[-1].isdecimal():
        return _of_qrels
    return _by_id if len(named[0].split()) == 2 and len(named) == 2 else None  # noqa: PLR2004


def _by_commas(line: str) -> Sequence[str]:
    return next(csv.reader([line]), [])


def _by_tabs(line: str) -> Sequence[str]:
    return line.split("\t")


def _of_qrels(line: str) -> Sequence[str]:
    cells = line.split()
    return (cells[0], *cells[2:]) if len(cells) == _N_OF_QRELS else ()


def _by_id(line: str) -> Sequence[str]:
    pair, _, label = line.partition("\t")
    return (*split_pair_id(pair.strip()), label)
