"""Re-ranking by neural models, and a grid of adapters that encodes once; needs torch."""

import random
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measurements.bench.measuring import say

_WORDS = "the of and report new small many years city people work light day river engine".split()  # noqa: SIM905
_MISSING = (
    "## Neural rankers\n\nNot measured here: `make test-neural` makes the environment for it."
)


def run(folder: Path, *, quick: bool) -> str:
    """Pairs a second of each model beside sentence-transformers' CrossEncoder, and the grid."""
    if not all(find_spec(name) for name in ("torch", "sentence_transformers")):
        return _MISSING
    from measurements.bench import neural_work  # noqa: PLC0415 - needs torch

    n_pairs, rounds = (400, 2) if quick else (4_000, 5)
    pairs = _pairs(n_pairs)
    seconds = _rounds(neural_work.rerankers(folder, pairs), rounds)
    reference = seconds["CrossEncoder of sentence-transformers, tiny BERT"]
    lines = ["| model | pairs/s | ratio (min - max) |", "|---|---|---|"]
    for name, own in seconds.items():
        ratios = [
            other / seconds_of_ours for seconds_of_ours, other in zip(own, reference, strict=True)
        ]
        speed = n_pairs / statistics.median(own)
        lines.append(f"| {name} | {speed:,.0f} | {_spread(ratios)} |")
    once, plain = neural_work.grid_seconds(folder, n_alphas=729, n_plain=1 if quick else 3)
    return (
        f"## Neural rankers\n\n{n_pairs:,} pairs of a query and 60 words, one thread, batches of "
        "32.\n\n" + "\n".join(lines) + "\n\nAdapters of 729 weightings on 48 pairs, a tiny "
        f"encoder: encoded once {once:,.1f} s; encoding for each of them {plain:,.1f} s "
        f"(extrapolated from {1 if quick else 3}): {plain / once:,.0f} times."
    )


def _pairs(n: int) -> list[tuple[str, str]]:
    rng = random.Random(1)
    return [
        (" ".join(rng.choices(_WORDS, k=5)), " ".join(rng.choices(_WORDS, k=rng.randint(20, 100))))
        for _ in range(n)
    ]


def _rounds(techniques: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in techniques}
    for name, work in techniques.items():
        say(f"  {name}")
        work()
    for _ in range(rounds):
        for name, work in techniques.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def _spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} - {max(ratios):.2f})"
