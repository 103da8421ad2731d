"""Measure how often promises of automatic labels are broken, and how many labels are automatic.

`python -m measurements.automatic_labels` prints the tables of results/automatic_labels.md: made-up
pools of 2,000 whose labels are known, and the released labels with those of five language models
where `--data` holds them. `--draws 200` is for a look.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from measurements.few_labels_coverage import DATA, Pool
from metrics.automatic_labels import Of
from metrics.statistics.promises import accepted_of_automatic, accepted_of_file

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
SIZE, OPTIONS, MODELS = 2_000, 4, 5
SAMPLES = (200, 400, 800)
#: Labels of people at each of five looks.
LOOKS = (80, 160, 240, 320, 400)
BROKEN = 0.05


class Labelled(NamedTuple):
    """A pool: the confidence of the models in each label, and whether it is wrong."""

    confidence: Numbers
    is_wrong: Flags


class Outcome(NamedTuple):
    """Outcome of one drawing: the share of automatic labels, and whether the promise broke."""

    automatic: float
    is_broken: bool


def voted(truth: NDArray[np.int64], right_on: Numbers, random: np.random.Generator) -> Labelled:
    """Five models that are right with such chances; what they get wrong is any other option."""
    n = len(truth)
    votes = np.where(
        random.random((MODELS, n)) < right_on,
        truth,
        (truth + random.integers(1, OPTIONS, (MODELS, n))) % OPTIONS,
    )
    counts = (votes[:, :, None] == np.arange(OPTIONS)).sum(0)
    most = counts.max(1)
    confidence = np.where((counts == most[:, None]).sum(1) > 1, np.nan, most / MODELS)
    return Labelled(confidence, counts.argmax(1) != truth)


def five_models(share: float, random: np.random.Generator) -> Labelled:
    return voted(random.integers(0, OPTIONS, SIZE), np.full(SIZE, share), random)


def one_model(share: float, random: np.random.Generator) -> Labelled:
    """One model that is as sure of all."""
    return Labelled(np.ones(SIZE), random.random(SIZE) > share)


def growing(random: np.random.Generator) -> Labelled:
    """The less sure, the more wrong: from 2 to 10 %, so that the first three quarters have 5 %."""
    confidence = random.random(SIZE)
    return Labelled(confidence, random.random(SIZE) < 0.02 + 0.08 * (1 - confidence))


def rare_class(random: np.random.Generator) -> Labelled:
    """A class of two in a hundred, which models get right half of the time."""
    truth = (random.random(SIZE) < 0.02).astype(np.int64)
    return voted(truth, np.where(truth == 1, 0.5, 0.95), random)


def blind_to_one(random: np.random.Generator) -> Labelled:
    """All models are sure and wrong about one class of eight in a hundred."""
    truth = (random.random(SIZE) < 0.08).astype(np.int64)
    return voted(truth, np.where(truth == 1, 0.02, 0.97), random)


def scored(random: np.random.Generator) -> Labelled:
    """One model whose scores are its chances to be right, with a few sure errors."""
    score = random.beta(8, 1, SIZE)
    is_wrong = random.random(SIZE) > np.where(random.random(SIZE) < 0.03, 0.2, score)
    return Labelled(score, is_wrong)


def worst(error: float, random: np.random.Generator) -> Labelled:
    """Just too many wrong labels, spread over all scores: the hardest pool for a promise."""
    is_wrong = np.zeros(SIZE, bool)
    is_wrong[random.choice(SIZE, int(SIZE * error * 1.12), replace=False)] = True
    return Labelled(random.random(SIZE), is_wrong)


POOLS: dict[str, Callable[[np.random.Generator], Labelled]] = {
    **{f"five models right on {share:.0%}": partial(five_models, share) for share in (0.6, 0.85)},
    **{
        f"one model right on {share:.0%}": partial(one_model, share) for share in (0.85, 0.95, 0.99)
    },
    "rare class of 2 %": rare_class,
    "blind to a class of 8 %": blind_to_one,
    "one model with scores": scored,
    "ever more errors": growing,
    "just too many errors": partial(worst, 0.05),
}


def drawn(
    pool: Labelled, sampled: NDArray[np.int64], lot: Numbers, *, of: Of, error: float, alpha: float
) -> Outcome:
    """The promise from the sample of those places, and whether it is kept."""
    n = len(pool.confidence)
    is_sampled = np.zeros(n, bool)
    is_sampled[sampled] = True
    accept = accepted_of_automatic if of == "automatic" else partial(accepted_of_file, lot=lot)
    chosen = accept(pool.confidence, is_sampled, pool.is_wrong, error=error, alpha=alpha)
    automatic = chosen & ~is_sampled
    among = n if of == "file" else automatic.sum()
    is_broken = bool(automatic.any()) and pool.is_wrong[automatic].sum() > error * among
    return Outcome(float(automatic.mean()), bool(is_broken))


def one_look(pool: Labelled, n: int, of: Of, error: float, random: np.random.Generator) -> Outcome:
    size = len(pool.confidence)
    sampled = random.choice(size, n, replace=False)
    return drawn(pool, sampled, random.random(size), of=of, error=error, alpha=BROKEN)


def five_looks(pool: Labelled, of: Of, error: float, random: np.random.Generator) -> Outcome:
    """Ever more labels, each look at a fifth of the chance; broken if any of its promises is."""
    order, lot = random.permutation(len(pool.confidence)), random.random(len(pool.confidence))
    alpha = BROKEN / len(LOOKS)
    looks = [drawn(pool, order[:n], lot, of=of, error=error, alpha=alpha) for n in LOOKS]
    return Outcome(looks[-1].automatic, any(look.is_broken for look in looks))


def _row(name: str, of: Of, error: float, labels: str, outcomes: list[Outcome]) -> str:
    automatic, broken = (float(np.mean(column)) for column in zip(*outcomes, strict=True))
    return f"| {name} | {of} | {error:.0%} | {labels} | {automatic:.3f} | {broken:.3f} |"


def made_up(draws: int, seed: int) -> Iterator[str]:
    """A row for each made-up pool, promise and number of looks."""
    for name, make in POOLS.items():
        for of in get_args(Of):
            random = np.random.default_rng(seed)
            pools = [make(random) for _ in range(draws)]
            for n in (200, 400):
                looked = [one_look(pool, n, of, 0.05, random) for pool in pools]
                yield _row(name, of, 0.05, f"{n}", looked)
            five = [five_looks(pool, of, 0.05, random) for pool in pools]
            yield _row(name, of, 0.05, f"{LOOKS[0]} to {LOOKS[-1]}, five looks", five)


def released(folder: Path, draws: int, seed: int) -> Iterator[str]:
    """A row for each promise and number of labels of the released queries."""
    pool = Pool(folder)
    votes = np.array([*pool.models.values()])
    counts = np.array([(votes == option).sum(0) for option in "nmfo"])
    most = counts.max(0)
    tied = (counts == most).sum(0) > 1
    majority = np.array(list("nmfo"))[counts.argmax(0)]
    labelled = Labelled(np.where(tied, np.nan, most / len(votes)), majority != pool.labels)
    terms: list[tuple[Of, float]] = [("file", 0.05), ("file", 0.03), ("automatic", 0.1)]
    for of, error in terms:
        random = np.random.default_rng(seed)
        for n in SAMPLES:
            outcomes = [one_look(labelled, n, of, error, random) for _ in range(draws)]
            yield _row("released labels", of, error, f"{n}", outcomes)


def _print(row: str) -> None:
    sys.stdout.write(f"{row}\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args(arguments)
    _print("| pool | error is of | error | labels of people | automatic | broken |")
    _print("|---|---|---|---|---|---|")
    for row in made_up(options.draws, options.seed):
        _print(row)
    if options.data.exists():
        for row in released(options.data, options.draws, options.seed):
            _print(row)
    else:
        sys.stderr.write(f"{options.data} is not there: no rows of released labels.\n")


if __name__ == "__main__":
    main()
