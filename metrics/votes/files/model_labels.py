"""Labels that language models gave, from files: tables, and Label Studio's predictions."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from ...errors import InputError
from ...io.files import open_bytes
from ...io.pair_ids import pair_id
from ...vocabulary import LONGEST_ID
from .answers import ModelAnswer, whole_numbers
from .options import Options
from .table import Table, read_table

#: What a column may be called, in any case; the first name is ours.
_COLUMNS = {
    "qid": ("qid", "query_id", "task", "item"),
    "docno": ("docno", "docid", "pid"),
    "label": ("label", "category", "answer"),
    "score": ("score", "belief", "probability", "confidence"),
    "model": ("model", "worker", "annotator"),
}
_LAYOUT = "Name the columns qid,label,score,model; score and model may be left out."
_IN_DATA = _COLUMNS["qid"]


def read_model_labels(path: str | Path, *, model: str, options: Options) -> list[ModelAnswer]:
    """The answers of a file to a question with these options.

    `model` is the name of what has none there. A CSV with a header has one answer per line, of a
    pair with its `docno`, and a model's name in the column `model` (or `worker`); an empty label is
    a missing answer. JSON is read as Label Studio's export of tasks with predictions, whose `data`
    has the query's `qid`. Raises `InputError` with the line for a label that is no code or label of
    an option, a probability outside of [0, 1], two labels of one model for a query, and a model
    whose probabilities are all the same.
    """
    with open_bytes(path) as stream:
        is_json = stream.read(100).lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"[", b"{")
    answers = list(
        _of_tasks(path, model, options) if is_json else _of_table(read_table(path), model, options)
    )
    if not answers:
        raise InputError("holds no label of a model.", path=path, remedy=_LAYOUT)
    _check(path, answers)
    return answers


def _of_table(table: Table, model: str, options: Options) -> Iterator[ModelAnswer]:
    named = {name.casefold(): name for name in reversed(table.columns)}
    columns = {
        role: next((named[name] for name in names if name in named), "")
        for role, names in _COLUMNS.items()
    }
    for role in ("qid", "label"):
        if not columns[role]:
            raise InputError(f"has no column {role!r}.", path=table.path, line=1, remedy=_LAYOUT)
    whole = whole_numbers([row.cells[columns["qid"]].strip() for row in table.rows])
    for row in table.rows:
        cells = {role: row.cells.get(column, "").strip() for role, column in columns.items()}
        qid, docno = whole(cells["qid"]), cells["docno"]
        where = {"path": table.path, "line": row.line}
        yield ModelAnswer(
            model=cells["model"] or model,
            qid=pair_id(qid, docno) if docno else qid,
            category=_category(cells["label"], options, where),
            belief=_probability(cells["score"], where) if cells["score"] else None,
            place=row.line,
        )


def _of_tasks(path: str | Path, model: str, options: Options) -> Iterator[ModelAnswer]:
    """Of each prediction of each task the choice, and its score."""
    with open_bytes(path) as stream:
        try:
            tasks = orjson.loads(stream.read())
        except orjson.JSONDecodeError as error:
            raise InputError(f"is no JSON here ({error}).", path=path) from None
    for number, task in enumerate(tasks if isinstance(tasks, list) else [tasks], 1):
        where = {"path": path, "line": number}
        match task:
            case {"data": dict(data), "predictions": list(predictions)}:
                pass
            case _:
                raise InputError(
                    f"task {number} has no data and predictions.",
                    path=path,
                    remedy="Export from Label Studio as JSON, with predictions.",
                )
        qid = next((str(data[name]) for name in _IN_DATA if name in data), "")
        for prediction in predictions:
            match prediction:
                case {"result": [{"value": {"choices": [str(choice)]}}]}:
                    category = _category(choice.strip(), options, where)
                case {"result": []}:
                    category = None
                case _:
                    raise InputError(
                        f"a prediction of task {number} is no single choice.",
                        path=path,
                        remedy="Predict one category for each query.",
                    )
            score = prediction.get("score")
            belief = None if score is None or category is None else _probability(score, where)
            named = str(prediction.get("model_version") or model)
            yield ModelAnswer(named, qid, category, belief, number)


def _category(label: str, options: Options, where: dict[str, Any]) -> str | None:
    if not label:
        return None
    category = options.code_named(label)
    if category is None:
        codes = ", ".join(options.codes)
        raise InputError(
            f"the label {label[:60]!r} is no category.",
            remedy=f"Write {codes}, or nothing where the model gave no category.",
            **where,
        )
    return category


def _probability(typed: Any, where: dict[str, Any]) -> float:
    try:
        value = float(typed)
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value <= 1:  # false for NaN as well
        raise InputError(
            f"{str(typed)[:40]!r} is no probability.",
            remedy="A score is the probability of the label: a number from 0 to 1.",
            **where,
        )
    return value


def _check(path: str | Path, answers: Sequence[ModelAnswer]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for answer in answers:
        for what, name in (("query id", answer.qid), ("name of the model", answer.model)):
            if not name or len(name) > LONGEST_ID or not name.isprintable():
                raise InputError(
                    f"{name[:40]!r} is no {what}.", path=path, line=answer.place, remedy=_LAYOUT
                )
        first = seen.get((answer.model, answer.qid))
        if first is not None:
            raise InputError(
                f"a second label of {answer.model} for the query {answer.qid}, after that of "
                f"{first}.",
                path=path,
                line=answer.place,
                remedy="Keep one of them, or give each attempt a name of its own.",
            )
        seen[answer.model, answer.qid] = answer.place
    for model in dict.fromkeys(answer.model for answer in answers):
        _check_beliefs(path, model, (answer for answer in answers if answer.model == model))


def _check_beliefs(path: str | Path, model: str, answers: Iterable[ModelAnswer]) -> None:
    beliefs = [answer.belief for answer in answers if answer.category is not None]
    if len(beliefs) > 1 and beliefs[0] is not None and len(set(beliefs)) == 1:
        raise InputError(
            f"every score of {model} is {beliefs[0]:g}: such scores tell nothing.",
            path=path,
            remedy="Leave the scores out, or bring the model's probabilities.",
        )
