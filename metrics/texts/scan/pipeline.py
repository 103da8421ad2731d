"""Blocks through the scan: read here, scored on all cores, handed on in their order."""

import gc
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ...errors import InputError
from ...extras import need
from ...io.headers import HEAD
from ...kernels import AVAILABLE, are_worth_loading
from ...vocabulary import Format, Tokenizer
from ..collection import detect_format, header_size
from ..lexicon import Lexicon
from . import reading
from .reading import Reader, Workspace
from .scored import ScoreBlock, Scored, by_definition, repairing
from .selection import Selection, score_selected, score_selected_lines

_UNDER_WAY = 64  # blocks of a megabyte: as much may be read while the kernels are loading


class Source(NamedTuple):
    """A file to scan, or a part of one.

    `on_begin` and `on_end` are called where `hand_on` is: before its first block, behind its last.
    `on_header` is called there where the first line names columns, and is not a passage; without it
    the lines are not a beginning of a file.
    """

    path: str | Path
    opened: Callable[[], AbstractContextManager[Reader]]
    on_begin: Callable[[], object]
    on_end: Callable[[], object]
    on_header: Callable[[], object] | None = None


def scan(
    sources: Iterable[Source],
    *,
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    format_: Format,
    repair_encoding: bool = False,
    threads: int,
    hand_on: Callable[[Scored], object],
    selection: Selection | None = None,
) -> None:
    """Score the lines of the sources; `hand_on` gets each block, in their order.

    Of a `selection` only those documents are scored. `hand_on` runs on a thread of its own, one
    call at a time. Memory is bounded by the number of blocks under way, and no file waits for the
    end of the one before. With `repair_encoding` texts are repaired first, as by `repair_line`.

    What the process has seen and has still to see, as `kernels.expect` was told, decides whether
    the kernels are loaded. Of several errors the first is raised, in the order of the lines.
    """
    with ThreadPoolExecutor(threads) as scanners, ThreadPoolExecutor(1) as last:
        under_way = _UnderWay(last, hand_on)
        scorers = _Scorers(
            scanners,
            lexicon=lexicon,
            tokenizer=tokenizer,
            repair_encoding=repair_encoding,
            selection=selection,
        )
        try:
            for source in sources:
                under_way.tell(source.on_begin)
                _scan_source(source, format_, scorers, under_way)
                under_way.tell(source.on_end)
            under_way.wait_for_all()
        except BaseException as error:
            if isinstance(error, InputError):
                # Of a file that cannot be read: a line before may be bad as well.
                under_way.wait_for_all()
            scanners.shutdown(wait=False, cancel_futures=True)
            last.shutdown(wait=False, cancel_futures=True)
            raise


def _scan_source(
    source: Source,
    format_: Format,
    scorers: "_Scorers",
    under_way: "_UnderWay",
) -> None:
    with source.opened() as reader:
        workspace = under_way.next_workspace()
        if not reader.fill(workspace):
            return
        kind = "parquet"
        if workspace.rows is None:
            start = workspace.buffer[: min(workspace.size, HEAD)].tobytes()
            kind = detect_format(source.path, format_, start[:1])
            if source.on_header is not None and (size := header_size(start, source.path, kind)):
                workspace.buffer, workspace.size = workspace.buffer[size:], workspace.size - size
                under_way.tell(source.on_header)
        scorer = scorers.of(kind, is_long=reader.is_long)
        filled = True
        while filled:
            scored = scorers.pool.submit(_score, scorer, workspace)
            under_way.hand_on(scored, workspace)
            workspace = under_way.next_workspace()
            filled = reader.fill(workspace)


class _UnderWay:
    """The blocks between reading and writing, in their order, and memory for the next ones."""

    def __init__(self, last: ThreadPoolExecutor, hand_on: Callable[[Scored], object]) -> None:
        self._last, self._take = last, hand_on
        self._blocks: deque[tuple[Future[None], Workspace | None]] = deque()
        self._events: list[Callable[[], object]] = []  # behind the last block
        self._free: list[Workspace] = []

    def hand_on(self, scored: Future[Scored], workspace: Workspace) -> None:
        """Hand a block on when it is scored; its workspace is free then."""
        self.tell(lambda: self._take(scored.result()))
        self._submit(workspace)

    def tell(self, event: Callable[[], object]) -> None:
        """Call this between the blocks before it and those behind it."""
        # With the next block: small files are many, and each call of a thread costs as they do.
        self._events.append(event)

    def _submit(self, workspace: Workspace | None) -> None:
        events, self._events = self._events, []
        self._blocks.append((self._last.submit(_call_all, events), workspace))

    def next_workspace(self) -> Workspace:
        """Memory for one more block; waits where too many are under way.

        Raises what went wrong with those that are done.
        """
        while self._blocks and (self._blocks[0][0].done() or len(self._blocks) >= _UNDER_WAY):
            self._wait()
        # What was used last may still lie in the processor's cache.
        workspace = self._free.pop() if self._free else Workspace()
        workspace.size, workspace.rows = 0, None
        return workspace

    def wait_for_all(self) -> None:
        self._submit(None)
        while self._blocks:
            self._wait()

    def _wait(self) -> None:
        done, workspace = self._blocks.popleft()
        try:
            done.result()
        except BaseException:
            for later, _ in self._blocks:
                later.cancel()
            self._blocks.clear()
            self._events.clear()
            raise
        if workspace is not None:
            self._free.append(workspace)


def _score(scorer: Future[ScoreBlock], workspace: Workspace) -> Scored:
    return scorer.result()(workspace)


class _Scorers:
    """Scorers of each kind of file, made on the scanners' pool when first needed."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        *,
        lexicon: Lexicon,
        tokenizer: Tokenizer,
        repair_encoding: bool,
        selection: Selection | None,
    ) -> None:
        self.pool = pool
        self._how = lexicon, tokenizer
        self._repair_encoding, self._selection = repair_encoding, selection
        self._with_kernels = False
        self._made: dict[tuple[str, bool], Future[ScoreBlock]] = {}

    def of(self, kind: str, *, is_long: bool) -> Future[ScoreBlock]:
        """The scorer of blocks of this format; kernels that are in use stay so."""
        self._with_kernels = (
            self._with_kernels
            or (is_long and AVAILABLE)
            or are_worth_loading("marks", reading.SMALL)
        )
        key = kind, self._with_kernels
        if key not in self._made:
            self._made[key] = self.pool.submit(self._make, *key)
        return self._made[key]

    def _make(self, kind: str, with_kernels: bool) -> ScoreBlock:
        kernels = _kernels() if with_kernels else None
        if kind == "parquet":
            score_rows: ScoreBlock = need(".rows", __package__).row_scorer(
                *self._how,
                with_kernels=with_kernels,
                repair_encoding=self._repair_encoding,
                selection=self._selection,
            )
            return score_rows
        make = by_definition if kernels is None else kernels.with_kernels
        score: ScoreBlock = make(*self._how, kind)
        if self._repair_encoding:
            score = repairing(score, kind)
        if self._selection is None:
            return score
        select = score_selected_lines if with_kernels and kind == "tsv" else score_selected
        return select(score, self._selection)


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


def _call_all(events: Iterable[Callable[[], object]]) -> None:
    for event in events:
        event()
