"""Judgments of answers by people or models, from files and from memory.

A record, a line of JSON, judges one answer. Its query and system are called as in answers.

- Nuggets: `nuggets`, a list of `{importance, assignment}`, `vital` or `okay`, and `support`,
  `partial_support` or `not_support`, as nuggetizer writes them.
- Support: `support_eval`, for each sentence of the answer `{citations, eval_scores}`, of which the
  first score counts (`FS`, `PS`, `NS`), as the TREC RAG track writes them; or `support`, a list of
  one score for each sentence (1, 0.5 or 0 as well), null for one that cites nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError
from ..io.files import checked_path
from ..runs.columns import as_frame
from .judged import FULL, NONE, PARTIAL, nuggets, support
from .reading import Record, records_in

Kind = Literal["nuggets", "support"]
#: The values of one judged answer by their names.
Values = Mapping[str, float]
#: By system, empty where nothing names one, and query.
Judgments = Mapping[str, Mapping[str, Values]]

_IMPORTANCE = {"vital": True, "okay": False}
_STATED = {"support": FULL, "partial_support": PARTIAL, "not_support": NONE}
_SUPPORTED: Mapping[Any, float] = {
    **dict.fromkeys(("fs", "full support", "full_support"), FULL),
    **dict.fromkeys(("ps", "partial support", "partial_support"), PARTIAL),
    **dict.fromkeys(("ns", "no support", "no_support"), NONE),
    **{value: value for value in (FULL, PARTIAL, NONE)},
}
_SHAPES: Mapping[Kind, str] = {
    "nuggets": 'Write {"qid": "1", "nuggets": [{"importance": "vital", "assignment": "support"}]}.',
    "support": 'Write {"qid": "1", "support": ["FS", null, "PS"]}, one for each sentence.',
}


def judgments_of(source: Any, kind: Kind) -> Judgments:
    """Read judgments from a file of JSON lines, dictionaries or a data frame.

    Raises `InputError`, with file and line where there is one, for what is not a judgment and for
    an answer that is judged twice.
    """
    judged: dict[str, dict[str, Values]] = {}
    for reader, record in _read(source, kind):
        qid, system = reader.names(record)
        of_system = judged.setdefault(system, {})
        if qid in of_system:
            raise reader.wrong(f"judges the answer to {qid!r} a second time.", "Keep one of them.")
        of_system[qid] = _OF[kind](reader, record)
    if not judged:
        raise InputError(f"there are no {kind}.", remedy=_SHAPES[kind])
    return judged


def _read(source: Any, kind: Kind) -> Iterator[tuple[Record, Any]]:
    shape = _SHAPES[kind]
    if isinstance(source, str | Path):
        path = checked_path(source, f"the {kind}")
        for line, record in records_in(path, shape):
            yield Record(path=path, line=line, shape=shape), record
        return
    frame = as_frame(source)
    rows: Iterable[Any] = (
        source
        if frame is None
        else (dict(zip(frame, row, strict=True)) for row in zip(*frame.values(), strict=True))
    )
    for place, record in enumerate(rows, start=1):
        yield Record(line=place, shape=shape), record


def _nuggets(reader: Record, record: Mapping[str, Any]) -> Values:
    rows = []
    for nugget in reader.listed(record, "nuggets"):
        if not isinstance(nugget, Mapping):
            raise reader.wrong(f"a nugget is {type(nugget).__name__}.")
        importance, assignment = (nugget.get(name) for name in ("importance", "assignment"))
        if importance not in _IMPORTANCE:
            raise reader.wrong(f"the importance of a nugget is {importance!r}.")
        if assignment not in _STATED:
            raise reader.wrong(f"the assignment of a nugget is {assignment!r}.")
        rows.append((_IMPORTANCE[importance], _STATED[assignment]))
    values = nuggets(rows)
    return {name.replace("_", " "): value for name, value in vars(values).items()}


def _support(reader: Record, record: Mapping[str, Any]) -> Values:
    if record.get("support_eval") is None:
        scores = reader.listed(record, "support")
    else:
        scores = [_first(reader, of) for of in reader.listed(record, "support_eval")]
        answered = record.get("answer")
        if isinstance(answered, list) and len(answered) != len(scores):
            raise reader.wrong(
                f"judges {len(scores)} sentences of {len(answered)}.",
                "Also give sentences that cite nothing: they count for the recall.",
            )
    if not scores:
        raise reader.wrong("judges no sentence.")
    values = support([None if score is None else _score(reader, score) for score in scores])
    return {"weighted precision": values.precision, "weighted recall": values.recall}


def _first(reader: Record, sentence: Any) -> Any:
    """The score of the first citation of a sentence that was judged; None where it cites none."""
    if not isinstance(sentence, Mapping):
        raise reader.wrong(f"a sentence is {type(sentence).__name__}.")
    scores = [score for score in sentence.get("eval_scores") or () if score is not None]
    if sentence.get("citations") and not scores:
        raise reader.wrong("a sentence has citations but no judgment.")
    return scores[0] if scores else None


def _score(reader: Record, score: Any) -> float:
    name = score.strip().lower() if isinstance(score, str) else score
    if isinstance(name, bool) or not isinstance(name, str | int | float) or name not in _SUPPORTED:
        raise reader.wrong(f"the support of a sentence is {score!r}.")
    return _SUPPORTED[name]


_OF = {"nuggets": _nuggets, "support": _support}
