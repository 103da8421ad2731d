"""The queries of a batch for measuring, and who labelled them."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.labels.export.label_formats.json_lines import JSON_LINES
from annotation.labels.queries.labels import exported_labels
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import study_queries, voter_kinds
from annotation.models import Batch
from annotation.reports.queries.comparison import decided_by
from annotation.vocabulary import UNVERIFIED, WorkerKind
from metrics.errors import InputError
from metrics.io.digests import bytes_digest
from metrics.runs.queries import Queries

_WHO: dict[str, str] = {
    WorkerKind.HUMAN: "of people",
    WorkerKind.SIMULATED: "simulated",
    WorkerKind.MODEL: "of language models",
    UNVERIFIED: "of participants of panels of whom nothing proves who they are",
}


def labelled_queries(*, batch: Batch, category: str = "n") -> Queries:
    """The labelled queries of a category, as if read from the file that `label export` writes."""
    question = closed_question(batch=batch)
    labels = exported_labels(batch=batch, question=question, category=category)
    if not labels:
        raise InputError(f"the batch {batch.name!r} has no query of category {category!r}.")
    # JSON lines hold any text, also one that breaks the released layout.
    content = "".join(JSON_LINES.write(labels, frozenset()))
    return Queries(
        path=f"batch {batch.name}",
        layout="labels",
        texts={label.qid: label.query for label in labels},
        labels={label.qid: label.label for label in labels},
        digest=bytes_digest(content.encode()),
    )


@dataclass(frozen=True)
class LabelSource:
    """The queries to measure: those of a category in some batches, as decided by a method.

    `method` is empty for the labels that stand, `strict` for a majority of more than half of the
    votes, or one of the methods of `decide`.
    """

    batches: Sequence[Batch]
    category: str = "n"
    method: str = ""


def queries_of(source: LabelSource) -> tuple[Queries, list[str]]:
    """Return the queries of the source, and notes on their selection."""
    if not all(batch.scheme.asks_for_categories for batch in source.batches):
        return _subset_of(source), []
    if len(source.batches) == 1 and not source.method:
        return labelled_queries(batch=source.batches[0], category=source.category), []
    labelled = [_labelled(batch, source.method) for batch in source.batches]
    doubtful = {
        qid
        for one in labelled
        for qid, (_, label) in one.items()
        if any(other.get(qid, ("", label))[1] != label for other in labelled)
    }
    found = {
        qid: text_and_label
        for one in labelled
        for qid, text_and_label in one.items()
        if qid not in doubtful and source.category in ("all", text_and_label[1])
    }
    names = " and ".join(batch.name for batch in source.batches)
    if not found:
        raise InputError(f"{names} have no query of category {source.category!r}.")
    rows = [f"{qid}\t{label}\t{text}\n" for qid, (text, label) in sorted(found.items())]
    queries = Queries(
        path=f"batch {names}" + (f", labels by {source.method}" if source.method else ""),
        layout="labels",
        texts={qid: text for qid, (text, _) in found.items()},
        labels={qid: label for qid, (_, label) in found.items()},
        digest=bytes_digest("".join(rows).encode()),
    )
    left_out = f"{len(doubtful):,} queries are left out: the batches label them differently."
    return queries, [left_out] if doubtful else []


def _subset_of(source: LabelSource) -> Queries:
    """The queries in the subset of the one batch's scheme, named by its words."""
    batch, *others = source.batches
    scheme = batch.scheme
    if others:
        raise InputError(
            "a batch with a scheme is measured alone: its subset is no category of the paper.",
            remedy="Choose one batch.",
        )
    if source.method:
        raise InputError(
            f"the batch {batch.name!r} has a scheme, which decides each question by its kind.",
            remedy="Leave out the method.",
        )
    subset = scheme_results(batch=batch).subset
    if not subset:
        raise InputError(f"the batch {batch.name!r} has no query yet in: {scheme.subset.words}.")
    texts = {query.qid: query.text for query in subset}
    rows = [f"{qid}\t{text}\n" for qid, text in sorted(texts.items())]
    return Queries(
        path=f"batch {batch.name}: {scheme.subset.words}",
        layout="texts",
        texts=texts,
        digest=bytes_digest("".join(rows).encode()),
    )


def _labelled(batch: Batch, method: str) -> dict[str, tuple[str, str]]:
    """Text and label of every query that has a label, by id."""
    if not method:
        labels = exported_labels(batch=batch, question=closed_question(batch=batch))
        return {label.qid: (label.query, label.label) for label in labels}
    texts = dict(study_queries(batch=batch).values_list("qid", "text"))
    return {
        one.query: (texts[one.query], one.label)
        for one in decided_by(batch=batch, method=method).rows
        if one.label is not None
    }


def labels_note(*, batch: Batch) -> str:
    """Say who voted; votes that no person gave are named wherever results show."""
    kinds = voter_kinds(batch=batch)
    if not kinds:
        return "labels imported as decided"
    if set(kinds) == {WorkerKind.SIMULATED}:
        return f"labels made from simulated votes ({kinds[WorkerKind.SIMULATED]:,})"
    votes = ", ".join(f"{count:,} {_WHO[kind]}" for kind, count in kinds.items())
    return f"labels made from votes: {votes}"


def subset_words(*, batches: Sequence[Batch]) -> str:
    """The subset of a batch's scheme in words; empty where the paper's categories were asked."""
    others = [batch.scheme for batch in batches if not batch.scheme.asks_for_categories]
    return others[0].subset.words if others else ""


def not_by_people(*, batch: Batch) -> bool:
    """Return whether any vote behind the labels was not given by a person."""
    return bool(set(voter_kinds(batch=batch)) - {WorkerKind.HUMAN})


def labels_notes(*, batches: Sequence[Batch]) -> str:
    """`labels_note` of each batch."""
    return "; ".join(dict.fromkeys(labels_note(batch=batch) for batch in batches))


def labels_warnings(*, batches: Sequence[Batch]) -> list[str]:
    """Return notices for labels that are not by people alone."""
    return [
        f"Not the judgement of people alone: {labels_note(batch=batch)}. Do not report it as if "
        "it were."
        for batch in batches
        if not_by_people(batch=batch)
    ]
