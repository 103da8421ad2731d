"""Rankings and texts of some documents of a collection, to be looked up one query at a time.

Two Parquet files. `rankings`: `qid`, `run`, `rank`, `docno`, `score`, `row`, sorted by query, so
that the statistics of its row groups lead to a query. `texts`: `docno`, `text` in the collection's
order, in small row groups of one size, so that `row` leads to a text; -1 is not text.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..extras import need
from ..io.files import replacing
from ..io.ids import Lookup
from ..io.missing import no_such_file
from ..io.strings import strings
from . import Run

_TEXTS_AT_ONCE = 64
_RANKS_AT_ONCE = 2_048


@dataclass(frozen=True)
class StoredRanking:
    """The first documents of one query in one run, best first, and the texts that are known."""

    run: str
    docnos: tuple[str, ...]
    scores: tuple[float, ...]
    texts: dict[str, str]

    def as_run(self, qid: str) -> Run:
        """The ranking as a run of this one query."""
        n = len(self.docnos)
        return Run(
            name=self.run,
            qids=(qid,),
            offsets=np.array([0, n]),
            docnos=strings(self.docnos),
            scores=np.array(self.scores, dtype=np.float64),
            ranks=np.arange(1, n + 1),
            lines=np.zeros(n, dtype=np.int64),
        )


def write_texts(
    passages: Iterable[tuple[str, str]],
    docnos: set[str],
    path: str | Path,
    on_passage: Callable[[], object] = lambda: None,
) -> dict[str, int]:
    """Write the texts of `docnos` while the collection streams by; the row of each docno found.

    At no time are more than a few texts in memory. The collection may write docnos 1.0 for 1.
    """
    lookup = Lookup(docnos)
    rows: dict[str, int] = {}
    kept: list[tuple[str, str]] = []
    with replacing(path) as temporary, _text_writer(temporary) as writer:
        for docno, text in passages:
            on_passage()
            if lookup.wants(docno):
                rows[docno] = len(rows)
                kept.append((docno, text))
            if len(kept) == _TEXTS_AT_ONCE:
                writer.write_table(_texts(kept))
                kept.clear()
        if kept:
            writer.write_table(_texts(kept))
    names, _ = lookup.matched(rows, "", "")
    return {docno: rows[name] for docno, name in names.items()}


def _schema() -> Any:
    pa = need("pyarrow")
    return pa.schema([("docno", pa.string()), ("text", pa.string())])


def _text_writer(path: str | Path) -> Any:
    return need("pyarrow.parquet").ParquetWriter(path, _schema())


def _texts(kept: Sequence[tuple[str, str]]) -> Any:
    pa = need("pyarrow")
    columns = zip(*kept, strict=True)
    return pa.table([pa.array(column, type=pa.string()) for column in columns], schema=_schema())


def write_rankings(runs: Sequence[Run], depth: int, rows: dict[str, int], path: str | Path) -> None:
    """Write the first `depth` documents of every query; `rows` is what `write_texts` gives."""
    tables = [_ranking_table(run, depth, rows) for run in runs]
    order = [("qid", "ascending"), ("run", "ascending"), ("rank", "ascending")]
    table = need("pyarrow").concat_tables(tables).sort_by(order)
    with replacing(path) as temporary:
        need("pyarrow.parquet").write_table(table, temporary, row_group_size=_RANKS_AT_ONCE)


def _ranking_table(run: Run, depth: int, rows: dict[str, int]) -> Any:
    pa = need("pyarrow")
    lengths = np.diff(run.offsets)
    rank = np.arange(len(run.scores)) - np.repeat(run.offsets[:-1], lengths) + 1
    keep = np.flatnonzero(rank <= depth)
    docnos = run.docnos.take(keep).tolist()
    query = np.repeat(np.arange(len(run)), lengths)[keep]
    return pa.table(
        {
            "qid": pa.array(run.qids, type=pa.string()).take(pa.array(query)),
            "run": pa.repeat(pa.scalar(run.name), len(keep)),
            "rank": pa.array(rank[keep], type=pa.int32()),
            "docno": pa.array(docnos, type=pa.string()),
            "score": pa.array(run.scores[keep], type=pa.float64()),
            "row": pa.array([rows.get(docno, -1) for docno in docnos], type=pa.int64()),
        }
    )


def read_rankings(rankings: str | Path, texts: str | Path, qid: str) -> list[StoredRanking]:
    """The rankings of one query in every run that has it, with their texts; only these are read."""
    lines = _lines_of(rankings, qid)
    known = _texts_at(texts, sorted({line["row"] for line in lines if line["row"] >= 0}))
    rankings_read = []
    for run, group in groupby(lines, key=itemgetter("run")):
        some = list(group)
        rankings_read.append(
            StoredRanking(
                run,
                tuple(line["docno"] for line in some),
                tuple(line["score"] for line in some),
                {line["docno"]: known[line["row"]] for line in some if line["row"] >= 0},
            )
        )
    return rankings_read


def _lines_of(rankings: str | Path, qid: str) -> list[dict[str, Any]]:
    """The rows of one query, which are together.

    Arrow's own filters load Pandas, whose 30 MB would stay in a web process.
    """
    with _plain_errors(rankings), need("pyarrow.parquet").ParquetFile(rankings) as file:
        groups = [
            group
            for group in range(file.num_row_groups)
            if _may_have(file.metadata.row_group(group).column(0).statistics, qid)
        ]
        table = file.read_row_groups(groups)
    qids = table.column("qid").to_pylist()
    if qid not in qids:
        return []
    first = qids.index(qid)
    rows: list[dict[str, Any]] = table.slice(first, qids.count(qid)).to_pylist()
    return rows


def _may_have(statistics: Any, qid: str) -> bool:
    """Return whether a column with these statistics may have the value."""
    if statistics is None or not statistics.has_min_max:
        return True
    return bool(statistics.min <= qid <= statistics.max)


def _texts_at(path: str | Path, rows: Sequence[int]) -> dict[int, str]:
    groups = sorted({row // _TEXTS_AT_ONCE for row in rows})
    if not groups:
        return {}
    with _plain_errors(path), need("pyarrow.parquet").ParquetFile(path) as file:
        column = file.read_row_groups(groups, columns=["text"]).column(0)
    starts = {group: place * _TEXTS_AT_ONCE for place, group in enumerate(groups)}
    return {
        row: column[starts[row // _TEXTS_AT_ONCE] + row % _TEXTS_AT_ONCE].as_py() for row in rows
    }


@contextlib.contextmanager
def _plain_errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise no_such_file(path) from None
    except (need("pyarrow").ArrowException, OSError) as error:
        raise InputError(f"is damaged ({error}).", path=path) from error
