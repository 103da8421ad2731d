"""The decisions of a batch as rows of a bundle, and what does not follow from the answers."""

import math
from collections.abc import Iterator, Mapping, Sequence

from annotation.labels.by_question import SchemeResults
from annotation.reports.bundle.parameters import ADJUDICATED
from annotation.reports.bundle.tables import DecisionRow
from metrics.votes.deciding import State
from metrics.votes.table import joined

#: Tolerance of posteriors, which depend on where the iteration stopped.
_POSTERIOR_TOLERANCE = 1e-6


def decision_rows(results: SchemeResults, methods: Mapping[str, str]) -> list[DecisionRow]:
    """A row for each query and closed question, in their order.

    `methods` are those of the labelled questions.
    """
    return [
        DecisionRow(
            qid=query.qid,
            question=name,
            decided=joined(decision.codes),
            n_answers=decision.n_votes,
            n_for=decision.n_for,
            n_cannot_tell=decision.n_cannot_tell,
            in_subset=int(query.is_in_subset),
            source="" if not decision.label else ADJUDICATED if person else "answers",
            decided_by=person.by if person else "",
            reason=person.reason if person else "",
            method=ADJUDICATED if person else methods.get(name, "") if has_label else "",
            confidence=decision.confidence,
        )
        for query in results.queries
        for name, decision in query.decisions.items()
        for person in [query.adjudications.get(name)]
        for has_label in [decision.state in (State.DECIDED, State.TIE)]
    ]


def decision_differences(
    stored: Sequence[DecisionRow], computed: Sequence[DecisionRow]
) -> Iterator[tuple[str, str]]:
    """Describe each decision that does not follow from the answers, after the id of its query."""
    by_key = {(row.qid, row.question): row for row in computed}
    for row in stored:
        recomputed = by_key.pop((row.qid, row.question), None)
        if recomputed is None:
            yield row.qid, f"{row.qid} has a decision on {row.question!r} that nothing asks for."
        elif _checked(row) != _checked(recomputed):
            yield row.qid, f"{row.qid}: {_words(row)}, computed {_words(recomputed)}."
        elif not is_close(row.confidence, recomputed.confidence, _POSTERIOR_TOLERANCE):
            yield (
                row.qid,
                f"{row.qid} has the confidence {row.confidence}, computed {recomputed.confidence}.",
            )
    for qid, question in by_key:
        yield qid, f"{qid} has no decision on {question!r}."


def _checked(row: DecisionRow) -> tuple[str | int, ...]:
    """The cells that follow from the answers exactly."""
    return (row.decided, row.n_answers, row.n_for, row.n_cannot_tell, row.in_subset, row.method)


def _words(row: DecisionRow) -> str:
    cannot_tell = f", {row.n_cannot_tell} could not tell" if row.n_cannot_tell else ""
    return (
        f"{row.question} is {row.decided or 'undecided'} ({row.n_for} of {row.n_answers} answers"
        f"{cannot_tell}, {'in' if row.in_subset else 'not in'} the subset"
        f"{f', by {row.method}' if row.method else ''})"
    )


def is_close(number: float | None, other: float | None, tolerance: float) -> bool:
    """Return whether two numbers are equal within `tolerance`, relative or absolute."""
    if number is None or other is None:
        return number is other
    return math.isclose(number, other, rel_tol=tolerance, abs_tol=tolerance)
