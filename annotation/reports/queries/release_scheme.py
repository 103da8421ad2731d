"""The scheme of a batch as a release has it."""

from annotation.agreement.scheme_results import SchemeResults
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import workers_without_say
from annotation.models import Batch, Choice, Vote
from annotation.reports.release.data import Decision, ReleasedAnswer, ReleasedScheme
from metrics.vocabulary import LEVEL


def released_scheme(batch: Batch) -> ReleasedScheme | None:
    """Scheme, answers, decisions and agreement; None of a batch that asks for the categories."""
    scheme = batch.scheme
    if scheme.asks_for_categories:
        return None
    results = scheme_results(batch=batch)
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
        Choice.objects.filter(vote__in=Vote.objects.of_study(batch).standing())
        .exclude(option="")
        .select_related("vote__query", "vote__worker", "vote__assignment")
        .order_by("vote__query__position", "vote__worker", "pk")
    )
    given: dict[tuple[int, str], list[Choice]] = {}
    for row in rows:
        given.setdefault((row.vote_id, row.question), []).append(row)
    return [
        ReleasedAnswer(
            qid=vote.query.qid,
            annotator=names[vote.worker_id],
            kind=vote.worker.voter_kind,
            question=question,
            codes=tuple(row.option for row in chosen),
            counts=int(vote.worker_id not in discarded),
            answered_on=vote.day,
        )
        for (_, question), chosen in given.items()
        for vote in [chosen[0].vote]
    ]


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
