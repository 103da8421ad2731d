"""A study as a release for others."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from django.conf import settings

from annotation.labels.export.pseudonyms import within_release
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import workers_without_say
from annotation.models import Batch, BatchQuery, Choice, Study, Vote
from annotation.reports.bundle.contents import measured_bias
from annotation.reports.bundle.tables import TextRow
from annotation.reports.queries.batch_bundle import batch_bundle
from annotation.reports.queries.bundle import decided_on, released_batches
from annotation.reports.release.data import (
    Release,
    ReleasedAnswer,
    ReleasedBatch,
    ReleasedText,
    Terms,
)
from annotation.vocabulary import WorkerKind
from metrics.errors import InputError

_Row = TypeVar("_Row", ReleasedAnswer, ReleasedText)


def study_release(*, study: Study, terms: Terms) -> Release:
    """The votes, labels, agreement and bias of a study under names that hold in it alone.

    Archived batches and drafts are left out. Raises `InputError` without any answer.
    """
    batches = released_batches(study)
    released = [_batch(batch, with_texts=terms.texts) for batch in batches]
    if not any(
        batch.answers or any(decision.decided for decision in batch.tables.decisions)
        for batch in released
    ):
        raise InputError(
            f"the study {study.name!r} has no votes and no labels to release.",
            remedy="Collect or import votes first.",
        )
    return Release(
        study=study.name,
        description=study.description,
        decided_on=decided_on(study, [batch.pk for batch in batches]),
        terms=replace(terms, title=terms.title or study.name),
        batches=_renamed(released),
    )


def _batch(batch: Batch, *, with_texts: bool) -> ReleasedBatch:
    bundle = batch_bundle(batch=batch)
    study_queries = BatchQuery.objects.filter(batch=batch, gold="").order_by("position")
    queries = dict(study_queries.values_list("qid", "text"))
    return ReleasedBatch(
        tables=bundle,
        queries=queries,
        answers=_answers(batch),
        texts=_texts(bundle.texts, queries) if with_texts else (),
        measures=[result.row() for result in measured_bias(bundle)] if bundle.runs else (),
    )


def _texts(rows: Iterable[TextRow], queries: Collection[str]) -> list[ReleasedText]:
    """Those about queries of the study and whole tasks; neither repeated nor rejected."""
    return [
        ReleasedText(
            *(row.qid, row.worker, row.kind, row.question, row.option, row.text),
            counts=int(not row.set_aside),
        )
        for row in rows
        if not row.repeated and (not row.qid or row.qid in queries)
    ]


def _answers(batch: Batch) -> list[ReleasedAnswer]:
    """Of each query, worker and closed question; neither repeated or rejected, nor to gold."""
    names, discarded = worker_names(batch=batch), workers_without_say(batch=batch)
    rows = (
        Choice.objects.filter(vote__in=Vote.objects.of_study(batch).standing())
        .exclude(option="")
        .select_related("vote__query", "vote__worker", "vote__assignment")
        .order_by("vote__query__position", "pk")
    )
    choices: dict[tuple[int, str], list[Choice]] = {}
    for row in rows:
        choices.setdefault((row.vote_id, row.question), []).append(row)
    positioned = [
        (
            vote.query.position,
            ReleasedAnswer(
                qid=vote.query.qid,
                annotator=names[vote.worker_id],
                kind=vote.worker.voter_kind,
                question=question,
                codes=tuple(row.option for row in chosen),
                counts=int(vote.worker_id not in discarded),
                answered_on=vote.day,
                seconds=vote.seconds,
                suggested=vote.query.suggestion,
            ),
        )
        for (_, question), chosen in choices.items()
        for vote in [chosen[0].vote]
    ]
    return [answer for _, answer in sorted(positioned, key=lambda row: (row[0], row[1].annotator))]


def _renamed(batches: Sequence[ReleasedBatch]) -> list[ReleasedBatch]:
    """Return the batches with new voters' names; language models keep theirs, which are results."""
    answers = [answer for batch in batches for answer in batch.answers]
    texts = [text for batch in batches for text in batch.texts]
    content = hashlib.sha256(repr([*answers, *texts]).encode()).hexdigest()
    kinds = {row.annotator: row.kind for row in answers} | {
        row.annotator: row.kind for row in texts
    }
    voters = {name for name, kind in kinds.items() if kind != WorkerKind.MODEL}
    names = within_release(voters, content=content, key=settings.SECRET_KEY)
    return [
        replace(
            batch,
            answers=_with_names(batch, batch.answers, names),
            texts=_with_names(batch, batch.texts, names),
        )
        for batch in batches
    ]


def _with_names(batch: ReleasedBatch, rows: Sequence[_Row], names: Mapping[str, str]) -> list[_Row]:
    """In the order of the queries, then of the new names; comments on tasks are the last."""
    place = {qid: number for number, qid in enumerate([*batch.queries, ""])}
    renamed = [replace(row, annotator=names.get(row.annotator, row.annotator)) for row in rows]
    return sorted(renamed, key=lambda row: (place[row.qid], row.annotator))
