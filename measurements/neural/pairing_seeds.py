"""`python -m measurements.neural.pairing_seeds`: pairings of the penalty on all-MiniLM-L6-v2.

A linear layer on the product features of Grep-BiasIR, trained on each category with three seeds:
without penalty, with random pairs as in the paper, and with wordings of one document. Every number
is printed, whatever it says.
"""

from collections.abc import Iterator
from statistics import fmean

import torch

from measurements.neural.folds import minilm
from rankers.grepbias import CATEGORIES, Alpha, LogitRun, read_pairs
from rankers.grepbias.statistics import (
    bias_by_chance,
    gender_gap,
    gender_preference,
    mean_other_accuracy,
    other_categories,
)
from rankers.neural.grepbias import Encoder, encode_once, settings_for, train_adapters
from tests.conftest import SHARED_DATA

SEEDS = range(3)
#: Whether the pairs are wordings of one document, and alpha.
PENALTIES = ((False, 0.0), (False, 0.25), (True, 0.25), (True, 1.0), (True, 2.0))


def measures(runs: list[LogitRun]) -> Iterator[float]:
    """Means over the training categories: accuracy, |male - female|, by chance, |z_M - z_F|."""
    preferences = [gender_preference(run, other_categories(run)) for run in runs]
    yield fmean(mean_other_accuracy(run) for run in runs)
    yield fmean(abs(preference.male - preference.female) for preference in preferences)
    yield fmean(bias_by_chance(preference) for preference in preferences)
    yield fmean(gender_gap(run, other_categories(run)) for run in runs)


def main() -> None:
    torch.set_num_threads(1)
    pairs = read_pairs(SHARED_DATA / "grepbias")
    vectors = encode_once(Encoder(minilm(), "product", "cpu"), pairs)
    for is_matched, alpha in PENALTIES:
        of_seeds = []
        for seed in SEEDS:
            settings = settings_for(
                "adapter", learning_rate=1e-3, seed=seed, matched_pairs=is_matched
            )
            runs = [
                run
                for name in CATEGORIES
                for run in train_adapters(
                    vectors, pairs, name, [Alpha(alpha, alpha, alpha)], settings
                )
            ]
            of_seeds.append(list(measures(runs)))
        titles = ("accuracy", "bias", "bias by chance", "gap")
        for title, values in zip(titles, zip(*of_seeds, strict=True), strict=True):
            each = ", ".join(f"{value:.4f}" for value in values)
            pairing = "matched" if is_matched else "random"
            print(  # noqa: T201
                f"{pairing}, alpha {alpha}, others' {title}: {fmean(values):.4f} ({each})",
                flush=True,
            )


if __name__ == "__main__":
    main()
