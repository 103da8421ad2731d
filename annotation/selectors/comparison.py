"""The methods side by side: which labels change, and how the bias of every run moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.agreement.aggregation import METHODS, Decisions, decide
from annotation.agreement.comparison import MethodComparison, compare_methods
from annotation.models import Batch
from annotation.selectors.quality import gold_answers
from annotation.selectors.votes import gold_table, vote_table
from annotation.vocabulary import Category
from metrics.errors import InputError
from metrics.evaluation import requests_of
from metrics.magnitude_store import open_magnitudes
from metrics.queries import Queries
from metrics.ranked import Missing
from metrics.scored_runs import score_runs

REFERENCE = "majority"


@dataclass(frozen=True)
class BiasByMethod:
    """A run's mean bias over the queries that a method calls non-gendered.

    `change` is the difference to the same bias under majority.
    """

    method: str
    run: str
    measure: str
    magnitude: str
    cutoff: int
    value: float | None
    n_queries: int
    change: float | None


def batch_decisions(*, batch: Batch, strict: bool = False, seed: int = 0) -> dict[str, Decisions]:
    """What every method decides; weighing with gold is left out where there is none."""
    table = vote_table(batch=batch)
    if not len(table):
        raise InputError(f"the batch {batch.name!r} has no votes yet.")
    gold, answers = gold_table(batch=batch), gold_answers(batch=batch)
    return {
        method: decide(
            table, method=method, strict=strict, seed=seed, gold_table=gold, gold=answers
        )
        for method in METHODS
        if method != "gold_weighted" or len(gold)
    }


def batch_comparison(decisions: Mapping[str, Decisions]) -> list[MethodComparison]:
    """Every method beside majority."""
    return compare_methods(
        decisions, reference=REFERENCE, categories=tuple(map(str, Category.values))
    )


def bias_by_method(
    decisions: Mapping[str, Decisions],
    *,
    magnitudes: str | Path,
    runs: Mapping[str, str | Path],
    measures: tuple[str, ...] = ("RaB", "ARaB"),
    missing: Missing = "error",
) -> list[BiasByMethod]:
    """RaB and ARaB of every run on the non-gendered queries of each method."""
    scored = open_magnitudes(magnitudes)
    found: list[BiasByMethod] = []
    before: dict[tuple[str, str, str, int], float | None] = {}
    for method, decided in decisions.items():
        wanted = {one.query: "" for one in decided.rows if one.label == Category.NON_GENDERED}
        queries = Queries(path=f"labels by {method}", layout="ids", texts=wanted)
        results = score_runs(
            runs, scored, requests_of(measures), queries=queries, missing=missing
        ).results
        for one in results:
            key = (one.run, one.measure, one.magnitude, one.cutoff)
            reference = before.setdefault(key, one.value)
            known = one.value is not None and reference is not None
            found.append(
                BiasByMethod(
                    method,
                    *key,
                    value=one.value,
                    n_queries=one.n_queries,
                    change=one.value - reference if known else None,  # type: ignore[operator] # `known`
                )
            )
    return found
