"""Results of a batch's questions, from the database."""

from typing import Any

from annotation.labels.by_question import (
    Adjudication,
    AskedQuery,
    SchemeResults,
    results_of,
    stored_decision,
)
from annotation.labels.queries.votes import question_votes, study_queries
from annotation.models import Batch, Label, Labelling
from annotation.vocabulary import TIE, LabelMethod
from metrics.votes.deciding import Decision


def adjudications(*, batch: Batch) -> dict[tuple[str, str], Adjudication]:
    """Return the adjudicators' decisions, by question and query id."""
    stored = Label.objects.filter(query__batch=batch, method=LabelMethod.ADJUDICATED)
    return {
        (label.question, label.query.qid): Adjudication(
            frozenset(label.codes), label.decided_by, label.reason
        )
        for label in stored.select_related("query")
    }


def method_labels(*, batch: Batch) -> dict[str, dict[str, Decision]]:
    """Return the methods' decisions on labelled questions, by question and query id."""
    labelled = Labelling.objects.filter(batch=batch).values_list("question", flat=True)
    decisions: dict[str, dict[str, Decision]] = {name: {} for name in labelled}
    labels = Label.objects.standing().filter(query__batch=batch)
    columns = ("question", "query__qid", "value", "n_votes", "n_for", "confidence")
    rows = labels.exclude(method=LabelMethod.ADJUDICATED).order_by().values_list(*columns)
    for question, qid, value, n_votes, n_for, confidence in rows.iterator(20_000):
        decisions[question][qid] = stored_decision(
            qid, "" if value == TIE else value, n_votes, n_for, confidence
        )
    return decisions


def scheme_results(*, batch: Batch) -> SchemeResults:
    """Agreement, decisions and subset from every answer that counts, as they stand."""
    standing = {"adjudications": adjudications(batch=batch), "labels": method_labels(batch=batch)}
    return results_by_kind(batch=batch, **standing)


def results_by_kind(*, batch: Batch, **standing: Any) -> SchemeResults:
    """The results where the rule of each question's kind alone decides."""
    rows = study_queries(batch=batch).values_list("pk", "qid", "text")
    queries = [AskedQuery(*row) for row in rows]
    return results_of(batch.scheme, queries, question_votes(batch=batch), **standing)
