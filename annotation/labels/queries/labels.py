"""The labels of a batch: which one stands for each query, and how it came about."""

import shlex
from collections import Counter, defaultdict

from django.db.models import Count

from annotation.labels.export.labels import ExportedLabel, ExportedVote
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import study_queries, votes_that_count
from annotation.models import Batch, Label, Labelling
from annotation.vocabulary import TIE, LabelMethod
from metrics.errors import InputError


def standing_labels(*, batch: Batch) -> dict[int, Label]:
    """By query: the adjudicator's decision, else the label of the batch's method, also a tie.

    Two statements. Raises `InputError` for a batch that was never labelled.
    """
    if not Labelling.objects.filter(batch=batch).exists():
        raise InputError(
            f"the batch {batch.name!r} has no labels yet.",
            remedy=f"Decide them: python manage.py label_batch {shlex.quote(batch.name)}",
        )
    standing = Label.objects.standing().filter(query__batch=batch)
    return {label.query_id: label for label in standing}


def standing_counts(*, batch: Batch) -> Counter[str]:
    """How many labels of each value stand. One statement, and no object per label."""
    standing = Label.objects.standing().filter(query__batch=batch).order_by()
    return Counter(dict(standing.values_list("value").annotate(n=Count("pk"))))


def label_source(label: Label) -> str:
    """How a label came about: adjudicated, released, tie, model-based, unanimous or majority."""
    if label.method in (LabelMethod.ADJUDICATED, LabelMethod.RELEASED):
        return label.method
    if label.value == TIE:
        return TIE
    if label.method != LabelMethod.MAJORITY:
        return "model-based"
    return "unanimous" if label.n_for == label.n_votes else "majority"


def exported_labels(
    *, batch: Batch, category: str = "all", ties: bool = False, votes: bool = True
) -> list[ExportedLabel]:
    """The labels to export, in the batch's order: of one category, or of all four.

    A tie is no category: it comes only where `ties` asks for it. The votes are those that count,
    under pseudonyms, in an order that tells nothing about who voted when.
    """
    standing = standing_labels(batch=batch)
    voted = _exported_votes(batch) if votes else {}
    found = []
    for query in study_queries(batch=batch):
        label = standing.get(query.pk)
        if label is None or (label.value == TIE and not ties):
            continue
        if category not in ("all", label.value) and label.value != TIE:
            continue
        found.append(
            ExportedLabel(
                qid=query.qid,
                query=query.text,
                label=label.value,
                method=label.method,
                source=label_source(label),
                n_votes=label.n_votes,
                n_for=label.n_for,
                confidence=label.confidence,
                reason=label.reason,
                votes=voted.get(query.pk, ()),
            )
        )
    return found


def _exported_votes(batch: Batch) -> dict[int, tuple[ExportedVote, ...]]:
    rows = list(votes_that_count(batch=batch).select_related("worker", "query"))
    names = worker_names(batch=batch)
    by_query: defaultdict[int, list[ExportedVote]] = defaultdict(list)
    for vote in rows:
        by_query[vote.query_id].append(
            ExportedVote(names[vote.worker_id], vote.category, vote.worker.kind)
        )
    return {
        query: tuple(sorted(given, key=lambda vote: (vote.worker, vote.category)))
        for query, given in by_query.items()
    }
