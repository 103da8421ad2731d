"""Triples out of judgements and a run, and what their words alone give away."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from metrics.errors import InputError
from metrics.measures.base import Qrels
from metrics.runs import Run
from rankers.neural.passages import Passages
from rankers.neural.triples import Triple
from rankers.neural.vocabulary import split_words

Positives = Literal["run", "judged"]
Negatives = Literal["hard", "random", "mixed"]
POSITIVES: tuple[Positives, ...] = get_args(Positives)
NEGATIVES: tuple[Negatives, ...] = get_args(Negatives)
#: Between these shares of the triples, exact matches help, and do not decide alone.
_LEAST, _MOST = 0.5, 0.9


@dataclass(frozen=True)
class Sampling:
    """`per_positive` negatives for each relevant passage.

    `positives`: the relevant passages among the run's first `depth`, or all that are `judged`. A
    run finds passages by their words; judged passages outside of it have fewer words of the query
    than its negatives, which teaches that matching is bad. `negatives`: `hard` ones out of the
    run's first `depth`, `random` ones out of the collection, or `mixed`, half of each.

    With `magnitude` (docno to gender magnitude) a hard negative is drawn in proportion to
    1 + `bias_strength` x its magnitude: gendered negatives teach a model not to prefer them
    (Bigdeli et al., *A Light-Weight Strategy for Restraining Gender Biases in Neural Rankers*,
    ECIR 2022).
    """

    per_positive: int = 4
    depth: int = 200
    min_grade: int = 1
    positives: Positives = "run"
    negatives: Negatives = "hard"
    magnitude: Mapping[str, float] | None = None
    bias_strength: float = 1.0


def sample_triples(
    qrels: Qrels,
    run: Run,
    queries: Mapping[str, str],
    passages: Passages,
    *,
    sampling: Sampling,
    seed: int,
) -> list[Triple]:
    """Triples of the queries that have a text, a relevant passage and a negative, drawn by `seed`.

    A negative is not judged relevant; `InputError` where no query is left.
    """
    rng = np.random.default_rng(seed)
    triples: list[Triple] = []
    for qid in (qid for qid in run.qids if qid in queries and qid in qrels):
        grades = qrels[qid]
        relevant = {docno for docno, grade in grades.items() if grade >= sampling.min_grade}
        ranked = [docno for docno in run.documents(qid)[: sampling.depth] if docno in passages]
        hard = [docno for docno in ranked if docno not in relevant]
        candidates = relevant & set(ranked) if sampling.positives == "run" else relevant
        for docno in sorted(docno for docno in candidates if docno in passages):
            negatives = _negatives(rng, hard, relevant, passages, sampling)
            triples += [
                Triple(queries[qid], passages[docno], passages[other], docno, other)
                for other in negatives
            ]
    if not triples:
        raise InputError(
            "no query has a relevant passage and a negative, both with a text.",
            remedy="Check that --queries, --qrels, --run and --collection belong together.",
        )
    return triples


def _negatives(
    rng: np.random.Generator,
    hard: Sequence[str],
    relevant: set[str],
    passages: Passages,
    sampling: Sampling,
) -> list[str]:
    n_random = {"hard": 0, "random": sampling.per_positive, "mixed": sampling.per_positive // 2}
    n_drawn = n_random[sampling.negatives]
    drawn = (passages.docno_at(int(row)) for row in rng.integers(len(passages), size=n_drawn))
    chosen = [docno for docno in drawn if docno not in relevant]
    return chosen + _draw_hard(rng, hard, sampling.per_positive - n_drawn, sampling)


def _draw_hard(
    rng: np.random.Generator, hard: Sequence[str], size: int, sampling: Sampling
) -> list[str]:
    size = min(size, len(hard))
    if not size:
        return []
    weights = None
    if sampling.magnitude is not None:
        gendered = np.array([sampling.magnitude.get(docno, 0.0) for docno in hard])
        weights = 1 + sampling.bias_strength * gendered
        weights = weights / weights.sum()
    return [hard[i] for i in rng.choice(len(hard), size, replace=False, p=weights)]


@dataclass(frozen=True)
class ExactMatch:
    """Mean share of the query's words that the passages of each side have, over the triples.

    `told_apart`: the share of triples whose positive has more of them than the negative, ties
    counted half (the AUC of this one feature).
    """

    positive: float
    negative: float
    told_apart: float

    @property
    def warning(self) -> str:
        """Warning before training; empty where there is none."""
        shares = f"({self.negative:.3f} against {self.positive:.3f})"
        if self.told_apart < _LEAST:
            return (
                f"The negatives hold more of the query's words than the positives {shares}: a "
                "network would learn that exact matches are bad. Draw both sides from one run."
            )
        if self.told_apart > _MOST:
            return (
                f"The negatives hold so few of the query's words {shares} that exact matches "
                "alone separate them from the positives: use hard or mixed negatives."
            )
        return ""


def exact_match(triples: Iterable[Triple]) -> ExactMatch:
    """Share of these triples whose positive and negative exact matches alone tell apart."""
    rows = []
    for triple in triples:
        words = set(split_words(triple.query))
        rows.append(
            [
                len(words & set(split_words(text))) / max(1, len(words))
                for text in (triple.positive, triple.negative)
            ]
        )
    positive, negative = np.array(rows).T
    told_apart = (positive > negative).mean() + (positive == negative).mean() / 2
    return ExactMatch(float(positive.mean()), float(negative.mean()), float(told_apart))
