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
    batch_size: int = 64,
    train_share: float = 0.8,
    tested: Collection[str] = (),
) -> AttackResult:
    """Train a fresh adversary on the vectors (N, H) of some queries and test it on the others'.

    `gendered` is the label of each pair of a query and a passage, `qids` its query.

    A vector represents the query too, and its topic gives away the gender of its passages, so whole
    queries are held out: those of `tested` or a share that the seed draws. The vectors are
    standardised, so that a model cannot hide gender by making all of them alike. Both classes weigh
    the same in the loss, so that guessing the more frequent one gains nothing.
    """
    labels = torch.tensor(gendered).long()
    generator = torch.Generator().manual_seed(seed)
    train, test = _split(qids, tested or _drawn(qids, train_share, generator))
    if len(torch.unique(labels[train])) != 2 or not len(test):  # noqa: PLR2004 - gendered or not
        raise InputError(
            "all pairs are gendered, none is, or there is one query.",
            remedy="Attack on more queries.",
        )
    vectors = standardised(vectors, vectors[train])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        reader = adversary(vectors.shape[1])
    optimizer = torch.optim.Adam(reader.parameters(), lr=learning_rate)
    counts = torch.bincount(labels[train], minlength=2).clamp(min=1)
    weights = len(train) / (2 * counts.float())
    for _ in range(epochs):
        shuffled = train[torch.randperm(len(train), generator=generator)]
        for places in shuffled.split(batch_size):
            loss = nn.functional.cross_entropy(reader(vectors[places]), labels[places], weights)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.inference_mode():
        guessed = reader(vectors[test]).argmax(dim=1).numpy()
    truth = labels[test].numpy()
    is_right = guessed == truth
    sizes = [np.bincount(of, minlength=2) for of in (labels[train].numpy(), truth)]
    balanced, low, high = None, None, None
    if np.min(sizes) >= LEAST_OF_EACH:
        balanced = float(np.mean([is_right[truth == label].mean() for label in (0, 1)]))
        low, high = balanced_interval(is_right, truth, np.array(qids)[test.numpy()])
    return AttackResult(
        accuracy=float(is_right.mean()),
        majority=float(max(np.bincount(truth)) / len(truth)),
        balanced_accuracy=balanced,
        low=low,
        high=high,
        n_train=len(train),
        n_test=len(test),
        n_test_gendered=int(truth.sum()),
    )


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


def _drawn(qids: Sequence[str], train_share: float, generator: torch.Generator) -> set[str]:
    """The queries that are left when a share of them trains."""
    names = sorted(set(qids))
    order = torch.randperm(len(names), generator=generator).tolist()
    return {names[place] for place in order[int(train_share * len(names)) :]}


def _split(qids: Sequence[str], tested: Collection[str]) -> tuple[Tensor, Tensor]:
    """Places of the passages of the queries to train on, and of the tested ones."""
    is_tested = torch.tensor([qid in tested for qid in qids])
    return (~is_tested).nonzero().flatten(), is_tested.nonzero().flatten()
