"""Coverage of intervals over queries and repetitions, of a figure and of a difference.

`python -m measurements.repetitions` prints the tables of results/repetitions.md: made-up values of
queries by seeds (or by judges) whose components are known. `--draws 300` is for a look.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.reports.plots.figures import render
from metrics.reports.plots.repetitions import Seeds, Slope, seeds_figure, slopes_figure
from metrics.statistics.repetitions import RepeatedMean, repeated_difference, repeated_mean

Array = NDArray[np.float64]
SEEDS = (3, 5, 10)
QUERIES = (50, 200)
#: The part of the variance of the mean that seeds have.
SHARES = {"none": 0.0, "small": 0.2, "large": 0.7}
#: Of a measure that is 1 from query to query; the rest is what is left of a query and a seed.
REST = 0.3
#: Of queries, so much is alike in two systems.
ALIKE = 0.8
DRAWS = 2_000


class Coverage(NamedTuple):
    """The shares of intervals that hold the truth, and the mean width of those with both drawn."""

    drawn: float
    fixed: float
    width: float

    @classmethod
    def of(cls, figures: list[RepeatedMean], truth: float) -> "Coverage":
        """Of figures that all have both intervals."""
        ends = np.array([(f.low, f.high, f.fixed_low, f.fixed_high) for f in figures], dtype=float)
        held = [float(np.mean((ends[:, k] <= truth) & (truth <= ends[:, k + 1]))) for k in (0, 2)]
        return cls(held[0], held[1], float(np.mean(ends[:, 1] - ends[:, 0])))


def effects(n: int, random: np.random.Generator, *, is_skewed: bool) -> Array:
    """Effects of queries: mean 0, variance 1; skewed as those of a bias are."""
    return random.exponential(1, n) - 1 if is_skewed else random.normal(0, 1, n)


def values(of_queries: Array, seeds: int, share: float, random: np.random.Generator) -> Array:
    """A table of queries by seeds around 0, whose mean has that share of variance from seeds."""
    n = len(of_queries)
    of_mean = of_queries_variance(n, seeds)
    of_seeds = random.normal(0, (seeds * of_mean * share / (1 - share)) ** 0.5, seeds)
    rest = random.normal(0, REST**0.5, (n, seeds))
    table: Array = of_queries[:, None] + of_seeds + rest
    return table


def of_queries_variance(n: int, seeds: int) -> float:
    """The variance of the mean without that of seeds."""
    return 1 / n + REST / (n * seeds)


def figure(
    n: int, seeds: int, share: float, draws: int, *, is_skewed: bool, start: int = 0
) -> Coverage:
    """The coverage of the mean of one system."""
    random = np.random.default_rng([start, n, seeds, round(100 * share)])
    figures = [
        repeated_mean(values(effects(n, random, is_skewed=is_skewed), seeds, share, random))
        for _ in range(draws)
    ]
    return Coverage.of(figures, 0.0)


def difference(
    n: int, seeds: int, share: float, draws: int, *, is_skewed: bool, start: int = 1
) -> Coverage:
    """The coverage of the difference of two systems with seeds of their own."""
    random = np.random.default_rng([start, n, seeds, round(100 * share)])
    figures = []
    for _ in range(draws):
        alike, *own = (effects(n, random, is_skewed=is_skewed) for _ in range(3))
        first, second = (
            values(ALIKE**0.5 * alike + (1 - ALIKE) ** 0.5 * effect, seeds, share, random)
            for effect in own
        )
        figures.append(repeated_difference(first, second))
    return Coverage.of(figures, 0.0)


def rows(draws: int, numbers: Sequence[int] = SEEDS) -> Iterator[str]:
    """The lines of the tables."""
    for is_skewed in (False, True):
        kind = "skewed" if is_skewed else "normal"
        for n, seeds, (name, share) in product(QUERIES, numbers, SHARES.items()):
            cells = [
                f"{held.drawn:.3f} | {held.fixed:.3f} | {held.width:.3f}"
                for held in (
                    measure(n, seeds, share, draws, is_skewed=is_skewed)
                    for measure in (figure, difference)
                )
            ]
            yield f"| {kind} | {n} | {seeds} | {name} | {' | '.join(cells)} |"


def seeds_picture() -> bytes:
    """Three made-up methods with five seeds each, for the page of repetitions."""
    random = np.random.default_rng(1)
    queries = random.normal(0, 0.25, 215)
    methods = []
    for name, level, spread in (
        ("plain", 0.60, 0.01),
        ("penalty", 0.58, 0.01),
        ("loss", 0.55, 0.04),
    ):
        table = level + queries[:, None] + random.normal(0, spread, 5)
        table += random.normal(0, 0.1, (215, 5))
        mean = repeated_mean(table)
        low, high, fixed_low, fixed_high = (
            float(end or 0) for end in (mean.low, mean.high, mean.fixed_low, mean.fixed_high)
        )
        dots = table.mean(axis=0).tolist()
        methods.append(
            Seeds("", name, dots, mean.value or 0.0, (low, high), (fixed_low, fixed_high))
        )
    return render(seeds_figure(methods, y_label="nDCG@10"), "svg")


def judges_picture() -> bytes:
    """Two public runs of TREC RAG 2026 under three judges: nDCG@10."""
    judges = ("judge 1", "judge 2", "judge 3")
    values = {"dual": (0.7091, 0.7888, 0.8118), "listwise": (0.7377, 0.7701, 0.8099)}
    slopes = [Slope("", name, judges, means) for name, means in values.items()]
    return render(slopes_figure(slopes, y_label="nDCG@10"), "svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--seeds", type=int, choices=SEEDS, help="These numbers of seeds alone.")
    parser.add_argument("--pictures", type=Path, help="Draw those of the page there.")
    chosen = parser.parse_args()
    if chosen.pictures:
        (chosen.pictures / "repetitions.svg").write_bytes(seeds_picture())
        (chosen.pictures / "judges.svg").write_bytes(judges_picture())
        return
    head = ["queries are", "queries", "seeds", "share of seeds"]
    for name in ("figure", "difference"):
        head += [f"{name}: both drawn", "seeds fixed", "width"]
    sys.stdout.write(f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n")
    for row in rows(chosen.draws, (chosen.seeds,) if chosen.seeds else SEEDS):
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
