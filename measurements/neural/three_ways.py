"""`python -m measurements.neural.three_ways`: three ways of debiasing beside one another.

On Grep-BiasIR, each category held out in turn, with three seeds. A small head reads the frozen
vectors of all-MiniLM-L6-v2, of the document and its product with the query's, and learns relevance
from the other six categories (*base*). From there it is trained on: without anything (*longer*, the
control), with an adversary behind a reversed gradient (AdvBERT's, whose label is gendered or not),
or with the penalty on matched wordings. The eraser is fitted on the documents of the six, and a
base is trained on what it leaves. All is measured on the category that none of it has seen:
accuracy and AUC of relevance; |z_M - z_F| over wordings of one document, in standard deviations of
the logits, so that logits which merely shrink gain nothing (and the same in training); and what a
fresh adversary, trained on the six, reads from the head's hidden vectors. Every number is printed,
whatever it says.
"""

import argparse
import copy
import math
from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np
import torch
from torch import Tensor, nn

from measurements.neural.folds import minilm
from rankers.eraser import Matrix, pair_subspace
from rankers.grepbias import CATEGORIES, Alpha, Pair, read_pairs
from rankers.grepbias.erasure import auc_of, matched_wordings
from rankers.grepbias.logits import logit_run
from rankers.grepbias.statistics import accuracy, gender_gap, gender_preference
from rankers.neural.attack import attack
from rankers.neural.debiasing import adversary, reverse_gradient
from rankers.neural.grepbias_batches import BatchLoss, Settings, batches
from rankers.neural.grepbias_features import bi_encoder_vectors, standardised
from rankers.neural.model_folder import load_model
from tests.conftest import SHARED_DATA

SEEDS = range(3)
HIDDEN = 64
BASE = Settings(1e-3, epochs=20, batch_size=64)
#: What a base is trained on with: the adversary's factor, and alpha alike for all pairs of genders.
FURTHER = {
    "longer": (0.0, 0.0),
    "adversary, factor 1": (1.0, 0.0),
    "adversary, factor 10": (10.0, 0.0),
    "penalty, alpha .25": (0.0, 0.25),
    "penalty, alpha 1": (0.0, 1.0),
}
N_DIRECTIONS = 16


class Head(nn.Module):
    """Relevance of a pair from its frozen vectors, through one hidden layer."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(size, HIDDEN), nn.Tanh())
        self.output = nn.Linear(HIDDEN, 1)

    def forward(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.hidden(vectors)
        return self.output(hidden), hidden


def train(
    head: Head, vectors: Tensor, pairs: Sequence[Pair], settings: Settings, way: tuple[float, float]
) -> Head:
    """A copy of the head trained on, as AdvBERT is: two optimizers, epsilon 1e-5, clipping at 1."""
    factor, alpha = way
    head = copy.deepcopy(head)
    torch.manual_seed(settings.seed)
    reader = adversary(HIDDEN)
    optimizers = [
        torch.optim.Adam(module.parameters(), lr=settings.learning_rate, eps=1e-5)
        for module in (head, reader)
    ]
    batch_loss = BatchLoss([Alpha(alpha, alpha, alpha)], settings)
    gendered = torch.tensor([pair.gender != "N" for pair in pairs]).long()
    for places in batches(pairs, settings):
        logits, hidden = head(vectors[places])
        loss = batch_loss(logits, [pairs[place] for place in places]).sum()
        if factor:
            guessed = reader(reverse_gradient(hidden, factor))
            loss = loss + nn.functional.cross_entropy(guessed, gendered[places])
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for module in (head, reader):
            nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
    return head


class Trial:
    """One category held out."""

    def __init__(
        self, pairs: Sequence[Pair], queries: Matrix, documents: Matrix, held_out: str
    ) -> None:
        self._pairs, self._held_out = pairs, held_out
        self._known = np.array([pair.category != held_out for pair in pairs])
        self._training = [pair for pair in pairs if pair.category != held_out]
        self._vectors = self._features(queries, documents)
        male, female = np.array(matched_wordings(self._training)).T
        of_known = documents[self._known]
        eraser = pair_subspace(of_known[male], of_known[female], N_DIRECTIONS)
        self._erased = self._features(queries, eraser(documents))

    def _features(self, queries: Matrix, documents: Matrix) -> Tensor:
        both = torch.from_numpy(np.hstack([queries * documents, documents])).float()
        return standardised(both, both[self._known])

    def rows(self, seed: int) -> Iterator[tuple[str, dict[str, float]]]:
        """The measures of each way on the category held out."""
        settings = Settings(**{**vars(BASE), "seed": seed, "matched_pairs": True})
        torch.manual_seed(seed)
        start = Head(self._vectors.shape[1])
        base = train(start, self._vectors[self._known], self._training, settings, (0, 0))
        yield "base", self._measured(base, self._vectors, seed)
        for name, way in FURTHER.items():
            head = train(base, self._vectors[self._known], self._training, settings, way)
            yield name, self._measured(head, self._vectors, seed)
        head = train(start, self._erased[self._known], self._training, settings, (0, 0))
        yield f"eraser, {N_DIRECTIONS} directions", self._measured(head, self._erased, seed)

    @torch.no_grad()
    def _hidden(self, head: Head, vectors: Tensor) -> tuple[Matrix, Tensor]:
        logits, hidden = head(vectors)
        return logits[:, 0].double().numpy(), hidden

    def _measured(self, head: Head, vectors: Tensor, seed: int) -> dict[str, float]:
        logits, hidden = self._hidden(head, vectors)
        own = [self._held_out]
        others = [name for name in CATEGORIES if name != self._held_out]
        run = logit_run(self._pairs, logits, mode="head", train_on="others", seed=seed)
        chosen = [pair for pair in self._pairs if pair.category == self._held_out]
        preference = gender_preference(run, own)
        return {
            "accuracy": accuracy(run, self._held_out).value,
            "AUC": auc_of(chosen, logits[~self._known]),
            "gap": gender_gap(run, own) / float(logits[~self._known].std()),
            "gap in training": gender_gap(run, others) / float(logits[self._known].std()),
            "preference": abs(preference.male - preference.female),
            "gendered read": self._read(hidden, seed, "MF", "N"),
            "male or female read": self._read(hidden, seed, "M", "F"),
        }

    def _read(self, hidden: Tensor, seed: int, first: str, second: str) -> float:
        """Balanced accuracy of a fresh adversary between documents of these genders."""
        places = [i for i, pair in enumerate(self._pairs) if pair.gender in (*first, *second)]
        pairs = [self._pairs[place] for place in places]
        labels = [pair.gender in first for pair in pairs]
        categories = [pair.category for pair in pairs]
        result = attack(hidden[places], labels, categories, seed=seed, tested={self._held_out})
        return math.nan if result.balanced_accuracy is None else result.balanced_accuracy


def inside(
    pairs: Sequence[Pair], documents: Matrix, held_out: str, seed: int
) -> tuple[float | None, float | None]:
    """Reading of male or female in the documents of a category, before and after the eraser.

    The eraser is fitted on the other categories; the adversary learns from four fifths of the
    queries of this one and is tested on the others.
    """
    known = np.array([pair.category != held_out for pair in pairs])
    training = [pair for pair in pairs if pair.category != held_out]
    male, female = np.array(matched_wordings(training)).T
    eraser = pair_subspace(documents[known][male], documents[known][female], N_DIRECTIONS)
    places = [i for i, p in enumerate(pairs) if p.category == held_out and p.gender in {"M", "F"}]
    labels = [pairs[place].gender == "M" for place in places]
    queries = [pairs[place].query for place in places]
    before, after = (
        attack(torch.from_numpy(vectors[places]).float(), labels, queries, seed=seed, epochs=60)
        for vectors in (documents, eraser(documents))
    )
    return before.balanced_accuracy, after.balanced_accuracy


def print_inside(pairs: Sequence[Pair], documents: Matrix) -> None:
    """Print the means over the categories and seeds."""
    reads = [inside(pairs, documents, name, seed) for name in CATEGORIES for seed in SEEDS]
    for title, values in zip(("before", "after"), zip(*reads, strict=True), strict=True):
        known = [value for value in values if value is not None]
        print(f"read inside the category held out, {title}: {fmean(known):.3f}")  # noqa: T201


def main() -> None:
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--inside", action="store_true", help="Only what is read inside the category held out."
    )
    options = parser.parse_args()
    pairs = read_pairs(SHARED_DATA / "grepbias")
    model = load_model(minilm(), torch.device("cpu"))
    queries, documents = bi_encoder_vectors(model, pairs)
    if options.inside:
        print_inside(pairs, documents)
        return
    rows_of: dict[str, list[list[dict[str, float]]]] = {}
    for seed in SEEDS:
        of_seed: dict[str, list[dict[str, float]]] = {}
        for held_out in CATEGORIES:
            for name, row in Trial(pairs, queries, documents, held_out).rows(seed):
                of_seed.setdefault(name, []).append(row)
        for name, rows in of_seed.items():
            rows_of.setdefault(name, []).append(rows)
    for name, seeds in rows_of.items():
        for measure in seeds[0][0]:
            values = [fmean(row[measure] for row in rows) for rows in seeds]
            each = ", ".join(f"{value:.4f}" for value in values)
            print(f"{name:>24} {measure:>20} {fmean(values):.4f} ({each})")  # noqa: T201


if __name__ == "__main__":
    main()
