"""Attack on a frozen model: how well gender can be read from its representation."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import stdtrit
from torch import Tensor, nn

from metrics.errors import InputError
from metrics.vocabulary import LEVEL
from rankers.grepbias.statistics import wilson_interval
from rankers.neural.debiasing import adversary
from rankers.neural.device import evaluating
from rankers.neural.grepbias_features import standardised
from rankers.neural.transformer_models import CrossEncoder

#: Pairs of each class that training and test must have, for a balanced accuracy to be shown.
LEAST_OF_EACH = 5
_BATCH = 64


@dataclass(frozen=True)
class AttackResult:
    """Accuracy of a fresh adversary on the pairs of held-out queries.

    `accuracy` beside `majority`, the accuracy of always guessing the more frequent class, and
    `balanced_accuracy`, the mean of the recalls of both classes, beside `chance`, with its
    interval of level `LEVEL` from `low` to `high`: nothing is shown to be read where that holds
    `chance`. These three are None where training or test has fewer than `LEAST_OF_EACH` pairs of
    a class.
    """

    accuracy: float
    majority: float
    balanced_accuracy: float | None
    low: float | None
    high: float | None
    n_train: int
    n_test: int
    n_test_gendered: int
    chance: float = 0.5

    @property
    def is_above_chance(self) -> bool:
        """Return whether the interval shows that gender is read."""
        return self.low is not None and self.low > self.chance

    def __str__(self) -> str:
        if self.balanced_accuracy is None:
            return f"withheld (fewer than {LEAST_OF_EACH} pairs of a class)"
        return (
            f"{self.balanced_accuracy:.4f} ({self.low:.4f} to {self.high:.4f}, chance "
            f"{self.chance})"
        )


def represent(
    model: CrossEncoder,
    pairs: Sequence[tuple[str, str]],
    batch_size: int = 32,
    progress: Callable[[int], object] = lambda _n: None,
) -> Tensor:
    """The first token's vectors (N, H) of (query, passage) pairs; the model is only read."""
    if not pairs:
        raise InputError("there is no pair to read.", remedy="Give queries and passages.")
    rows = []
    with torch.inference_mode(), evaluating(model):
        for start in range(0, len(pairs), batch_size):
            queries, texts = zip(*pairs[start : start + batch_size], strict=True)
            _, vectors = model.score_and_represent(model.prepare(queries, texts))
            rows.append(vectors.float().cpu())
            progress(len(queries))
    return torch.cat(rows).clone()


def attack(
    vectors: Tensor,
    gendered: Sequence[bool],
    qids: Sequence[str],
    *,
    seed: int = 0,
    epochs: int = 20,
    learning_rate: float = 1e-3,
    train_share: float = 0.8,
    tested: Collection[str] = (),
    folds: int = 0,
) -> AttackResult:
    """Train a fresh adversary on the vectors (N, H) of some queries and test it on the others'.

    `gendered` is the label of each pair of a query and a passage, `qids` its query.

    A vector represents the query too, and its topic gives away the gender of its passages, so whole
    queries are held out: those of `tested`, a share that the seed draws, or with `folds` each
    once. The vectors are standardised, so that a model cannot hide gender by making all of them
    alike. Both classes weigh the same in the loss, so that guessing the more frequent one gains
    nothing.
    """
    labels = torch.tensor(gendered).long()
    generator = torch.Generator().manual_seed(seed)
    names = _shuffled_names(qids, generator) if folds or not tested else []
    if folds:
        groups = [set(names[first::folds]) for first in range(min(folds, len(names)))]
    else:
        groups = [set(tested) or set(names[int(train_share * len(names)) :])]
    splits = [_split(qids, group) for group in groups]
    if any(len(torch.unique(labels[train])) != 2 or not len(test) for train, test in splits):  # noqa: PLR2004 - gendered or not
        raise InputError(
            "all pairs are gendered, none is, or there is only one query.",
            remedy="Attack on more queries.",
        )
    guesses = []
    for train, test in splits:
        read = standardised(vectors, vectors[train])
        reader = _reader(
            read[train], labels[train], generator, seed=seed, epochs=epochs, rate=learning_rate
        )
        with torch.inference_mode():
            guesses.append(reader(read[test]).argmax(dim=1))
    tests = torch.cat([test for _, test in splits])
    truth = labels[tests].numpy()
    is_right = torch.cat(guesses).numpy() == truth
    sizes = [torch.bincount(labels[train], minlength=2).min() for train, _ in splits]
    balanced, low, high = None, None, None
    if min(*sizes, np.bincount(truth, minlength=2).min()) >= LEAST_OF_EACH:
        balanced = float(np.mean([is_right[truth == label].mean() for label in (0, 1)]))
        low, high = balanced_interval(is_right, truth, np.array(qids)[tests.numpy()])
    return AttackResult(
        accuracy=float(is_right.mean()),
        majority=float(max(np.bincount(truth)) / len(truth)),
        balanced_accuracy=balanced,
        low=low,
        high=high,
        n_train=len(splits[0][0]),
        n_test=len(tests),
        n_test_gendered=int(truth.sum()),
    )


def _reader(
    vectors: Tensor,
    labels: Tensor,
    generator: torch.Generator,
    *,
    seed: int,
    epochs: int,
    rate: float,
) -> nn.Module:
    """An adversary that is trained on these vectors."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        reader = adversary(vectors.shape[1])
    optimizer = torch.optim.Adam(reader.parameters(), lr=rate)
    weights = len(labels) / (2 * torch.bincount(labels, minlength=2).clamp(min=1).float())
    for _ in range(epochs):
        for places in torch.randperm(len(labels), generator=generator).split(_BATCH):
            loss = nn.functional.cross_entropy(reader(vectors[places]), labels[places], weights)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return reader


def balanced_interval(
    is_right: NDArray[np.bool_], truth: NDArray[np.int64], groups: NDArray[np.str_]
) -> tuple[float, float]:
    """The interval of the mean recall of two classes; the arguments (N,) are of the pairs.

    The wider of two at each end: that of two independent shares (Wilson's intervals, combined as by
    Zou & Donner 2008), and that of pairs which are alike within their group, a query (linearised
    variance over the groups, Student's t with one degree of freedom less than groups).
    """
    classes = [truth == label for label in (0, 1)]
    recalls = np.array([is_right[of_class].mean() for of_class in classes])
    ends = np.array(
        [wilson_interval(float(r), int(c.sum())) for r, c in zip(recalls, classes, strict=True)]
    )
    below, above = np.sqrt(((recalls[:, None] - ends) ** 2).sum(axis=0)) / 2
    if (n_groups := len(names := np.unique(groups))) > 1:
        shifts = sum(
            of_class * (is_right - recall) / of_class.sum()
            for of_class, recall in zip(classes, recalls, strict=True)
        )
        sums = np.array([shifts[groups == name].sum() / 2 for name in names])
        error = np.sqrt(n_groups / (n_groups - 1) * (sums**2).sum())
        half = float(stdtrit(n_groups - 1, (1 + LEVEL) / 2)) * error
        below, above = max(below, half), max(above, half)
    middle = float(recalls.mean())
    return max(0.0, middle - float(below)), min(1.0, middle + float(above))


def _shuffled_names(qids: Sequence[str], generator: torch.Generator) -> list[str]:
    """The distinct queries in a drawn order."""
    names = sorted(set(qids))
    return [names[place] for place in torch.randperm(len(names), generator=generator).tolist()]


def _split(qids: Sequence[str], tested: Collection[str]) -> tuple[Tensor, Tensor]:
    """Places of the passages of the queries to train on, and of the tested ones."""
    is_tested = torch.tensor([qid in tested for qid in qids])
    return (~is_tested).nonzero().flatten(), is_tested.nonzero().flatten()
