"""The standing labels of a batch, and their origins."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from django.db.models import Count

from annotation.labels.export.labels import ExportedLabel, ExportedVote
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.questions import codes_chosen
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import votes_that_count
from annotation.models import AuditEvent, Batch, Choice, Label, Labelling, Study, StudyFile
from annotation.models.labels import LabelQuerySet
from annotation.schemes import ALL, JOINED, Question
from annotation.vocabulary import TIE, AuditAction, FileKind, LabelMethod
from metrics.errors import InputError
from metrics.io.digests import digest_in
from metrics.io.pair_ids import split_pair_id
from metrics.votes.deciding import MODEL_METHODS

#: Most queries whose votes are read by id; beyond that all votes of the batch are read.
_FEW = 100


def check_labelled(batch: Batch, question: Question) -> None:
    """Raise `InputError` for a question that was never labelled."""
    if not Labelling.objects.filter(batch=batch, question=question.name).exists():
        raise InputError(
            f"the batch {batch.name!r} has no labels of {question.name!r} yet.",
            remedy=f"Decide them: python manage.py label decide {shlex.quote(batch.name)}",
        )


def standing_labels(*, batch: Batch, question: Question) -> LabelQuerySet:
    """The labels that stand for a question, of the queries that it is asked about."""
    standing = Label.objects.standing_for(batch, question.name)
    if question.shown_if is None:
        return standing
    decided = scheme_results(batch=batch).queries
    return standing.filter(
        query__in=[result.number for result in decided if result.decisions[question.name].is_asked]
    )


def standing_values(*, batch: Batch, question: Question) -> dict[str, int]:
    """Count the standing labels by value, several options of one label joined; ties, too."""
    standing = standing_labels(batch=batch, question=question).order_by()
    return dict(standing.values_list("value").annotate(n=Count("pk")))


def counts_by_option(values: Mapping[str, int]) -> Counter[str]:
    """Count labels by option, from their numbers by value."""
    counts: Counter[str] = Counter()
    for value, n in values.items():
        counts.update(dict.fromkeys(value.split(JOINED), n))
    return counts


def label_source(label: Label) -> str:
    """Return a label's origin: adjudicated, released, tie, model-based, unanimous or a rule's."""
    return source_of(label.value, label.method, label.n_votes, label.n_for)


def source_of(value: str, method: str, n_votes: int, n_for: int) -> str:
    """Return the `label_source` of a label that may not be stored."""
    if method in (LabelMethod.ADJUDICATED, LabelMethod.RELEASED):
        return method
    if value == TIE:
        return TIE
    if method in MODEL_METHODS:
        return "model-based"
    return "unanimous" if n_for == n_votes else method


def exported_labels(
    *, batch: Batch, question: Question, category: str = ALL, ties: bool = False
) -> list[ExportedLabel]:
    """The labels of a question to export, in the batch's order, without votes.

    Those with the options of `category`, as `codes_chosen` reads it. A tie is not a category: it is
    included only with `ties`.
    """
    check_labelled(batch, question)
    values = codes_chosen(scheme=batch.scheme, question=question, category=category)
    standing = standing_labels(batch=batch, question=question)
    if question.kind.takes_several:
        kept = [
            pk
            for pk, value in standing.values_list("pk", "value")
            if (ties if value == TIE else not set(value.split(JOINED)).isdisjoint(values))
        ]
        standing = standing.filter(pk__in=kept)
    else:
        standing = standing.filter(value__in=[*values, TIE] if ties else values)
    rows = standing.order_by("query__position").values_list(
        *("query__qid", "query__passage", "query__text", "value", "method"),
        *("n_votes", "n_for", "confidence", "reason"),
    )
    return [
        ExportedLabel(
            *(qid, text, value, method),
            source=source_of(value, method, n_votes, n_for),
            n_votes=n_votes,
            n_for=n_for,
            confidence=confidence,
            reason=reason,
            docno=docno,
            passage=passage,
        )
        for item, passage, text, value, method, n_votes, n_for, confidence, reason in (
            rows.iterator(20_000)
        )
        for qid, docno in [split_pair_id(item) if passage else (item, "")]
    ]


def with_votes(
    labels: Sequence[ExportedLabel], *, batch: Batch, question: Question
) -> list[ExportedLabel]:
    """Add the votes that count to the labels.

    Under pseudonyms, in an order that does not reveal who voted when.
    """
    votes = votes_that_count(batch=batch, question=question.name)
    if len(labels) <= _FEW:
        votes = votes.filter(query__qid__in=[label.item_id for label in labels])
    names = worker_names(batch=batch)
    choices = Choice.objects.options().filter(vote__in=votes, question=question.name)
    columns = choices.order_by("vote__query", "vote").values_list(
        "vote__query__qid", "vote__worker_id", "vote__worker__kind", "option"
    )
    by_query: defaultdict[str, list[ExportedVote]] = defaultdict(list)
    for (qid, worker, kind), of in groupby(columns.iterator(20_000), key=itemgetter(0, 1, 2)):
        codes = question.in_order([option for *_, option in of])
        by_query[qid].append(ExportedVote(names[worker], JOINED.join(codes), kind))
    for of_query in by_query.values():
        of_query.sort(key=lambda vote: (vote.worker, vote.category))
    return [replace(label, votes=tuple(by_query[label.item_id])) for label in labels]


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


@dataclass(frozen=True)
class LabelPart:
    """The labels of one value: `share` of all, beginning at `left`, both from 0 to 1."""

    code: str
    name: str
    n: int
    left: float
    share: float


def label_parts(question: Question, labels: Mapping[str, int]) -> list[LabelPart]:
    """Return the parts of a bar of labels, counted by value: in order, ties at the end."""
    in_order = dict.fromkeys([*question.codes, *sorted(labels.keys() - {TIE}), TIE])
    total = sum(labels.values())
    parts: list[LabelPart] = []
    left = 0.0
    for value in in_order:
        if n := labels.get(value, 0):
            name = "Tie" if value == TIE else question.words(value.split(JOINED))
            parts.append(LabelPart(value, name, n, left, n / total))
            left += n / total
    return parts
