"""The answers to a batch's scheme, read from the database and written as files."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from annotation.agreement.answers import Adjudication, Answer
from annotation.agreement.scheme_results import (
    AskedQuery,
    Given,
    QueryResult,
    SchemeResults,
    decisions_of,
    results_of,
)
from annotation.core.csv_rows import csv_lines
from annotation.labels.queries.gold import known_by_query
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.quality import question_quality
from annotation.labels.queries.votes import study_queries
from annotation.models import Batch, SchemeDecision, SchemeVote, Worker
from annotation.schemes import CANNOT_TELL, JOINED, Scheme, scheme_to_yaml
from annotation.vocabulary import WorkerKind
from metrics.errors import InputError

#: The files of a batch with a scheme, by name.
SCHEME_FILES = ("labels", "votes", "quality", "subset", "scheme")


def adjudications(*, batch: Batch) -> dict[tuple[str, str], Adjudication]:
    """What adjudicators decided, by question and the id of the query."""
    stored = SchemeDecision.objects.filter(query__batch=batch).select_related("query")
    return {
        (one.question, one.query.qid): Adjudication(
            frozenset(one.codes), one.decided_by, one.reason
        )
        for one in stored
    }


def scheme_results(*, batch: Batch, scheme: Scheme) -> SchemeResults:
    """Agreement, decisions and subset from every answer that counts; three statements."""
    queries, answers = _given(batch)
    return results_of(scheme, queries, answers, adjudications=adjudications(batch=batch))


def scheme_decisions(*, batch: Batch, scheme: Scheme) -> list[QueryResult]:
    """What is decided about each query, without agreement; three statements."""
    return decisions_of(scheme, *_given(batch), adjudications(batch=batch))


def _given(batch: Batch) -> tuple[list[AskedQuery], Given]:
    queries = [
        AskedQuery(*row) for row in study_queries(batch=batch).values_list("pk", "qid", "text")
    ]
    answers: dict[str, dict[str, dict[str, Answer]]] = defaultdict(lambda: defaultdict(dict))
    rows = SchemeVote.objects.filter(query__batch=batch, query__gold="").counted()
    rows = rows.exclude(option="")
    for name, qid, worker, option in rows.order_by("pk").values_list(
        "question", "query__qid", "worker_id", "option"
    ):
        given = answers[name][qid]
        given[str(worker)] = given.get(str(worker), frozenset()) | {option}
    return queries, answers


class WorkerAnswers(NamedTuple):
    """What one worker answered about a query: (question, answer in words) by question."""

    worker: str
    kind: str
    kind_name: str
    answers: list[tuple[str, str]]


def answers_to_query(*, batch: Batch, scheme: Scheme, query: int) -> list[WorkerAnswers]:
    """The answers that count to one query, worker by worker under pseudonyms."""
    names = worker_names(batch=batch)
    rows = SchemeVote.objects.filter(query=query).counted().select_related("worker").order_by("pk")
    found: dict[int, WorkerAnswers] = {}
    for row in rows:
        worker = row.worker
        kind = WorkerKind(worker.kind)
        of = found.setdefault(
            worker.pk, WorkerAnswers(names[worker.pk], kind.value, str(kind.label), [])
        )
        labels = scheme.question(row.question).labels
        words = "I cannot tell" if row.option == CANNOT_TELL else labels.get(row.option, row.text)
        of.answers.append((row.question, words))
    return sorted(found.values())


def scheme_label_lines(results: SchemeResults) -> Iterator[str]:
    """CSV: a query a line with the decided codes of each question, and 1 in the subset, else 0.

    `adjudicated` has the questions that a person decided, joined.
    """
    names = [question.name for question in results.closed]
    numbers = [f"n_{name}" for name in names]
    rows: list[list[object]] = [["qid", "query", *names, *numbers, "in_subset", "adjudicated"]]
    rows += [
        [
            query.qid,
            query.text,
            *query.shown,
            *(query.decisions[name].n_answers for name in names),
            int(query.is_in_subset),
            JOINED.join(query.adjudicated),
        ]
        for query in results.queries
    ]
    return csv_lines(rows)


def scheme_subset_lines(results: SchemeResults) -> Iterator[str]:
    """The queries of the subset as `qid<TAB>query` lines, as every measure reads them."""
    return (f"{query.qid}\t{' '.join(query.text.split())}\n" for query in results.subset)


def scheme_vote_lines(*, batch: Batch) -> Iterator[str]:
    """CSV: an answer a line under pseudonyms; several options joined, `?` for "I cannot tell".

    With gold questions, a last column has the answer that is known, empty where none is.
    """
    names, known = worker_names(batch=batch), known_by_query(batch=batch)
    held: dict[tuple[str, str, int, str], list[str]] = {}
    rows = SchemeVote.objects.filter(query__batch=batch).counted()
    for qid, text, worker, question, option, free in rows.order_by(
        "query__position", "worker", "pk"
    ).values_list("query__qid", "query__text", "worker_id", "question", "option", "text"):
        held.setdefault((qid, text, worker, question), []).append(option or free)
    last = ["gold"] if known else []
    yield from csv_lines([["qid", "query", "worker", "question", "answer", *last]])
    yield from csv_lines(
        [qid, text, names[worker], question, JOINED.join(codes)]
        + [known.get(qid, {}).get(question, "") for _ in last]
        for (qid, text, worker, question), codes in held.items()
    )


def scheme_quality_lines(*, batch: Batch, scheme: Scheme) -> Iterator[str]:
    """CSV: a worker and closed question a line, shares from 0 to 1, empty where not known."""
    names = worker_names(batch=batch)
    known = dict(Worker.objects.filter(pk__in=names).values_list("worker_id", "pk"))
    yield from csv_lines(
        [("worker", "question", "n_answers", "with_majority", "with_others", "gold", "n_gold")]
    )
    yield from csv_lines(
        (
            *(names[known[worker]], question, row.n_votes),
            *(row.with_majority.value, row.with_others, row.gold_accuracy.value, row.n_gold),
        )
        for question, rows in question_quality(batch=batch, scheme=scheme).items()
        for worker, row in rows.items()
    )


def scheme_file(*, batch: Batch, scheme: Scheme, file: str) -> tuple[Iterable[str], str, str]:
    """Lines, name and content type of a file of the batch; `InputError` for an unknown one."""
    name = f"{batch.name}-{file}"
    if file == "votes":
        return scheme_vote_lines(batch=batch), f"{name}.csv", "text/csv"
    if file == "quality":
        return scheme_quality_lines(batch=batch, scheme=scheme), f"{name}.csv", "text/csv"
    if file == "scheme":
        return [scheme_to_yaml(scheme)], f"{name}.yaml", "application/yaml"
    if file not in SCHEME_FILES:
        raise InputError(
            f"there is no file {file!r}.",
            remedy="There are votes, labels, quality, subset and scheme.",
        )
    results = scheme_results(batch=batch, scheme=scheme)
    if file == "labels":
        return scheme_label_lines(results), f"{name}.csv", "text/csv"
    return scheme_subset_lines(results), f"{name}.tsv", "text/tab-separated-values"
