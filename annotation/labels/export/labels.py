"""Labels to lines of a file: the released layout, tab-separated ids and texts, JSON lines."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from annotation.labels.export.csv_rows import csv_text
from metrics.errors import InputError
from metrics.runs.queries import HEADER

FORMATS = ("csv", "tsv", "jsonl")
#: A spreadsheet reads a cell that begins like this as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: And one like this as a number, a date or a truth value: short, with a digit, without a quote.
_GUESSED = re.compile(r'(?=[^\d"]*\d)[^"]{1,40}|true|false', re.IGNORECASE)
BYTE_ORDER_MARK = "\ufeff"


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
    header: bool = False,
    spreadsheet: bool = False,
) -> Iterator[str]:
    """The lines of a file, each with its line end, texts byte for byte as they came.

    `csv` is the released layout `qid,query,label` without header or quoting; `quote` writes
    standard CSV instead, `header` the same below the names of its columns. `spreadsheet` is for
    programs that guess what a cell is: that with a byte order mark, an apostrophe before what they
    would run as a formula, and `="…"` around what they would take for a number or a date. Raises
    `InputError` for a text that the layout cannot hold.
    """
    header = header or spreadsheet
    write = {"csv": _quoted if quote or header else _released, "tsv": _tsv, "jsonl": _json}[layout]
    start = BYTE_ORDER_MARK if spreadsheet and layout != "jsonl" else ""
    if header and layout == "csv":
        yield f"{start}{HEADER}\n"
        start = ""
    for label in labels:
        qid, query = label.qid, label.query
        if spreadsheet and layout != "jsonl":
            qid, query = _as_text(qid), _as_text(query)
        yield start + write(label, qid, query)
        start = ""


def _as_text(cell: str) -> str:
    """What a spreadsheet shows as it is."""
    if cell.startswith(_FORMULA):
        return f"'{cell}"
    return f'="{cell}"' if _GUESSED.fullmatch(cell) else cell


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
