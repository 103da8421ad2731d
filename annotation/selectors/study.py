"""The queries of a batch as the measuring part reads them, and who labelled them."""

import hashlib

from annotation.export.labels import lines
from annotation.models import Batch
from annotation.selectors.labels import exported_labels
from annotation.selectors.votes import voter_kinds
from annotation.vocabulary import WorkerKind
from metrics.errors import InputError
from metrics.queries import Queries

_WHO = {
    WorkerKind.HUMAN: "of people",
    WorkerKind.SIMULATED: "simulated",
    WorkerKind.MODEL: "of language models",
}


def labelled_queries(*, batch: Batch, category: str = "n") -> Queries:
    """The labelled queries of a category, as if read from the file that `export_queries` writes."""
    labels = exported_labels(batch=batch, category=category, votes=False)
    if not labels:
        raise InputError(f"the batch {batch.name!r} has no query of category {category!r}.")
    # JSON lines hold any text, also one that breaks the released layout.
    content = "".join(lines(labels, layout="jsonl"))
    return Queries(
        path=f"batch {batch.name}",
        layout="labels",
        texts={label.qid: label.query for label in labels},
        labels={label.qid: label.label for label in labels},
        sha256=hashlib.sha256(content.encode()).hexdigest(),
    )


def labels_note(*, batch: Batch) -> str:
    """Who voted, in words: votes that no person gave are named wherever results show."""
    kinds = voter_kinds(batch=batch)
    if not kinds:
        return "labels imported as decided"
    if set(kinds) == {WorkerKind.SIMULATED}:
        return f"labels made from simulated votes ({kinds[WorkerKind.SIMULATED]:,})"
    votes = ", ".join(f"{count:,} {_WHO[WorkerKind(kind)]}" for kind, count in kinds.items())
    return f"labels made from votes: {votes}"


def not_by_people(*, batch: Batch) -> bool:
    """Whether any vote behind the labels was given by something that is no person."""
    return bool(set(voter_kinds(batch=batch)) - {WorkerKind.HUMAN})
