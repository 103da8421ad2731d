"""Notices about a table: values over different queries, and signs that nobody named."""

from collections.abc import Iterable, Iterator, Mapping

from ..measures.sides import SHOWN, known_sides
from .evaluation import Result

_NAMED_AT_MOST = 5


def remarks(results: Iterable[Result]) -> list[str]:
    """Runs that are measured over different queries, judged queries without a document, and sides.

    The sign of a difference of two groups whose names do not tell which is which is said.
    """
    qids_of: dict[str, tuple[str, ...]] = {}
    gaps: dict[str, tuple[int, int]] = {}
    guessed: dict[str, tuple[str, ...]] = {}
    for result in results:
        of = result.population
        if of is not None and of.of == "run":
            qids_of.setdefault(result.run, of.qids)
        if of is not None and of.of == "judged" and result.n_queries == len(of.qids):
            gaps[result.run] = result.n_unanswered, result.n_queries
        if _is_guess(sides := tuple(result.per_query.sides), result.measure):
            guessed.setdefault(result.measure, sides)
    unanswered = {run: gap for run, gap in gaps.items() if gap[0]}
    return [*_other_queries(qids_of), *_gaps(unanswered), *_signs(guessed)]


def _is_guess(sides: tuple[str, ...], label: str) -> bool:
    """Return whether nobody said which side is the positive one, nor do their names."""
    return bool(sides) and sides != SHOWN and known_sides(sides) is None and "=" not in label


def _signs(guessed: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for measure, (low, high) in guessed.items():
        yield (
            f"{measure} is {high} minus {low}, in the order of their names. Reverse it with "
            f"{measure}(female={high},male={low})."
        )


def _other_queries(qids_of: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if len(set(qids_of.values())) > 1:
        counts = _listed(f"{run} {len(qids):,}" for run, qids in qids_of.items())
        yield (
            f"the runs answer different queries ({counts}), and each is measured over its own, "
            "so their values cannot be compared. Name the queries, to measure all runs over the "
            "same."
        )


def _gaps(gaps: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    if gaps:
        counts = _listed(f"{run} {n:,} of {total:,}" for run, (n, total) in gaps.items())
        yield f"judged queries for which a run has no document count 0: {counts}."


def _listed(texts: Iterable[str]) -> str:
    texts = list(texts)
    more = f" and {len(texts) - _NAMED_AT_MOST:,} more" if len(texts) > _NAMED_AT_MOST else ""
    return ", ".join(texts[:_NAMED_AT_MOST]) + more
