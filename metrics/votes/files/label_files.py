"""Files of labels of queries, by models and by people: tables, JSON records and exports."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import InputError
from ...io import headers
from ...io.pair_ids import pair_id
from ...runs.queries import read_queries
from ...statistics.model_beliefs import LabellingModel, ModelAnswer
from ...vocabulary import LONGEST_ID
from .answers import Answer, GivenLabel
from .choices import cell_text
from .column_names import USUAL_NAMES, named_among
from .content import VoteFile
from .label_columns import may_be_labels
from .model_labels import is_probability, mapped_models
from .options import CATEGORY_OPTIONS, Options
from .reader import IMPORT_FORMATS
from .table import UNNAMED_MODEL, Table

#: What a column may be called, in any spelling; the first name is ours.
_NAMES = {
    "query_id": ("qid", *USUAL_NAMES["query_id"], *headers.QIDS),
    "label": (*USUAL_NAMES["label"], *headers.LABELS),
    "score": ("score", "belief", "probability", "confidence"),
    "worker": ("model", *USUAL_NAMES["worker"]),
    "docno": ("docno", "docid", "doc_id", "pid"),
}
_LAYOUT = "Name the columns qid,label,score,model; score and model may be left out."
_SHOWN = 60
#: The column of a promise that says whose a label is, and its word for people.
ORIGIN, PEOPLE = "origin", "people"


@dataclass(frozen=True)
class ModelLabels:
    """The labels of a file, in its order, and notes on what was left out of them."""

    labels: Sequence[GivenLabel]
    notes: Sequence[str] = ()

    @property
    def models(self) -> list[LabellingModel]:
        """Each model with its answers about all categories."""
        answers: dict[str, list[ModelAnswer]] = {}
        for model, qid, category, belief, _ in self.labels:
            answers.setdefault(model, []).append(ModelAnswer(qid, category, belief))
        return [LabellingModel(name, "", "", of_model) for name, of_model in answers.items()]


def read_model_labels(
    path: str | Path, *, model: str = "", options: Options | None = CATEGORY_OPTIONS
) -> ModelLabels:
    """The labels of a file; a model without a name there is called `model`, or after the file.

    With None as `options` they are the categories, if all labels are, else the labels themselves.

    A table has one label per line: of a query, or of a pair with its `docno`, with the model's name
    in the column `model` (or `worker`, `rater`) and its probability in `score`; so have JSON
    records. Lines `qid,text,label` need no header. Of exports with predictions or suggestions of
    models, such as Label Studio's, these are read. An empty label and "I cannot tell" are missing
    answers; scores of a model that are all the same are left out, with a note. Ids stay as the file
    has them. Raises `InputError` with the line for a label that is neither code nor label of
    an option, a score that is not a probability, and a second label of a model for a query.
    """
    file = VoteFile(path)
    named = model or file.stem
    answers = [
        replace(answer, worker=named) if answer.worker in ("", UNNAMED_MODEL) else answer
        for answer in _answers_in(file, options or CATEGORY_OPTIONS)
    ]
    options = options or _own_options(answers)
    for answer in answers:
        _check(answer, options)
    if not answers:
        raise InputError("holds no label of a model.", path=path, remedy=_LAYOUT)
    return ModelLabels(*mapped_models(answers, labels={}, options=options))


def read_query_labels(path: str | Path) -> dict[str, str]:
    """People's label of each query: a category, or another word, such as for a tie.

    The layouts are those of `read_model_labels` without exports. Of lines with an `origin`, as
    those of a promise, the ones of people are read alone. Raises `InputError` with file and line
    for another one and for a query that comes twice.
    """
    label_of: dict[str, str] = {}
    for answer in _of_table_file(VoteFile(path), of_people=True):
        if answer.qid in label_of:
            raise answer.error(f"has the query {answer.qid!r} twice.")
        label_of[answer.qid] = answer.answer
    return label_of


def _own_options(answers: Sequence[Answer]) -> Options:
    words = dict.fromkeys(answer.answer for answer in answers if answer.answer)
    known = CATEGORY_OPTIONS
    if all(word == known.cannot_tell or known.code_named(word) for word in words):
        return known
    return Options(codes=tuple(words), name="label")


def _answers_in(file: VoteFile, options: Options) -> list[Answer]:
    if not file.is_json:
        return _of_table_file(file)
    layout = next((of for of in IMPORT_FORMATS.values() if of.recognises(file)), None)
    if layout is None:
        raise InputError("holds no label of a model.", path=file.path, remedy=_LAYOUT)
    table = layout.read(file)
    of_models = [row for row in table.rows if row.model]
    return _of_export(replace(table, rows=of_models), options) if of_models else _of_table(table)


def _of_table_file(file: VoteFile, *, of_people: bool = False) -> list[Answer]:
    """The answers of a table, or of the lines `qid,text,label` without a header."""
    try:
        table = file.table
        if of_people and ORIGIN in table.columns:
            table = replace(table, rows=[row for row in table.rows if row.cells[ORIGIN] == PEOPLE])
        return _of_table(table)
    except InputError:
        try:
            queries = read_queries(file.path, "all")
        except InputError:
            queries = None
        if queries is None or queries.layout != "labels":
            raise
        return [
            Answer(file.path, queries.lines[qid], qid, "", label)
            for qid, label in queries.labels.items()
        ]


def columns_of_labels(names: Sequence[str], path: str | Path | None = None) -> dict[str, str]:
    """The columns of a table of labels by their roles: query_id, label, score, worker, docno.

    Raises `InputError` where it has none of the first two.
    """
    columns = named_among(names, _NAMES)
    for role, name in (("query_id", "qid"), ("label", "label")):
        if role not in columns:
            line = None if path is None else 1
            raise InputError(f"has no column {name!r}.", path=path, line=line, remedy=_LAYOUT)
    return columns


def _of_table(table: Table) -> list[Answer]:
    columns = columns_of_labels(table.columns, table.path)
    scored = columns.get("score", "")
    rows = [
        replace(row, score=table.with_point(row.cells.get(scored, "").strip()))
        for row in table.rows
    ]
    return _answers(replace(table, rows=rows), columns)


def _of_export(table: Table, options: Options) -> list[Answer]:
    """The answers of models: to the question of the options where there are several."""
    columns = dict(table.usual)
    named = [name for name in table.columns if name.rpartition(".")[2] == options.name]
    if len(named) == 1:
        columns["label"] = named[0]
    if "label" not in columns:
        several = [name for name in may_be_labels(table) if name not in columns.values()]
        if several:
            raise InputError(
                f"has answers of models to several questions: {', '.join(several[:5])}.",
                path=table.path,
                remedy="Export the answers to one question.",
            )
    return _answers(table, columns)


def _answers(table: Table, columns: dict[str, str]) -> list[Answer]:
    answers = []
    for row in table.rows:
        cells = {role: row.cells.get(name, "").strip() for role, name in columns.items()}
        qid, docno = cells["query_id"], cells.get("docno", "")
        answer = Answer(
            path=table.path,
            line=row.line,
            qid=pair_id(qid, docno) if docno else qid,
            worker=cells.get("worker", ""),
            answer=cell_text(cells.get("label", "")),
            record=row.record,
            score=row.score,
        )
        answers.append(answer)
    return answers


def _check(answer: Answer, options: Options) -> None:
    """Refuse an answer without a usable id, with an unknown label, or an impossible score."""
    for what, name in (("query id", answer.qid), ("name of the model", answer.worker)):
        if not name or len(name) > LONGEST_ID or not name.isprintable():
            raise answer.error(f"{name[:40]!r} is not a {what}.", _LAYOUT)
    label = answer.answer
    if label and label != options.cannot_tell and options.code_named(label) is None:
        raise answer.error(
            f"the label {label[:_SHOWN]!r} is not a category.",
            f"Write {', '.join(options.codes)}, or nothing where the model gave no category.",
        )
    if label and answer.score and not is_probability(answer.score):
        raise answer.error(
            f"{answer.score[:40]!r} is not a probability.",
            "A score is the probability of the label: a number from 0 to 1.",
        )
