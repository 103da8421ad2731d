"""Coverage of intervals from few labels for a person who looks after every round of labels.

`python -m measurements.few_labels_looks` prints the table of results/few_labels.md: 30 looks, after
50, 100, ... 1,500 labels of the 3,750 released queries; `--draws 100` for a look. A trajectory goes
on until the widest wanted interval is narrow enough: there it stops, as people do.
"""

import argparse
import sys
from collections.abc import Iterator

import numpy as np

from measurements.few_labels_coverage import (
    DATA,
    Array,
    Pool,
    figures,
    half_width,
    holds,
    made_up,
    truths,
)
from metrics.statistics.few_labels import LEAST_OF_EACH, Sample
from metrics.statistics.looks import level_at_every_look

LOOKS = tuple(range(50, 1_501, 50))
#: Models of whom it is known how often they are right, and the mean of five real ones.
MODELS = ("0.50", "0.80", "0.95", "0.98", "0.99", "mean of five")
_FIGURES = 3
#: One look, and every look.
_WAYS = (False, True)


def belief_of(pool: Pool, model: str, category: str, random: np.random.Generator) -> Array:
    if model == "mean of five":
        return pool.beliefs(category)[model]
    belief: Array = (made_up(pool.labels, float(model), random) == category).astype(float)
    return belief


def trajectories(
    pool: Pool, model: str, category: str, draws: int, seed: int
) -> tuple[Array, Array]:
    """Return whether intervals hold and their half widths, (draws, ways, looks, figures).

    A withheld interval holds: nobody reads it; its width is NaN.
    """
    random = np.random.default_rng([seed, len(model)])
    belongs = (pool.labels == category).astype(float)
    belief = belief_of(pool, model, category, random)
    true = truths(belongs, pool.first, pool.second)
    held = np.ones((draws, len(_WAYS), len(LOOKS), _FIGURES))
    widths = np.full(held.shape, np.nan)
    for draw in range(draws):
        order = random.permutation(len(belongs))
        for look, n in enumerate(LOOKS):
            sample = Sample.of(belief, order[:n], belongs[order[:n]])
            belonging = int(sample.outcomes.sum())
            for way, is_every in enumerate(_WAYS):
                level = level_at_every_look(n, sample.pool) if is_every else 0.95
                of_look = [*figures(sample, pool.first, pool.second, None, level)]
                for place, figure in enumerate(of_look):
                    # The site withholds a share of so few as it does a mean.
                    if figure.low is not None and min(belonging, n - belonging) >= LEAST_OF_EACH:
                        held[draw, way, look, place] = holds(figure, true[place])
                        widths[draw, way, look, place] = half_width(figure)
    return held, widths


def at_the_stop(held: Array, widths: Array, width: Array) -> Array:
    """Coverage of each figure where its interval is first as narrow as wanted, (figures,)."""
    narrow = widths <= width
    first = np.where(narrow.any(axis=1), narrow.argmax(axis=1), len(LOOKS) - 1)
    stopped: Array = np.take_along_axis(held, first[:, None, :], axis=1)[:, 0].mean(axis=0)
    return stopped


def table(pool: Pool, draws: int, seed: int) -> Iterator[str]:
    yield (
        "| category | model | looks | least at one look | at all looks together | at the stop | "
        "width at 200, at 1,000 |"
    )
    yield f"|{'---|' * 7}"
    for category in "nfmo":
        for model in MODELS:
            held, widths = trajectories(pool, model, category, draws, seed)
            # Both stop at widths that intervals for one look have half way.
            width = np.nanmedian(widths[:, 0, len(LOOKS) // 2], axis=0)
            for way, name in enumerate(("one", "every")):
                of_way = held[:, way]
                cells = (
                    of_way.mean(axis=0).min(axis=0),
                    of_way.min(axis=1).mean(axis=0),
                    at_the_stop(of_way, widths[:, way], width),
                )
                at = [
                    np.nanmedian(widths[:, way, LOOKS.index(n)] / widths[:, 0, LOOKS.index(n)])
                    for n in (200, 1_000)
                ]
                yield (
                    f"| {category} | {model} | {name} | {' | '.join(map(_slashed, cells))} | "
                    f"x {at[0]:.2f}, x {at[1]:.2f} |"
                )


def _slashed(values: Array) -> str:
    return " / ".join(f"{value:.3f}" for value in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=7)
    values = parser.parse_args()
    for line in table(Pool(DATA), values.draws, values.seed):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
