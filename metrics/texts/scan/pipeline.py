"""Blocks through the scan: read here, scored on all cores, handed on in their order."""

import gc
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ...extras import need
from ...kernels import AVAILABLE
from ...vocabulary import Format, Tokenizer
from ..collection import detect_format
from ..lexicon import Lexicon
from .reading import Reader, Workspace
from .scored import ScoreBlock, Scored, by_definition, repairing
from .selection import Selection, score_selected, score_selected_lines

_UNDER_WAY = 64  # blocks of a megabyte: as much may be read while the kernels are loading


def scan(
    reader: Reader,
    path: str | Path,
    *,
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    format_: Format,
    repair_encoding: bool = False,
    threads: int,
    hand_on: Callable[[Scored], object],
    selection: Selection | None = None,
) -> None:
    """Score the lines that `reader` gives; `hand_on` gets each block, in their order.

    Of a `selection` only those documents are scored.

    `hand_on` runs on a thread of its own, one call at a time. Memory is bounded by the number of
    blocks under way. A small collection is scored by the definition. With
    `repair_encoding` texts are repaired first, as by `repair_line`.
    """
    first = Workspace()
    if not reader.fill(first):
        return
    start = first.buffer[: first.size].tobytes()[:1]
    kind = detect_format(path, format_, start) if first.rows is None else "parquet"
    under_way = _UnderWay()
    with ThreadPoolExecutor(threads) as scanners, ThreadPoolExecutor(1) as last:
        try:
            by_hand = reader.is_small or not AVAILABLE
            scorer = scanners.submit(
                _scorer,
                lexicon,
                tokenizer,
                kind,
                small=by_hand,
                repair_encoding=repair_encoding,
                selection=selection,
            )
            workspace, filled = first, True
            while filled:
                scored = scanners.submit(_score, scorer, workspace)
                under_way.add(last.submit(_hand_on, scored, hand_on), workspace)
                workspace = under_way.next_workspace()
                filled = reader.fill(workspace)
            under_way.wait_for_all()
        except BaseException:
            scanners.shutdown(wait=False, cancel_futures=True)
            last.shutdown(wait=False, cancel_futures=True)
            raise


class _UnderWay:
    """The blocks between reading and writing, in their order, and memory for the next ones."""

    def __init__(self) -> None:
        self._blocks: deque[tuple[Future[object], Workspace]] = deque()
        self._free: list[Workspace] = []

    def add(self, done: Future[object], workspace: Workspace) -> None:
        self._blocks.append((done, workspace))

    def next_workspace(self) -> Workspace:
        """Memory for one more block; waits where too many are under way.

        Raises what went wrong with those that are done.
        """
        while self._blocks and (self._blocks[0][0].done() or len(self._blocks) >= _UNDER_WAY):
            self._wait()
        # What was used last may still lie in the processor's cache.
        return self._free.pop() if self._free else Workspace()

    def wait_for_all(self) -> None:
        while self._blocks:
            self._wait()

    def _wait(self) -> None:
        done, workspace = self._blocks.popleft()
        done.result()
        self._free.append(workspace)


def _score(scorer: Future[ScoreBlock], workspace: Workspace) -> Scored:
    return scorer.result()(workspace)


def _scorer(
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    format_: str,
    *,
    small: bool,
    repair_encoding: bool,
    selection: Selection | None,
) -> ScoreBlock:
    kernels = None if small else _kernels()
    if format_ == "parquet":
        score_rows: ScoreBlock = need(".rows", __package__).row_scorer(
            lexicon,
            tokenizer,
            with_kernels=kernels is not None,
            repair_encoding=repair_encoding,
            selection=selection,
        )
        return score_rows
    make = by_definition if kernels is None else kernels.with_kernels
    score = make(lexicon, tokenizer, format_)
    if repair_encoding:
        score = repairing(score, format_)
    if selection is None:
        return score
    select = score_selected if small or format_ != "tsv" else score_selected_lines
    return select(score, selection)


def _kernels() -> ModuleType:
    # Imported only now: Numba takes half a second to load, of which looking for garbage would take
    # a quarter more.
    collects = gc.isenabled()
    gc.disable()
    try:
        return import_module(".fast", __package__)
    finally:
        if collects:
            gc.enable()


def _hand_on(scored: Future[Scored], hand_on: Callable[[Scored], object]) -> object:
    return hand_on(scored.result())
