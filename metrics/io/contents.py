"""Detection of a file's kind by its first lines, with the reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import orjson

from ..errors import InputError
from ..vocabulary import CATEGORIES
from . import headers
from .file_kinds import SCORED_COLLECTION
from .lines import open_text

_N_LINES = 100
_LONGEST = 1 << 16
_WHOLE = re.compile(r"[+-]?[0-9]+").fullmatch
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?").fullmatch
_ID = re.compile(r"[\w.:-]+").fullmatch
_RUN, _QRELS, _MS_MARCO = 6, 4, 3
#: A score may be one of a run.
_GRADES = [name for name in headers.GRADES if name != "score"]
_VOTERS = {"worker", "workerid", "worker_id", "annotator"}
#: Heads of a table of a model's labels: one of each of the first two, and nothing else but others.
_LABELLED = {"qid", "query_id", "task", "item"}
_LABELS = {"label", "category", "answer"}
_OF_MODELS = {"model", "score", "belief", "probability", "confidence"}
_ANNOTATIONS = re.compile(rb'"annotations"\s*:\s*\[\s*\{').search
_PREDICTIONS = re.compile(rb'"predictions"\s*:\s*\[\s*\{').search
_IDS = {"id", "_id", "docid", "docno", "pid", "qid", "query_id"}
#: Kinds whose lines other files have as well, and the groups of a word list at most.
_SHARED_SHAPES = {"qrels", "lexicon", "texts", "ids"}
_MOST_GROUPS = 5
_TEXTS = {"contents", "text", "passage", "segment", "body", "query"}


@dataclass(frozen=True)
class Contents:
    """`kind` is the file's kind in words; `reason` is the evidence.

    Queries and collections have the same shape, `texts`, and need other files to be distinguished.
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
    """Detect the kind of a file, packed or plain, by its first lines; None if unknown."""
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


def only_contents(path: str | Path) -> Contents | None:
    """Return the kind of the file if no other layout fits its first lines as well; else None."""
    looks = contents_of(path)
    if looks is None or looks.kind not in _SHARED_SHAPES:
        return looks
    if looks.reason.startswith(("JSON", "the columns")):
        return looks
    lines = _first_lines(Path(path))
    if looks.kind == "qrels":
        # The scores of a run may be whole numbers, but its second column differs.
        return looks if len({line.split()[1] for line in lines}) == 1 else None
    if looks.kind == "lexicon":
        groups = {line.rpartition(",")[2].strip() for line in lines}
        # In lines of ids and texts, several words follow the comma.
        are_words = all(len(group.split()) == 1 for group in groups)
        return looks if are_words and len(groups) <= _MOST_GROUPS else None
    if looks.kind == "texts":
        parts = [line.split("\t") for line in lines]
        are_texts = all(len(part) == 2 and len(part[1].split()) > 1 for part in parts)  # noqa: PLR2004
        return looks if are_texts else None
    return None


def _first_lines(path: Path) -> list[str]:
    with open_text(path) as stream:
        raw = list(islice(iter(partial(stream.readline, _LONGEST), b""), _N_LINES))
    if raw and len(raw[-1]) == _LONGEST:
        raw.pop()  # a part of a line
    lines = (line.decode().rstrip("\r\n") for line in raw)
    return [line for line in lines if line.strip()]


def _of_tasks(path: Path) -> Contents | None:
    """JSON of tasks as Label Studio writes it, which may stand on one line.

    With people's answers, too, the file is one of votes, whose import includes the predictions.
    """
    with open_text(path) as stream:
        head = stream.read(_LONGEST).lstrip()
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
    if _are_judged(list(names)):
        return Contents("qrels", "JSON lines with a query, a document and a grade")
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
    ranked = None if is_text else _of_ranks(rows)
    if named := _of_names(lines) or _of_heads(_heads(lines[0])) or ranked:
        return named
    if all("\t" in line for line in lines):
        return Contents("texts", "an id, a tab and a text on each line")
    if all(len(row) == 1 and _ID(row[0]) for row in rows):
        return Contents("ids", "one word on each line")
    return None


def _of_names(lines: Sequence[str]) -> Contents | None:
    """A run or judgements by the names of their columns."""
    line, mark = lines[0], headers.separator_of(lines[0])
    cells = line.split(mark)
    if not headers.places_of(cells, headers.QIDS, headers.DOCNOS):
        return None
    if headers.place_of(cells, headers.RANKS) is not None:
        return Contents("run", "columns of a query, a document and a rank")
    if headers.normal(line) == "query_id\tcorpus_id\tscore":
        return Contents("qrels", "the columns of BEIR's judgements")
    grades = headers.place_of(cells, _GRADES)
    rows = [line.split(mark) for line in lines[1:]]
    if grades is not None and _are_judged(cells) and all(
        len(row) == len(cells) and _WHOLE(row[grades].strip(' "')) for row in rows
    ):  # fmt: skip
        return Contents("qrels", "the columns of a query, a document and a grade")
    return None


def _are_judged(names: Sequence[str]) -> bool:
    """Return whether these are a query, a document, a grade and an iteration at most."""
    kinds = (headers.QIDS, headers.DOCNOS, _GRADES)
    known = {name for kind in kinds for name in kind} | {"iteration", "iter", "q0"}
    is_whole = headers.places_of(names, *kinds) is not None
    return is_whole and {headers.normal(name) for name in names} <= known


def _of_ranks(rows: Sequence[Sequence[str]]) -> Contents | None:
    """A run as ColBERT and MS MARCO write it: the third of its columns is a rank."""
    width = len(rows[0])
    if width < _MS_MARCO or not all(len(row) == width and _WHOLE(row[2]) for row in rows):
        return None
    if width == _QRELS and all(_NUMBER(row[3]) for row in rows):
        return Contents("run", "4 columns, the third is a rank")
    if width == _MS_MARCO and int(rows[0][2]) in (0, 1):
        return Contents("run", "3 columns, the third is a rank")
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
