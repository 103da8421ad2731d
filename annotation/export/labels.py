"""Labels to lines of a file: the released layout, tab-separated ids and texts, JSON lines."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from annotation.export.csv_rows import csv_text
from metrics.errors import InputError

FORMATS = ("csv", "tsv", "jsonl")
#: A spreadsheet reads a cell that begins like this as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class ExportedVote:
    """One vote; `worker` is a pseudonym, `kind` says whether a person gave it."""

    worker: str
    category: str
    kind: str


@dataclass(frozen=True)
class ExportedLabel:
    """All that is known about the label of a query.

    `label` is a category code, or "tie". `source` says how it came about: unanimous, majority,
    model-based, adjudicated, released or tie. `n_for` of the `n_votes` votes are for the label.
    """

    qid: str
    query: str
    label: str
    method: str
    source: str
    n_votes: int
    n_for: int
    confidence: float | None = None
    reason: str = ""
    votes: tuple[ExportedVote, ...] = field(default_factory=tuple)


def lines(
    labels: Iterable[ExportedLabel],
    *,
    layout: str,
    quote: bool = False,
    spreadsheet: bool = False,
) -> Iterator[str]:
    """The lines of a file, each with its line end, texts byte for byte as they came.

    `csv` is the released layout `qid,query,label` without header or quoting; `quote` writes
    standard CSV instead. `spreadsheet` puts an apostrophe before cells that a spreadsheet would
    run as a formula. Raises `InputError` for a text that the layout cannot hold.
    """
    write = {"csv": _quoted if quote else _released, "tsv": _tsv, "jsonl": _json}[layout]
    for label in labels:
        cells = (label.qid, label.query)
        if spreadsheet:
            cells = tuple(f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells)  # type: ignore[assignment] # a pair stays a pair
        yield write(label, *cells)


def _released(label: ExportedLabel, qid: str, query: str) -> str:
    _refuse(label, "," in qid or _breaks(qid + query), "--quote or --format jsonl")
    return f"{qid},{query},{label.label}\n"


def _quoted(label: ExportedLabel, qid: str, query: str) -> str:
    return csv_text([(qid, query, label.label)])


def _tsv(label: ExportedLabel, qid: str, query: str) -> str:
    _refuse(label, "\t" in qid or _breaks(qid + query), "--format jsonl")
    return f"{qid}\t{query}\n"


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _refuse(label: ExportedLabel, impossible: bool, instead: str) -> None:
    if impossible:
        raise InputError(
            f"the query {label.qid!r} holds a separator or a line break that this layout cannot "
            "hold.",
            remedy=f"Use {instead}.",
        )


def _json(label: ExportedLabel, qid: str, query: str) -> str:
    tally = sorted({vote.category for vote in label.votes})
    kinds = sorted({vote.kind for vote in label.votes})
    row = {
        "qid": qid,
        "query": query,
        "label": label.label,
        "method": label.method,
        "source": label.source,
        "n_votes": label.n_votes,
        "n_for": label.n_for,
        "confidence": label.confidence,
        "reason": label.reason,
        "tally": {name: sum(v.category == name for v in label.votes) for name in tally},
        "voters": {name: sum(v.kind == name for v in label.votes) for name in kinds},
        "votes": [
            {"worker": vote.worker, "category": vote.category, "kind": vote.kind}
            for vote in label.votes
        ],
    }
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
