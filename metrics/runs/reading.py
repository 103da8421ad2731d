"""From a file to a `Run`."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError
from ..io.digests import digest_of
from ..io.files import checked_path
from ..io.ids import met, renamed_text, some
from ..io.lines import numbered_lines, open_text
from ..io.packing import packing_at
from ..io.run_names import run_name
from ..io.strings import strings
from ..kernels import AVAILABLE, worth_loading
from ..public import public
from ..vocabulary import Order
from . import definition, layouts
from .anomalies import RunAnomalies
from .columns import is_frame
from .run import Notice, Run
from .sorting import check_rules
from .splitting import read_by_columns
from .values import id_texts

# Bytes that take longer to read line by line than it takes to load the compiled kernels.
_LARGE, _LARGE_COMPRESSED = 32 << 20, 8 << 20
# How many times as large pays for compiling them in two calls, as they are kept for the second
# (`python -m measurements.bench --only in_memory`).
_TIMES = 3


@public
def read_run(
    path: str | Path,
    name: str | None = None,
    order: Order = "default",
    queries: Collection[str] | None = None,
    depth: int | None = None,
    *,
    ties: bool = False,
) -> Run:
    """Read a TREC run, `qid Q0 docno rank score tag`, packed or plain, into ranked order.

    Runs of other layouts are read as well, see `fairpool.runs.layouts`.

    Columns are separated by blanks or tabs, ranks start at 0 or 1, and the lines of a query need
    not be together. `name` defaults to the file's name without endings such as `.run` and `.gz`.
    `order` is one of `ORDERS`, see `fairpool.runs.definition`. With `queries` only those are read:
    any other line is ignored before any check. With `depth` only that many documents of each query
    are kept; with `ties` also those whose score, in the single precision of trec_eval, is that of
    the last.

    Raises `InputError` with file and line for what cannot be read; oddities that have a rule (a
    rank column that contradicts the scores, a repeated document, a gap in the ranks) are in
    `Run.notices`.
    """
    if isinstance(path, Mapping) or is_frame(path):
        raise InputTypeError(
            f"the run is {type(path).__name__}.",
            remedy="Use Run.from_dict(run) of a dictionary, Run.from_frame(frame) of a data frame.",
        )
    if isinstance(queries, str):
        raise InputTypeError(f"the queries are {queries!r}.", remedy=f"Give ids: [{queries!r}].")
    if queries is not None:
        queries = set(id_texts(list(queries), "query"))
    large = _is_large(checked_path(path, "the run"))
    return _read(path, name, order, queries, depth, ties=ties, large=large)


def _read(
    path: str | Path,
    name: str | None,
    order: Order,
    queries: Collection[str] | None,
    depth: int | None,
    *,
    ties: bool,
    large: bool,
) -> Run:
    check_rules(order, depth)
    read = partial(_read_any, path, order=order, depth=depth, ties=ties, large=large)
    try:
        run = read(queries=queries)
    except definition.NoQueryError as error:
        names = _written_there(path, queries or (), error)
        run = read(queries=names)
        qids = tuple(names[qid] for qid in run.qids)
        run = replace(run, qids=qids, notices=(*run.notices, _renamed(run, names)))
    return replace(run, name=name or run_name(path))


def _read_any(path: str | Path, *, large: bool, **how: Any) -> Run:
    run = None
    if layouts.lines_of_layout(path) is None:
        run = (_read_fast if large else read_by_columns)(path, **how)
    return read_by_definition(path, **how) if run is None else run


def _written_there(
    path: str | Path, queries: Collection[str], error: definition.NoQueryError
) -> dict[str, str]:
    """The queries as the run writes them, with ours, where ids differ in `.0` alone.

    Else the error, with ids of both sides.
    """
    if str(path) == "-":
        raise error
    ids: dict[str, None] = {}
    for _, raw in _numbered(path):
        if fields := definition.fields_of(raw.removeprefix(definition.BYTE_ORDER_MARK)):
            ids[fields[0].decode("utf-8", "replace")] = None
    names = met(ids, queries)
    if names is None:
        raise InputError(
            f"{error.message.rstrip('.')}: it has {some(ids)}; the queries are {some(queries)}.",
            path=path,
            remedy=error.remedy,
        ) from None
    asked_for = frozenset(queries)
    return {there: ours for there, ours in names.items() if ours in asked_for}


def _renamed(run: Run, names: Mapping[str, str]) -> Notice:
    text = renamed_text("the queries of this run", names, names)
    return Notice("ids", text, len(names), run.path, (int(run.lines.min()),))


def read_runs(
    paths: Mapping[str, str | Path],
    order: Order = "default",
    queries: Collection[str] | None = None,
    depth: int | None = None,
    on_run: Callable[[], object] = lambda: None,
    *,
    ties: bool = False,
) -> list[Run]:
    """The runs of `paths` (name to file), several at a time; otherwise as `read_run`.

    `on_run` is called after each. Of several bad runs the first is reported.
    """
    return read_files(list(paths.items()), order, queries, depth, on_run, ties=ties)


def read_files(
    files: Sequence[tuple[str, str | Path]],
    order: Order = "default",
    queries: Collection[str] | None = None,
    depth: int | None = None,
    on_run: Callable[[], object] = lambda: None,
    *,
    ties: bool = False,
) -> list[Run]:
    """The runs of files with their names, of which some may be the same; as `read_runs`."""
    # Many small runs are worth the time to load the kernels as one large run is.
    paths = [path for _name, path in files]
    large = AVAILABLE and (
        any(map(_is_large, map(Path, paths)))
        or _total_size(paths) > worth_loading(_LARGE, "runs", _TIMES)
    )
    # Twice as many as there are cores, so that no core is without work while the last one is read.
    # Without kernels each holds the interpreter's lock: one at a time takes less.
    workers = min(len(files), 2 * (os.cpu_count() or 1)) if large else 1
    with ThreadPoolExecutor(max_workers=workers or 1) as pool:
        waiting = [
            pool.submit(_read, path, name, order, queries, depth, ties=ties, large=large)
            for name, path in files
        ]
        runs = []
        try:
            for run in waiting:
                runs.append(run.result())
                on_run()
        finally:
            for run in waiting:
                run.cancel()
    return runs


def _total_size(paths: Iterable[str | Path]) -> int:
    return sum(path.stat().st_size for path in map(Path, paths) if path.is_file())


def _is_large(path: Path) -> bool:
    """Return whether reading it line by line takes longer than loading the compiled kernels."""
    try:
        size = path.stat().st_size
    except OSError:
        return False
    least = _LARGE_COMPRESSED if packing_at(path) else _LARGE
    return AVAILABLE and size > worth_loading(least, "runs", _TIMES)


def _read_fast(
    path: str | Path,
    *,
    order: Order,
    queries: Collection[str] | None,
    depth: int | None,
    ties: bool,
) -> Run:
    # Imported here because loading Numba takes longer than reading a small run.
    from .fast import FastReader  # noqa: PLC0415

    return FastReader(path, order=order, queries=queries, depth=depth, ties=ties).read()


def _numbered(path: str | Path) -> layouts.Lines:
    if (lines := layouts.lines_of_layout(path)) is not None:
        yield from lines
        return
    with open_text(path) as stream:
        yield from numbered_lines(stream, path)


def read_by_definition(
    path: str | Path,
    *,
    order: Order,
    queries: Collection[str] | None,
    depth: int | None,
    ties: bool = False,
) -> Run:
    """Read the run as `metrics.runs.definition` does: readable, slow, and the reference."""
    lines_of = definition.read_lines(_numbered(path), path, queries)
    odd, ranked, offsets = RunAnomalies(), [], [0]
    qids = sorted(lines_of)
    for qid in qids:
        lines = lines_of[qid]
        odd.conflicts += filter(None, [definition.conflict(lines)])
        odd.gaps += filter(None, [definition.gap(lines)])
        kept, duplicates = definition.without_duplicates(definition.ranking(lines, order))
        odd.duplicates += (line.line for line in duplicates)
        ranked += definition.first(kept, depth, ties=ties and order != "rank")
        offsets.append(len(ranked))
    return Run(
        name="",
        qids=tuple(qids),
        offsets=np.array(offsets, dtype=np.int64),
        docnos=strings(line.docno for line in ranked),
        scores=np.array([line.score for line in ranked], dtype=np.float64),
        ranks=np.array([line.rank for line in ranked], dtype=np.int64),
        lines=np.array([line.line for line in ranked], dtype=np.int64),
        order=order,
        path=str(path),
        digest=digest_of(path),
        notices=odd.notices(str(path), order),
    )
