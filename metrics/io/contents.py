"""Kind of a file, told from its first lines, and why."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import orjson

from ..errors import InputError
from ..vocabulary import CATEGORIES
from .file_kinds import SCORED_COLLECTION
from .files import open_bytes

_N_LINES = 100
_LONGEST = 1 << 16
_WHOLE = re.compile(r"[+-]?[0-9]+").fullmatch
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?").fullmatch
_ID = re.compile(r"[\w.:-]+").fullmatch
_RUN, _QRELS = 6, 4
_VOTERS = {"worker", "workerid", "worker_id", "annotator"}
#: Heads of a table of a model's labels: one of each of the first two, and nothing else but others.
_LABELLED = {"qid", "query_id", "task", "item"}
_LABELS = {"label", "category", "answer"}
_OF_MODELS = {"model", "score", "belief", "probability", "confidence"}
_ANNOTATIONS = re.compile(rb'"annotations"\s*:\s*\[\s*\{').search
_PREDICTIONS = re.compile(rb'"predictions"\s*:\s*\[\s*\{').search
_IDS = {"id", "_id", "docid", "docno"}
_TEXTS = {"contents", "text", "passage"}


@dataclass(frozen=True)
class Contents:
    """`kind` is what people call such a file; `reason` is what was seen in it.

    Queries and collections have one shape, `texts`: which of them it is, others have to say.
    """

    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{_CALLED[self.kind]} ({self.reason})"


_CALLED = {
    "run": "a run",
    "qrels": "relevance judgements",
    "texts": "texts with ids: a collection or queries",
    "ids": "ids without texts",
    "labels": "labels of queries",
    "votes": "votes",
    "model labels": "labels of models",
    "lexicon": "a word list",
    "magnitudes": "a scored collection",
}


def contents_of(path: str | Path) -> Contents | None:
    """Kind of the file; None where it looks like nothing that Fairpool reads.

    Only the first lines are read, of what is packed as `.gz` or `.zst`, too.
    """
    path = Path(path)
    try:
        if SCORED_COLLECTION.recognises(path):
            return Contents("magnitudes", "Parquet with the digest of a word list")
        lines = _first_lines(path)
        tasks = _of_tasks(path)
    except (InputError, OSError, UnicodeDecodeError):
        return None
    if tasks or not lines or lines[0].startswith("["):
        return tasks
    if lines[0].startswith("{"):
        return _of_objects(lines[0])
    return _of_columns(lines) or _of_commas(lines)


def _first_lines(path: Path) -> list[str]:
    with open_bytes(path) as stream:
        raw = list(islice(iter(partial(stream.readline, _LONGEST), b""), _N_LINES))
    if raw and len(raw[-1]) == _LONGEST:
        raw.pop()  # a part of a line
    lines = (line.decode("utf-8-sig").rstrip("\r\n") for line in raw)
    return [line for line in lines if line.strip()]


def _of_tasks(path: Path) -> Contents | None:
    """JSON of tasks as Label Studio writes it, which may stand on one line.

    Where people answered, too, it is votes: whoever imports these takes the predictions along.
    """
    with open_bytes(path) as stream:
        head = stream.read(_LONGEST).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] not in (b"[", b"{") or b'"data"' not in head:
        return None
    if _ANNOTATIONS(head):
        return Contents("votes", "Label Studio's JSON with annotations")
    is_predicted = _PREDICTIONS(head) is not None
    return (
        Contents("model labels", "Label Studio's JSON with predictions") if is_predicted else None
    )


def _of_objects(first: str) -> Contents | None:
    try:
        names = orjson.loads(first).keys()
    except orjson.JSONDecodeError:
        return None
    if _IDS & names and _TEXTS & names:
        return Contents("texts", f"JSON lines with {min(_IDS & names)} and {min(_TEXTS & names)}")
    return None


def _of_columns(lines: Sequence[str]) -> Contents | None:
    """A run or judgements by their columns, texts by their tab, ids by having nothing else."""
    rows = [line.split() for line in lines]
    # Two columns by one tab: the second is a text, whatever its words are.
    is_text = all(line.count("\t") == 1 for line in lines)
    if not is_text and all(len(row) >= _RUN and _WHOLE(row[3]) and _NUMBER(row[4]) for row in rows):
        second = "the second is Q0" if rows[0][1] == "Q0" else "the fourth is a rank"
        return Contents("run", f"{len(rows[0])} columns, {second}")
    if not is_text and all(len(row) == _QRELS and _WHOLE(row[3]) for row in rows):
        return Contents("qrels", "4 columns, the last is a whole number")
    if named := _of_heads(_heads(lines[0])):
        return named
    if all("\t" in line for line in lines):
        return Contents("texts", "an id, a tab and a text on each line")
    if all(len(row) == 1 and _ID(row[0]) for row in rows):
        return Contents("ids", "one word on each line")
    return None


def _of_heads(heads: set[str]) -> Contents | None:
    """Labels of models, and votes, by the names of their columns."""
    if heads & _LABELLED and heads & _LABELS:
        is_known = heads <= _LABELLED | _LABELS | _OF_MODELS
        if "model" in heads or is_known:
            return Contents("model labels", "columns of a query and of a label, none of a text")
    if heads & _VOTERS and any("label" in head or "answer" in head for head in heads):
        return Contents("votes", "columns of a worker and of a label")
    return None


def _of_commas(lines: Sequence[str]) -> Contents | None:
    body = lines[1:] if _heads(lines[0]) & {"label", "group"} else lines
    ends = [line.rpartition(",")[2].strip(' "') for line in body]
    if body and all(line.count(",") > 1 for line in body) and set(ends) <= set(CATEGORIES):
        return Contents("labels", f"the last column is one of {', '.join(CATEGORIES)}")
    if body and all(line.count(",") == 1 for line in body) and all(ends):
        return Contents("lexicon", "a word, a comma and a group on each line")
    return None


def _heads(line: str) -> set[str]:
    return {head.strip(' "').lower() for head in re.split("[,\t]", line)}
