"""Coverage of the intervals from few labels, and the labels that models save.

`python -m measurements.few_labels_coverage` prints the tables of results/few_labels.md from the
3,750 released labels and five language models' labels of the same queries; `--draws 200` for a
look. The bias of each query is made up (it depends on its true category), its labels are real.
"""

import argparse
import csv
import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from metrics.reports.plots.figures import Points, line_figure, render
from metrics.statistics.beliefs import cross_fitted_beliefs, text_features
from metrics.statistics.drawing import belief_strata
from metrics.statistics.few_labels import (
    Figure,
    Sample,
    labels_needed,
    mean_of_subset,
    share,
    share_by_strata,
)
from metrics.statistics.pool_figures import pool_figures

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "gender_queries"
SIZES = (100, 300, 600)
_PICTURED = (100, 200, 300, 400, 600, 800, 1_000)
#: Of the table of good models.
DESIGNS, CATEGORIES = ("simple", "unequal", "strata"), "nmfo"
RIGHT_ON, LABELS = (0.5, 0.8, 0.95, 0.98, 0.99, 1.0), (30, 50, 100, 300, 600)
Array = npt.NDArray[np.float64]
#: Mean bias of each category's queries.
_MEANS = {"n": 0.1, "m": 0.6, "f": -0.5, "o": 0.05}


class Pool:
    """The released queries: what people say, what models say, the bias of two systems."""

    def __init__(self, folder: Path) -> None:
        lines = (folder / "queries_gender_annotated.csv").read_text().splitlines()
        rows = [(*line.split(",", 1)[:1], *line.split(",", 1)[1].rsplit(",", 1)) for line in lines]
        self.qids, self.texts, labels = (list(column) for column in zip(*rows, strict=True))
        self.labels = np.array(labels)
        place = {qid: at for at, qid in enumerate(self.qids)}
        with (folder / "llm_votes_long.csv").open() as votes:
            votes_read = list(csv.DictReader(votes))
        self.models = {
            model: np.full(len(rows), "", dtype="<U1")
            for model in {vote["worker"] for vote in votes_read}
        }
        for vote in votes_read:
            self.models[vote["worker"]][place[vote["task"]]] = vote["label"]
        mean = np.array([_MEANS[label] for label in self.labels])
        self.first = mean + 0.35 * self._normal("A")
        self.second = 0.8 * self.first + 0.05 + 0.15 * self._normal("B")

    @cached_property
    def features(self) -> Array:
        return text_features(self.texts)

    def beliefs(self, category: str = "n") -> dict[str, Array]:
        """Of each model, and the mean of those that answered."""
        each = {
            model: np.where(labels == "", np.nan, labels == category)
            for model, labels in sorted(self.models.items())
        }
        return {"mean of five": np.nanmean(np.array([*each.values()]), axis=0), **each}

    def _normal(self, name: str) -> Array:
        def uniform(qid: str) -> float:
            digits = hashlib.sha256(f"{name}:{qid}".encode()).hexdigest()[:13]
            return float(np.clip(int(digits, 16) / 16**13, 1e-9, 1 - 1e-9))

        return np.array([NormalDist().inv_cdf(uniform(qid)) for qid in self.qids])


def figures(
    sample: Sample, first: Array, second: Array, weight: float | None, level: float = 0.95
) -> Iterator[Figure]:
    """The share, the mean bias of a system over the subset, and its difference to another."""
    yield share(sample, weight=weight, level=level)
    yield mean_of_subset(sample, first, weight=weight, level=level)
    yield mean_of_subset(sample, first - second, weight=weight, level=level)


def truths(belongs: Array, first: Array, second: Array) -> list[float]:
    inside = belongs > 0
    return [belongs.mean(), first[inside].mean(), (first - second)[inside].mean()]


def coverage(pool: Pool, draws: int, seed: int, only: str = "") -> Iterator[str]:
    """A row per number of labels and belief; `only` that of one, as "300 mean of five"."""
    belongs = (pool.labels == "n").astype(float)
    true = truths(belongs, pool.first, pool.second)
    beliefs: dict[str, Array | None] = {**pool.beliefs(), "own classifier": None}
    for n in SIZES:
        for name, belief in beliefs.items():
            if only not in ("", f"{n} {name}"):
                continue
            random = np.random.default_rng([seed, n])
            held, widths, errors, alone = [], [], [], []
            for draw in range(draws):
                rows = random.choice(len(belongs), n, replace=False)
                known = (
                    cross_fitted_beliefs(pool.features, rows, belongs[rows], seed=draw)
                    if belief is None
                    else belief
                )
                sample = Sample.of(known, rows, belongs[rows])
                corrected = [*figures(sample, pool.first, pool.second, None)]
                people = [*figures(sample, pool.first, pool.second, 0.0)]
                held.append([holds(*pair) for pair in zip(corrected, true, strict=True)])
                widths.append([2 * half_width(figure) for figure in corrected])
                errors.append([figure.value for figure in corrected])
                alone.append([figure.value for figure in people])
            gain = np.var(alone, axis=0) / np.var(errors, axis=0)
            yield (
                f"| {n} | {name} | {_slashed(np.mean(held, axis=0))} | "
                f"{_slashed(np.mean(widths, axis=0))} | {_slashed(gain, 2)} |"
            )


def holds(figure: Figure, true: float) -> bool:
    """Return whether the interval holds; one that is withheld holds nothing."""
    return figure.low is not None and figure.high is not None and figure.low <= true <= figure.high


def half_width(figure: Figure) -> float:
    """Half the interval's width; NaN where it is withheld."""
    if figure.low is None or figure.high is None:
        return float("nan")
    return (figure.high - figure.low) / 2


def _slashed(values: Array, decimals: int = 3) -> str:
    return " / ".join(f"{value:.{decimals}f}" for value in values)


def rare(pool: Pool, draws: int, seed: int) -> Iterator[str]:
    """Coverage of shares of each category, counted by a model's labels and by strata of belief."""
    model = pool.models[min(pool.models)]
    for category in "nfo":
        belongs = (pool.labels == category).astype(float)
        belief = pool.beliefs(category)["mean of five"]
        for n in SIZES:
            random = np.random.default_rng([seed, n])
            held: list[list[bool]] = []
            for _draw in range(draws):
                rows = random.choice(len(belongs), n, replace=False)
                sample = Sample.of(belief, rows, belongs[rows])
                ways = (
                    share(sample, weight=0),
                    share_by_strata(sample, model),
                    share_by_strata(sample, belief_strata(belief)),
                )
                held.append([holds(figure, belongs.mean()) for figure in ways])
            shares = " | ".join(f"{value:.3f}" for value in np.mean(held, axis=0))
            yield f"| {category} | {n} | {shares} |"


def made_up(
    labels: npt.NDArray[np.str_], right: float, random: np.random.Generator
) -> npt.NDArray[np.str_]:
    """Labels of a model that is right on so many queries, and elsewhere says another category."""
    answers = labels.copy()
    wrong = random.random(len(labels)) > right
    answers[wrong] = random.choice(list("nmfo"), len(labels), p=(0.35, 0.3, 0.3, 0.05))[wrong]
    return answers


def good_models(pool: Pool, draws: int, seed: int) -> Iterator[str]:
    """Coverage where a made-up model is right on ever more of the queries, of three designs.

    Of share, mean and difference by the number of labels; "-" where less than half of the samples
    give an interval.
    """
    for design, category, right in product(DESIGNS, CATEGORIES, RIGHT_ON):
        cells = []
        for n in LABELS:
            held, shares = coverage_of_shown(
                pool, design, category, right, n, draws=draws, seed=seed
            )
            pairs = zip(held, shares, strict=True)
            cells.append(" / ".join("-" if of < 0.5 else f"{value:.2f}" for value, of in pairs))
        yield f"| {design} | {category} | {right:.2f} | {' | '.join(cells)} |"


def coverage_of_shown(
    pool: Pool, design: str, category: str, right: float, n: int, *, draws: int, seed: int
) -> tuple[Array, Array]:
    """Of share, mean and difference as they are shown: how often the interval holds, is given."""
    random = np.random.default_rng([seed, n, round(1000 * right)])
    belongs = (pool.labels == category).astype(float)
    belief = (made_up(pool.labels, right, random) == category).astype(float)
    true = truths(belongs, pool.first, pool.second)
    biases = {"first": pool.first, "second": pool.second}
    held = np.full((draws, len(true)), np.nan)
    for draw in range(draws):
        sample = drawn_by(design, belief, belongs, pool.first, n, random)
        rows = pool_figures(
            {category: sample}, biases, category=category, baseline="second", has_models=True
        )
        corrected = [figure.corrected for figure in rows if figure.run != "second"]
        for place, (figure, truth) in enumerate(zip(corrected, true, strict=True)):
            if figure is not None and figure.low is not None:
                held[draw, place] = holds(figure, truth)
    has_interval = ~np.isnan(held)
    return np.nansum(held, axis=0) / np.maximum(has_interval.sum(axis=0), 1), has_interval.mean(
        axis=0
    )


def drawn_by(  # noqa: PLR0917 - all of one draw
    design: str, belief: Array, belongs: Array, bias: Array, n: int, random: np.random.Generator
) -> Sample:
    """A sample of about n: simple, by chances that grow with doubt and bias, or by the belief."""
    pool = len(belief)
    if design == "unequal":
        telling = np.sqrt(belief * (1 - belief) + 0.02) * (np.abs(bias - bias.mean()) + 0.05)
        chances = np.clip(n * (0.5 / pool + 0.5 * telling / telling.sum()), 0, 1)
        rows = np.flatnonzero(random.random(pool) < chances)
        return Sample.of(belief, rows, belongs[rows], chances=chances)
    if design == "strata":
        strata = belief.astype(int)
        parts = [np.flatnonzero(strata == stratum) for stratum in (0, 1)]
        rows = np.concatenate(
            [
                random.choice(part, max(2, round(n * len(part) / pool)), replace=False)
                for part in parts
            ]
        )
        return Sample.of(belief, rows, belongs[rows], strata=strata)
    rows = random.choice(pool, n, replace=False)
    return Sample.of(belief, rows, belongs[rows])


def promised(pool: Pool, draws: int, seed: int) -> Iterator[str]:
    """The width that a pilot of 100 promises, and what so many labels give."""
    belongs = (pool.labels == "n").astype(float)
    belief = pool.beliefs()["mean of five"]
    true = truths(belongs, pool.first, pool.second)[1]
    for half in (0.03, 0.02, 0.01):
        random = np.random.default_rng(seed)
        got, needed, held = [], [], []
        for _ in range(draws):
            order = random.permutation(len(belongs))
            pilot = Sample.of(belief, order[:100], belongs[order[:100]])
            figure = mean_of_subset(pilot, pool.first)
            n = max(labels_needed(figure, half, pilot.pool) or pilot.pool, 100)
            figure = mean_of_subset(Sample.of(belief, order[:n], belongs[order[:n]]), pool.first)
            needed.append(n)
            got.append(half_width(figure))
            held.append(holds(figure, true))
        labels, width = np.median(needed), np.median(got)
        yield f"| {half:.3f} | {labels:.0f} | {width:.4f} | {np.mean(held):.3f} |"


def picture(pool: Pool, draws: int, seed: int) -> bytes:
    """Mean half widths of the three figures over the number of labels, as SVG."""
    belongs = (pool.labels == "n").astype(float)
    beliefs = pool.beliefs()
    series = {
        "people alone": (beliefs["mean of five"], 0.0),
        "with the worst model": (beliefs["phi4"], None),
        "with the mean of five models": (beliefs["mean of five"], None),
    }
    lines = []
    for name, (belief, weight) in series.items():
        widths = []
        for n in _PICTURED:
            random = np.random.default_rng([seed, n])
            drawn = (random.choice(len(belongs), n, replace=False) for _ in range(draws))
            each = [
                [
                    half_width(figure)
                    for figure in figures(
                        Sample.of(belief, rows, belongs[rows]), pool.first, pool.second, weight
                    )
                ]
                for rows in drawn
            ]
            widths.append(np.nanmean(each, axis=0))
        lines += [
            Points(panel, name, _PICTURED, values)
            for panel, values in zip(
                ("share", "mean bias", "difference of two systems"),
                np.transpose(widths).tolist(),
                strict=True,
            )
        ]
    figure = line_figure(
        lines, x_label="labels of people", y_label="half width of the interval", zero=False
    )
    return render(figure, "svg")


#: Heads and rows, by the names of `--table`.
TABLES: dict[str, tuple[str, Callable[[Pool, int, int], Iterator[str]]]] = {
    "good-models": (
        f"design | category | model right on | {' | '.join(f'{n} labels' for n in LABELS)}",
        good_models,
    ),
    "widths": ("labels | belief | coverage | width | effective sample", coverage),
    "shares": ("category | labels | Wald | by a model's labels | by strata of belief", rare),
    "promises": ("promised | labels | median half width | coverage", promised),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--picture", type=Path, help="Draw the picture of the page there instead.")
    parser.add_argument("--only", help="One row of the first table, as '300 mean of five'.")
    parser.add_argument("--table", choices=TABLES, help="One table alone.")
    values = parser.parse_args()
    pool = Pool(DATA)
    if values.only:
        sys.stdout.writelines(
            f"{row}\n" for row in coverage(pool, values.draws, values.seed, values.only)
        )
        return
    if values.picture:
        values.picture.write_bytes(picture(pool, values.draws, values.seed))
        return
    for name, (head, rows) in TABLES.items():
        if values.table in (None, name):
            rule = "---|" * (head.count("|") + 1)
            for line in (f"| {head} |", f"|{rule}", *rows(pool, values.draws, values.seed), ""):
                sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
