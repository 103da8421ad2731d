"""Attack on a frozen model: how well gender can be read from its representation."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from metrics.errors import InputError
from rankers.neural.debiasing import adversary
from rankers.neural.grepbias_features import standardised
from rankers.neural.model_folder import freeze
from rankers.neural.transformer_models import CrossEncoder


@dataclass(frozen=True)
class AttackResult:
    """Accuracy of a fresh adversary on the passages of held-out queries.

    `accuracy` beside `majority`, the accuracy of always guessing the more frequent class, and
    `balanced_accuracy`, the mean over the two classes (.5 means that nothing can be read; a few
    gendered passages show little).
    """

    accuracy: float
    majority: float
    balanced_accuracy: float
    n_train: int
    n_test: int
    n_test_gendered: int


def represent(
    model: CrossEncoder,
    pairs: Sequence[tuple[str, str]],
    batch_size: int = 32,
    progress: Callable[[int], object] = lambda _n: None,
) -> Tensor:
    """The first token's vectors (N, H) of (query, passage) pairs, the model frozen."""
    freeze(model)
    rows = []
    with torch.inference_mode():
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
            "all passages are gendered, none is, or there is one query.",
            remedy="Attack on more queries.",
        )
    vectors = standardised(vectors, vectors[train])
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
    recalls = [float((guessed[truth == c] == c).mean()) for c in (0, 1) if (truth == c).any()]
    return AttackResult(
        accuracy=float((guessed == truth).mean()),
        majority=float(max(np.bincount(truth)) / len(truth)),
        balanced_accuracy=float(np.mean(recalls)),
        n_train=len(train),
        n_test=len(test),
        n_test_gendered=int(truth.sum()),
    )


def _drawn(qids: Sequence[str], train_share: float, generator: torch.Generator) -> set[str]:
    """The queries that are left when a share of them trains."""
    names = sorted(set(qids))
    order = torch.randperm(len(names), generator=generator).tolist()
    return {names[place] for place in order[int(train_share * len(names)) :]}


def _split(qids: Sequence[str], tested: Collection[str]) -> tuple[Tensor, Tensor]:
    """Places of the passages of the queries to train on, and of the tested ones."""
    is_tested = torch.tensor([qid in tested for qid in qids])
    return (~is_tested).nonzero().flatten(), is_tested.nonzero().flatten()
