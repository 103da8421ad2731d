"""Judgments of answers by people or models: support of sentences, nuggets of information.

The figures are those of TREC's RAG track (Ronak Pradeep et al. The Great Nugget Recall. 2025;
Nandan Thakur et al. Support Evaluation for the TREC 2024 RAG Track. 2025).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import InputError

#: How far a citation supports its sentence, or an answer states a nugget.
FULL, PARTIAL, NONE = 1.0, 0.5, 0.0


@dataclass(frozen=True)
class Support:
    """Weighted precision, over the sentences that cite, and weighted recall, over all."""

    precision: float
    recall: float


def support(sentences: Sequence[float | None]) -> Support:
    """Support of the sentences of one answer, None for one that cites nothing.

    >>> support([1, None, 0.5])
    Support(precision=0.75, recall=0.5)
    """
    if not sentences:
        raise InputError("an answer without sentences has no support.")
    supported = [value for value in sentences if value is not None]
    total = sum(supported)
    return Support(total / len(supported) if supported else 0.0, total / len(sentences))


@dataclass(frozen=True)
class Nuggets:
    """Shares of the nuggets that an answer states; NaN where there is none of the kind."""

    strict_vital: float
    vital: float
    strict_all: float
    all: float


def nuggets(judged: Iterable[tuple[bool, float]]) -> Nuggets:
    """The shares for one answer; of each nugget whether it is vital, and how far it is stated.

    >>> nuggets([(True, 1), (True, 0.5), (False, 1), (False, 0)])
    Nuggets(strict_vital=0.5, vital=0.75, strict_all=0.5, all=0.625)
    """
    rows = list(judged)
    vital = [stated for is_vital, stated in rows if is_vital]
    every = [stated for _, stated in rows]
    return Nuggets(_strict(vital), _mean(vital), _strict(every), _mean(every))


def _strict(stated: Sequence[float]) -> float:
    return _mean([float(value == FULL) for value in stated])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
