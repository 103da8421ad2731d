"""The labels of a batch: which one stands for each query, and how it came about."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.db.models import Count

from annotation.labels.export.labels import ExportedLabel, ExportedVote
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import votes_that_count
from annotation.models import AuditEvent, Batch, Label, Labelling, Study, StudyFile
from annotation.vocabulary import TIE, AuditAction, Category, FileKind, LabelMethod
from metrics.errors import InputError
from metrics.io.digests import digest_in

#: Queries whose votes are asked for by their ids; of more, all votes of the batch are read.
_FEW = 100


def standing_labels(*, batch: Batch) -> dict[int, Label]:
    """By query: the adjudicator's decision, else the label of the batch's method, also a tie.

    Two statements. Raises `InputError` for a batch that was never labelled.
    """
    check_labelled(batch)
    standing = Label.objects.standing().filter(query__batch=batch)
    return {label.query_id: label for label in standing}


def check_labelled(batch: Batch) -> None:
    """Raise `InputError` for a batch that was never labelled."""
    if not Labelling.objects.filter(batch=batch).exists():
        raise InputError(
            f"the batch {batch.name!r} has no labels yet.",
            remedy=f"Decide them: python manage.py label decide {shlex.quote(batch.name)}",
        )


def standing_counts(*, batch: Batch) -> Counter[str]:
    """How many labels of each value stand. One statement, and no object per label."""
    standing = Label.objects.standing().filter(query__batch=batch).order_by()
    return Counter(dict(standing.values_list("value").annotate(n=Count("pk"))))


def label_source(label: Label) -> str:
    """How a label came about: adjudicated, released, tie, model-based, unanimous or majority."""
    return _source(label.value, label.method, label.n_votes, label.n_for)


def _source(value: str, method: str, n_votes: int, n_for: int) -> str:
    if method in (LabelMethod.ADJUDICATED, LabelMethod.RELEASED):
        return method
    if value == TIE:
        return TIE
    if method != LabelMethod.MAJORITY:
        return "model-based"
    return "unanimous" if n_for == n_votes else "majority"


def exported_labels(
    *, batch: Batch, category: str = "all", ties: bool = False
) -> list[ExportedLabel]:
    """The labels to export, in the batch's order: of one category, or of all; without votes.

    A tie is no category: it comes only where `ties` asks for it.
    """
    check_labelled(batch)
    values = Category.values if category == "all" else [category]
    standing = Label.objects.standing().filter(
        query__batch=batch, value__in=[*values, TIE] if ties else values
    )
    rows = standing.order_by("query__position").values_list(
        *("query__qid", "query__text", "value", "method"),
        *("n_votes", "n_for", "confidence", "reason"),
    )
    return [
        ExportedLabel(qid, text, value, method, _source(value, method, n, n_for), n, n_for, *more)
        for qid, text, value, method, n, n_for, *more in rows.iterator(20_000)
    ]


def with_votes(labels: Sequence[ExportedLabel], *, batch: Batch) -> list[ExportedLabel]:
    """The same labels with the votes that count.

    Under pseudonyms, in an order that tells nothing about who voted when.
    """
    votes = votes_that_count(batch=batch).order_by()
    if len(labels) <= _FEW:
        votes = votes.filter(query__qid__in=[label.qid for label in labels])
    names = worker_names(batch=batch)
    columns = votes.values_list("query__qid", "worker_id", "category", "worker__kind")
    by_query: defaultdict[str, list[ExportedVote]] = defaultdict(list)
    for qid, worker, category, kind in columns.iterator(20_000):
        by_query[qid].append(ExportedVote(names[worker], category, kind))
    for of_query in by_query.values():
        of_query.sort(key=lambda vote: (vote.worker, vote.category))
    return [replace(label, votes=tuple(by_query[label.qid])) for label in labels]


def files_with_labels(*, study: Study, files: Iterable[StudyFile]) -> list[StudyFile]:
    """Those of `files` whose third column holds labels that no batch of the study has."""
    held = [
        file
        for file in files
        if file.kind == FileKind.QUERIES and file.summary.get("layout") == "labels"
    ]
    if not held:
        return []
    events = AuditEvent.objects.filter(batch__study=study, action=AuditAction.LABELS_IMPORTED)
    imported = set(map(digest_in, events.values_list("detail", flat=True)))
    return [file for file in held if file.digest not in imported]
