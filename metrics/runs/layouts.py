"""Runs that are not TREC runs, as lines of one: what programs write instead.

- a table whose first line names columns, as PyTerrier and Pandas write it, by tabs or commas;
- `qid pid rank score`, of ColBERT;
- `qid docid rank`, of MS MARCO: the score is the rank, negated;
- `{qid: {docno: score}}` in JSON, of ranx, pytrec_eval and BEIR;
- columns of the same names in Parquet, and in an object on each line.
"""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io import headers
from ..io.lines import MAX_RECORD, open_text, read_text, text_lines
from ..io.parquet_tables import is_parquet
from ..io.storage import exists
from . import records

#: Each line of a run, with its number, as a line of a TREC run.
Lines = Iterator[tuple[int, bytes]]

_LARGEST = 1 << 30  # bytes of a run in JSON
_LOOKED_AT = 20
_MS_MARCO, _COLBERT = 3, 4
_QRELS_SECOND = {"0", "Q0"}
_BEIR_QRELS = ["query_id", "corpus_id", "score"]
#: The columns of a table; it has a score or a rank.
_COLUMNS = (headers.QIDS, headers.DOCNOS, (*headers.SCORES, ""), (*headers.RANKS, ""))
_SHAPE = "Write: qid Q0 docno rank score tag."


def lines_of_layout(path: str | Path) -> Lines | None:
    """The lines of a run of another layout than TREC's; None for one of TREC's, and for none."""
    if str(path) == "-" or not exists(path):
        return None
    if is_parquet(path):
        return _of_records(records.parquet_rows(path, _COLUMNS, "a run"), path)
    with open_text(path) as stream:
        head = [
            line.decode("utf-8", "replace")
            for line in islice(iter(partial(stream.readline, MAX_RECORD), b""), _LOOKED_AT)
        ]
    first = next((line.strip() for line in head if line.strip()), "")
    if records.is_record(first):
        return _of_records(records.json_rows(path, _COLUMNS, "a run"), path)
    if first.startswith("{"):
        return _of_json(path)
    mark = headers.separator_of(first)
    cells = first.split(mark) if mark else first.split()
    if headers.places_of(cells, headers.QIDS, headers.DOCNOS):
        return _of_table(path, cells, mark)
    n_columns = len(first.split())
    return _of_columns(path, n_columns) if n_columns in (_MS_MARCO, _COLBERT) else None


@dataclass
class _Ranks:
    """The ranks of one query, of which there are `count`: they go up from 0 or 1, or are none."""

    line: int
    count: int = 0
    least: int = 1
    total: int = 0

    def add(self, rank: int) -> None:
        self.least = min(self.least, rank) if self.count else rank
        self.count += 1
        self.total += rank

    @property
    def is_counting(self) -> bool:
        last = self.least + self.count - 1
        return self.least in (0, 1) and 2 * self.total == self.count * (self.least + last)


def _of_columns(path: str | Path, n_columns: int) -> Lines:
    """Lines of three or four columns. Judgements look alike, but hold no ranks."""
    ranks: dict[str, _Ranks] = {}
    is_alike = n_columns == _COLBERT
    for number, line in text_lines(path):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != n_columns or not fields[2].isdecimal():
            raise InputError(
                f"is not a line of a run: {len(fields)} columns, the third no rank.",
                path=path,
                line=number,
                remedy=_SHAPE,
            )
        qid, docno, rank, *score = fields
        is_alike = is_alike and docno in _QRELS_SECOND
        ranks.setdefault(qid, _Ranks(number)).add(int(rank))
        yield number, f"{qid} Q0 {docno} {rank} {score[0] if score else f'-{rank}'} run".encode()
    odd = next((of for of in ranks.values() if not of.is_counting), None)
    if odd or is_alike:
        raise InputError(
            f"is not a run of {n_columns} columns: "
            "the third does not count up from 1 in each query.",
            path=path,
            line=odd.line if odd else 1,
            remedy=_SHAPE,
        )


def _of_table(path: str | Path, header: list[str], mark: str | None) -> Lines:
    qid, docno = headers.places_of(header, headers.QIDS, headers.DOCNOS) or (0, 0)
    score, rank = (headers.place_of(header, kind) for kind in (headers.SCORES, headers.RANKS))
    if [headers.normal(cell) for cell in header] == _BEIR_QRELS or (score is None and rank is None):
        raise InputError(
            f"is not a run: its columns are {', '.join(header)}.",
            path=path,
            remedy="Name columns qid, docno and score or rank, or write: qid Q0 docno rank score "
            "tag.",
        )
    records = _cells(path, mark)
    next(records)
    for number, as_written in records:
        if len(as_written) != len(header):
            raise InputError(
                f"expected {len(header)} columns, found {len(as_written)}.", path=path, line=number
            )
        cells = [cell.strip() for cell in as_written]
        place = "1" if rank is None else cells[rank].removesuffix(".0")
        value = f"-{place}" if score is None else cells[score]
        fields = (cells[qid], "Q0", cells[docno], place, value, "run")
        _check_cells(fields, path, number)
        yield number, " ".join(fields).encode()


def _of_records(rows: records.Rows, path: str | Path) -> Lines:
    for number, (qid, docno, score, rank) in rows:
        if not (score or rank):
            raise InputError(
                "has no score and no rank.", path=path, remedy="Name a column score or rank."
            )
        fields = (qid, "Q0", docno, rank or "1", score or f"-{rank}", "run")
        _check_cells(fields, path, number)
        yield number, " ".join(fields).encode()


def _check_cells(fields: Iterable[str], path: str | Path, number: int) -> None:
    for field in fields:
        if field.split() != [field]:
            wrong = f"{field[:40]!r} is neither an id nor a number."
            raise InputError(wrong, path=path, line=number, remedy=_SHAPE)


def _cells(path: str | Path, mark: str | None) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that has some."""
    lines = ((number, line) for number, line in text_lines(path) if line.strip())
    if mark is None:
        yield from ((number, line.split()) for number, line in lines)
        return
    numbers: list[int] = []

    def texts() -> Iterator[str]:
        for number, line in lines:
            numbers.append(number)
            yield line

    try:
        for cells in csv.reader(texts(), delimiter=mark, strict=True):
            yield numbers[-1], cells
    except csv.Error as error:
        raise InputError(f"is not CSV ({error}).", path=path, line=numbers[-1]) from None


def _of_json(path: str | Path) -> Lines:
    for qid, scores in json_of_queries(path).items():
        ranked = sorted(scores.items(), key=lambda pair: -pair[1])
        for rank, (docno, score) in enumerate(ranked, start=1):
            fields = (qid, "Q0", docno, str(rank), repr(score), "run")
            _check_cells(fields, path, 1)
            yield 1, " ".join(fields).encode()


def json_of_queries(path: str | Path) -> dict[str, dict[str, float]]:
    """`{qid: {docno: number}}`, as runs and judgements are written in JSON."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name comes twice in an object")
        return dict(pairs)

    try:
        known = json.loads(read_text(path, _LARGEST), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({str(error)[:80]}).", path=path) from None
    for qid, numbers in known.items():
        is_of_numbers = isinstance(numbers, dict) and all(
            isinstance(number, int | float) and not isinstance(number, bool)
            for number in numbers.values()
        )
        if not is_of_numbers:
            raise InputError(
                f"is not {{qid: {{docno: number}}}}: {str(qid)[:40]!r} holds something else.",
                path=path,
            )
    return dict(known)
