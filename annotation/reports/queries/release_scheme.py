"""The scheme of a batch as a release has it."""

from annotation.agreement.intervals import LEVEL
from annotation.agreement.scheme_results import SchemeResults
from annotation.batches.queries.codebooks import batch_scheme
from annotation.batches.queries.scheme_results import scheme_results
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import workers_without_say
from annotation.models import Batch, SchemeVote
from annotation.reports.release.data import Decision, ReleasedAnswer, ReleasedScheme
from annotation.vocabulary import AssignmentState


def released_scheme(batch: Batch) -> ReleasedScheme | None:
    """Scheme, answers, decisions and agreement; None of a batch that asks for the categories."""
    scheme = batch_scheme(batch)
    if scheme is None:
        return None
    results = scheme_results(batch=batch, scheme=scheme)
    return ReleasedScheme(
        scheme=scheme.as_json(),
        answers=_answers(batch),
        decisions=_decisions(results),
        agreement={
            row.question.name: {
                "coefficient": row.agreement.coefficient,
                "value": row.agreement.alpha.value,
                "low": row.agreement.alpha.low,
                "high": row.agreement.alpha.high,
                "level": LEVEL,
            }
            for row in results.questions
        },
    )


def _answers(batch: Batch) -> list[ReleasedAnswer]:
    """Of each query, worker and closed question, without those of rejected answers.

    Nor those to gold questions.
    """
    names, discarded = worker_names(batch=batch), workers_without_say(batch=batch)
    rows = (
        SchemeVote.objects.filter(query__batch=batch, query__gold="")
        .exclude(option="")
        .exclude(assignment__state=AssignmentState.REJECTED)
        .select_related("query", "worker", "assignment")
        .order_by("query__position", "worker", "pk")
    )
    given: dict[tuple[str, int, str], list[SchemeVote]] = {}
    for row in rows:
        given.setdefault((row.query.qid, row.worker_id, row.question), []).append(row)
    return [
        ReleasedAnswer(
            qid=qid,
            annotator=names[worker],
            kind=chosen[0].worker.voter_kind,
            question=question,
            codes=tuple(row.option for row in chosen),
            counts=int(worker not in discarded),
            answered_on=_day(chosen[0]),
        )
        for (qid, worker, question), chosen in given.items()
    ]


def _day(row: SchemeVote) -> str:
    at = row.assignment and row.assignment.submitted_at
    return at.date().isoformat() if at else ""


def _decisions(results: SchemeResults) -> list[Decision]:
    return [
        Decision(
            qid=query.qid,
            question=name,
            codes=tuple(sorted(decision.codes or ())),
            n_answers=decision.n_answers,
            n_cannot_tell=query.n_cannot_tell[name],
            chosen=query.chosen[name],
            in_subset=query.is_in_subset,
            source=decision.source,
        )
        for query in results.queries
        for name, decision in query.decisions.items()
    ]
