"""A study as a release for others."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from django.conf import settings

from annotation.labels.export.pseudonyms import within_release
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import workers_without_say
from annotation.models import Batch, BatchQuery, Choice, Study, Vote
from annotation.reports.bundle.contents import measured_bias
from annotation.reports.queries.batch_bundle import batch_bundle
from annotation.reports.queries.bundle import decided_on, released_batches
from annotation.reports.queries.release_scheme import released_scheme
from annotation.reports.release.data import (
    Release,
    ReleasedAnswer,
    ReleasedBatch,
    ReleasedVote,
    Terms,
)
from annotation.task_page import CANNOT_TELL, released_code
from annotation.vocabulary import CATEGORY_QUESTION, Category, WorkerKind
from metrics.errors import InputError

Row = TypeVar("Row", ReleasedVote, ReleasedAnswer)


def study_release(*, study: Study, terms: Terms) -> Release:
    """The votes, labels, agreement and bias of a study under names that hold in it alone.

    Archived batches and drafts are left out. Raises `InputError` without any answer.
    """
    batches = released_batches(study)
    released = [_batch(batch) for batch in batches]
    if not any(
        batch.votes or batch.labels or (batch.scheme and batch.scheme.answers) for batch in released
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
        options={str(category): category.label for category in Category},
        cannot_tell=CANNOT_TELL,
        batches=_renamed(released),
    )


def _batch(batch: Batch) -> ReleasedBatch:
    bundle, scheme = batch_bundle(batch=batch), released_scheme(batch)
    texts = BatchQuery.objects.filter(batch=batch, gold="").order_by("position")
    return ReleasedBatch(
        name=batch.name,
        queries=dict(texts.values_list("qid", "text")),
        votes=_votes(batch),
        labels=bundle.decisions,
        agreement={} if scheme else bundle.agreement,
        terms=bundle.terms,
        texts=bundle.scheme.as_json() if bundle.is_scheme_known else None,
        suggested_by=batch.suggested_by,
        measures=[result.row() for result in measured_bias(bundle)] if bundle.runs else (),
        scheme=scheme,
    )


def _votes(batch: Batch) -> list[ReleasedVote]:
    """The votes that are not repeated, by query; gold questions are left out."""
    names = worker_names(batch=batch)
    discarded = workers_without_say(batch=batch)
    rows = (
        Choice.objects.filter(
            vote__in=Vote.objects.of_study(batch).standing(), question=CATEGORY_QUESTION
        )
        .select_related("vote__query", "vote__worker", "vote__assignment")
        .order_by("vote")
    )
    votes = [
        (
            row.vote.query.position,
            ReleasedVote(
                qid=row.vote.query.qid,
                annotator=names[row.vote.worker_id],
                kind=row.vote.worker.voter_kind,
                label=released_code(row.option),
                counts=int(row.vote.worker_id not in discarded),
                answered_on=row.vote.day,
                seconds=row.vote.seconds,
                suggested=row.vote.query.suggestion,
            ),
        )
        for row in rows
    ]
    return [vote for _, vote in sorted(votes, key=lambda row: (row[0], row[1].annotator))]


def _renamed(batches: Sequence[ReleasedBatch]) -> list[ReleasedBatch]:
    """Return the batches with new voters' names; language models keep theirs, which are results."""
    votes = [vote for batch in batches for vote in batch.votes]
    answers = [answer for batch in batches if batch.scheme for answer in batch.scheme.answers]
    said = repr(votes) + (repr(answers) if answers else "")
    content = hashlib.sha256(said.encode()).hexdigest()
    voters = {vote.annotator for vote in votes if vote.kind != WorkerKind.MODEL}
    voters |= {answer.annotator for answer in answers if answer.kind != WorkerKind.MODEL}
    names = within_release(voters, content=content, key=settings.SECRET_KEY)
    return [
        replace(
            batch,
            votes=_with_names(batch.votes, names),
            scheme=batch.scheme
            and replace(batch.scheme, answers=_with_names(batch.scheme.answers, names)),
        )
        for batch in batches
    ]


def _with_names(votes: Sequence[Row], names: Mapping[str, str]) -> list[Row]:
    """In an order that follows from the new names, query by query."""
    place: dict[str, int] = {}
    for vote in votes:
        place.setdefault(vote.qid, len(place))
    renamed = [replace(vote, annotator=names.get(vote.annotator, vote.annotator)) for vote in votes]
    return sorted(renamed, key=lambda vote: (place[vote.qid], vote.annotator))
