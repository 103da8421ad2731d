"""Blocks through the scan: read here, scored on all cores, handed on in their order."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from metrics.collection import Format, detect_format
from metrics.lexicon import Lexicon
from metrics.scan.reading import Reader, Workspace
from metrics.scan.scored import ScoreBlock, Scored, by_definition
from metrics.tokens import Tokenizer


def scan(
    reader: Reader,
    path: str | Path,
    *,
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    format_: Format,
    threads: int,
    hand_on: Callable[[Scored], object],
) -> None:
    """Score the lines that `reader` gives; `hand_on` gets each block, in their order.

    `hand_on` runs on a thread of its own, one call at a time. Memory is bounded by the number of
    blocks under way. A small collection is scored by the definition.
    """
    first = Workspace()
    if not reader.fill(first):
        return
    kind = detect_format(path, format_, first.buffer[: first.size].tobytes()[:1])
    score = _scorer(lexicon, tokenizer, kind, small=reader.is_small)
    under_way: deque[tuple[Future[object], Workspace]] = deque()
    with ThreadPoolExecutor(threads) as scanners, ThreadPoolExecutor(1) as last:
        try:
            workspace, filled = first, True
            while filled:
                scored = scanners.submit(score, workspace)
                under_way.append((last.submit(_hand_on, scored, hand_on), workspace))
                workspace = _wait(under_way) if len(under_way) > 2 * threads else Workspace()
                filled = reader.fill(workspace)
            while under_way:
                _wait(under_way)
        except BaseException:
            scanners.shutdown(wait=False, cancel_futures=True)
            last.shutdown(wait=False, cancel_futures=True)
            raise


def _scorer(lexicon: Lexicon, tokenizer: Tokenizer, format_: str, *, small: bool) -> ScoreBlock:
    if small:
        return by_definition(lexicon, tokenizer, format_)
    # Imported only now: Numba takes half a second to load.
    module = import_module("metrics.scan.fast")
    score: ScoreBlock = module.with_kernels(lexicon, tokenizer, format_)
    return score


def _hand_on(scored: Future[Scored], hand_on: Callable[[Scored], object]) -> object:
    return hand_on(scored.result())


def _wait(under_way: deque[tuple[Future[object], Workspace]]) -> Workspace:
    """Wait for the oldest block and take back its memory; raises what went wrong with it."""
    done, workspace = under_way.popleft()
    done.result()
    return workspace
