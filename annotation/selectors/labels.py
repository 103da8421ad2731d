"""The labels of a batch: which one stands for each query, and how it came about."""

from collections import Counter, defaultdict

from django.db.models import QuerySet

from annotation.export.labels import ExportedLabel, ExportedVote
from annotation.models import Batch, Label, Labelling
from annotation.selectors.pseudonyms import worker_names
from annotation.selectors.votes import study_queries, votes_that_count
from annotation.vocabulary import TIE, LabelMethod
from metrics.errors import InputError


def standing_labels(*, batch: Batch) -> dict[int, Label]:
    """By query: the adjudicator's decision, else the label of the batch's method, also a tie.

    Two statements. Raises `InputError` for a batch that was never labelled.
    """
    labelling = Labelling.objects.filter(batch=batch).first()
    if labelling is None:
        raise InputError(
            f"the batch {batch.name!r} has no labels yet.",
            remedy=f"Decide them: python manage.py label_batch {batch.name}",
        )
    # The adjudicator's comes last and replaces the method's.
    ranked = sorted(
        _candidates(labelling), key=lambda label: label.method == LabelMethod.ADJUDICATED
    )
    return {label.query_id: label for label in ranked}


def standing_counts(*, labelling: Labelling) -> Counter[str]:
    """How many labels of each value stand. One statement, and no object per label."""
    found = _candidates(labelling).order_by().values_list("query_id", "method", "value")
    decided = {query: value for query, method, value in found if method != LabelMethod.ADJUDICATED}
    decided |= {query: value for query, method, value in found if method == LabelMethod.ADJUDICATED}
    return Counter(decided.values())


def _candidates(labelling: Labelling) -> QuerySet[Label]:
    """The labels of the batch's method and those of adjudicators, but for check queries."""
    return Label.objects.filter(
        query__batch=labelling.batch_id,
        query__gold="",
        method__in=[labelling.method, LabelMethod.ADJUDICATED],
    )


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
