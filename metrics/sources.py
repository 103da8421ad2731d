"""Runs, texts, judgements and queries from objects of many types.

Paths, dictionaries, data frames (those that Narwhals reads, also lazy ones), data sets of Hugging
Face, and the objects of ranx and ir_measures. Columns are known by name, never by place.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError, InputTypeError
from .io.file_kinds import SCORED_COLLECTION
from .io.ids import some
from .io.missing import no_such_file
from .io.run_files import run_files
from .io.run_names import run_tag, told_apart
from .public import public
from .runs import Run
from .runs.columns import (
    DOCNO_NAMES,
    QID_NAMES,
    RARE_NAMES,
    as_frame,
    checked_id,
    is_frame,
    is_of,
    is_series,
    one_of,
)
from .runs.kinds import RUNS, are_records, is_row, kind_of, row_of
from .runs.qrels import Qrels, lean_of, read_passage_labels, read_qrels
from .runs.queries import Queries, read_queries
from .runs.reading import read_files
from .runs.systems import SystemRows, systems_in
from .texts.cached_counts import is_cached_counts
from .texts.in_memory import IR_DATASETS, score_in_memory
from .texts.kept_scores import kept_scores
from .texts.lexicon import Lexicon, read_lexicon
from .texts.magnitude_store import Magnitudes, open_magnitudes
from .vocabulary import Order, Tokenizer

_TEXT_NAMES = ("text", "contents", "passage", "body")
_GRADE_NAMES = ("relevance", "label", "rel", "grade", "score")
_DOCUMENT_NAMES = (*DOCNO_NAMES, "docid", "pid", "_id", "id")
#: Name of a run without one.
_NAMELESS = "run"
_SHOWN = 60
_A_RUN = "Give a path, {qid: {docno: score}}, a data frame, or a list of ScoredDoc."
_TEXTS = "Give {docno: text}, pairs of docno and text, a frame, or the path of a collection."
_QRELS = "Give {qid: {docno: grade}}, {qid: [docno]}, a frame, or a file."
#: What to do with what stands in the place of a text.
_NO_TEXT: Mapping[type, str] = {
    dict: "Judgements are qrels=...",
    int: "Judgements are qrels=...",
    list: 'Join the words of a text, " ".join(words). Judgements are qrels=...',
    bytes: "Decode it: text.decode().",
    type(None): 'Give "" where a document has no text, or leave it out with missing="zero".',
}
#: What PyTerrier calls a dataset of ir_datasets.
_IRDS = "irds:"
_PAIR = 2
_LENGTHS_OF_JUDGEMENTS = (3, 4)


def runs_of(
    source: Any,
    order: Order = "default",
    ids: set[str] | None = None,
    depth: int | None = None,
    *,
    ties: bool = False,
) -> list[Run]:
    """The runs of a source: one run, several by name, or several in a list.

    A run is a path, a `Run`, `{qid: {docno: score}}` (or pairs, hits, docnos in the place of the
    inner dictionary), a frame with a row per document, a `Run` of ranx, a `TrecRun` of trectools,
    or a list of ScoredDoc or of query, docno and score; a folder or a pattern is several. `ids` are
    the queries that are read of files; `depth` and `ties` are those of `read_run`.
    """
    if isinstance(source, bytes):
        raise InputTypeError("the run is bytes.", remedy="Decode the path: path.decode().")
    named = _named(_by_pairs(source))
    if named is not None:
        pairs = list(named.items())
    else:
        parts = [source] if kind_of(source) in RUNS else _parts(source)
        pairs = [pair for part in parts for pair in _runs_in(part)]
    # Together, for many small files are worth what one large file is.
    files = [(name, path) for name, path in pairs if isinstance(path, str | Path)]
    for _, path in files:
        _check_there(path)
    of_files = iter(read_files(files, order, ids, depth, ties=ties))
    first: dict[str, Any] = {"depth": depth, "ties": ties}
    runs = [
        next(of_files)
        if isinstance(part, str | Path)
        else _run_of(part, name, order, first, is_named=named is not None)
        for name, part in pairs
    ]
    if named is None and len(runs) > 1:
        runs = _told_apart(_numbered(runs))
    if not runs:
        raise InputError("there is no run.", remedy="Give at least one.")
    return runs


def _by_pairs(source: Any) -> Any:
    """`InputTypeError` for a dictionary that is not a run, but looks as others keep one."""
    if not isinstance(source, Mapping) or not source:
        return source
    first = next(iter(source))
    inner = source[first]
    if isinstance(first, tuple):
        raise InputTypeError(
            f"the run has the key {first!r}.", remedy="Give {qid: {docno: score}}."
        )
    if isinstance(inner, list | tuple) and inner and _is_file(inner[0]):
        raise InputTypeError(
            f"{first!r} is a list of files.", remedy="Give one file for each name: {name: path}."
        )
    if {"qid", "docno", "query_id", "doc_id"} & {*map(str, source)}:
        raise InputTypeError(
            f"the run is a dictionary of columns: {', '.join(map(str, source))}.",
            remedy="Give pandas.DataFrame(columns).",
        )
    documents = list(inner.values()) if isinstance(inner, Mapping) else []
    if documents and all(isinstance(d, Mapping) and "score" in d for d in documents):
        raise InputTypeError(
            f"the documents of {first!r} are dictionaries.",
            remedy='Give numbers: {docno: document["score"] for ...}.',
        )
    return source


def _is_file(value: Any) -> bool:
    return isinstance(value, Path) or (isinstance(value, str) and Path(value).is_file())


def _check_there(path: str | Path) -> None:
    """`InputError` for text that is not a path of a run, but a ranking or the lines of a run."""
    text = str(path)
    if text.lstrip().startswith(("{", "[")):
        raise InputError(
            f"{text[:_SHOWN]!r} is not a file.",
            remedy="Text is taken as the path of a run: give json.loads(text).",
        )
    if text.startswith("~"):
        raise InputError(
            f"{text!r} is not a file: only shells know ~.",
            remedy="Give Path(...).expanduser().",
        )
    if "\n" in text or (not any(mark in text for mark in "./-") and not Path(text).exists()):
        raise InputError(
            f"{text[:_SHOWN]!r} is not a file.",
            remedy="Give the path of a run, or rankings by query: {qid: [docno]}.",
        )


def _named(source: Any) -> dict[str, Any] | None:
    """Runs by name, as a dictionary or as pairs of name and run; None for anything else."""
    if isinstance(source, list | tuple) and source and all(map(_is_named, source)):
        return dict(source)
    if not isinstance(source, Mapping):
        return None
    kinds = {str(name): kind_of(value) for name, value in source.items()}
    known = set(kinds.values()) - {"nothing"}
    if known <= {"ranking"}:
        return {_NAMELESS: source} if source else {}
    if known <= RUNS:
        return {str(name): run for name, run in source.items()}
    wrong = next((name for name, kind in kinds.items() if kind == "unknown"), None)
    if wrong is None:
        names = [
            next(n for n, kind in kinds.items() if (kind in RUNS) == of_runs) for of_runs in (1, 0)
        ]
        raise InputTypeError(
            f"{names[0]!r} is a run, and {names[1]!r} the ranking of a query.",
            remedy="Give runs by name, or one run by its queries.",
        )
    value = next(run for name, run in source.items() if str(name) == wrong)
    if isinstance(value, set | frozenset | Iterator):
        raise InputTypeError(
            f"the ranking {wrong!r} is {type(value).__name__}.",
            remedy="Give docnos as a list, best first.",
        )
    raise InputTypeError(f"the run {wrong!r} is {type(value).__name__}.", remedy=_A_RUN)


def _is_named(pair: Any) -> bool:
    return (
        isinstance(pair, tuple)
        and len(pair) == _PAIR
        and isinstance(pair[0], str)
        and not isinstance(pair[1], str)
        and kind_of(pair[1]) in RUNS | {"ranking"}
        and not (isinstance(pair[1], list | tuple) and kind_of(pair[1]) == "ranking")
    )


def _parts(source: Any) -> list[Any]:
    """The runs of a list or generator, or the one run that its rows are."""
    if hasattr(source, "read"):
        raise InputTypeError("the run is an open file.", remedy="Give its path.")
    if not isinstance(source, Iterable):
        raise InputTypeError(f"the run is {source!r}, {type(source).__name__}.", remedy=_A_RUN)
    parts = list(source)
    return [parts] if parts and (all(map(is_row, parts)) or are_records(parts)) else parts


@public
def load_magnitudes(
    source: Any,
    lexicon: Lexicon | Mapping[str, Iterable[str]] | str | Path | None = None,
    tokenizer: Tokenizer | None = None,
) -> Magnitudes:
    """A scored collection from its Parquet file, from a collection file, or from texts.

    Texts are `{docno: text}`, pairs, a frame with a row per document, documents of ir_datasets, or
    `ir_datasets:ID`, or a dataset of it; a text may be BEIR's `{"title": ..., "text": ...}`, joined
    by a blank. Their scores, and those of a collection file, are kept for the next call. `lexicon`
    (a file, or the name of a built-in one) and `tokenizer` hold for texts; a Parquet file was
    scored with its own.
    """
    words = read_lexicon(lexicon)
    if isinstance(source, Magnitudes):
        _check_scored(source, words if lexicon else None, tokenizer)
        return source
    if isinstance(source, str) and source.startswith(_IRDS):
        source = IR_DATASETS + source.removeprefix(_IRDS)
    is_dataset = isinstance(source, str) and source.startswith(IR_DATASETS)
    if isinstance(source, str | Path) and (Path(source).exists() or not is_dataset):
        if not _is_scored(Path(source)):
            return kept_scores(source, words, tokenizer or "word")
        scored = open_magnitudes(source)
        _check_scored(scored, words if lexicon else None, tokenizer)
        return scored
    texts = source if is_dataset else texts_by_docno(source)
    return score_in_memory(texts, words, tokenizer or "word")


def texts_by_docno(source: Any) -> list[tuple[str, str]]:
    """Docno and text of each document that is in memory, whatever holds them."""
    if isinstance(source, np.ndarray):
        source = source.tolist()
    if isinstance(source, Mapping):
        rows: Iterable[Any] = source.items()
    elif hasattr(source, "docs_iter"):  # a dataset of ir_datasets
        rows = map(_document, source.docs_iter())
    elif (frame := as_frame(source)) is not None:
        names = list(frame)
        docnos = frame[one_of(names, _DOCUMENT_NAMES, "document")]
        texts = frame[one_of(names, _TEXT_NAMES, "text")]
        titles = frame["title"] if "title" in names else [None] * len(docnos)
        rows = zip(docnos, map(_titled, titles, texts), strict=True)
    elif hasattr(source, "items") and hasattr(source, "index"):  # a Series
        rows = source.items()
    elif hasattr(source, "read"):
        raise InputTypeError("the texts are an open file.", remedy="Give its path.")
    elif isinstance(source, Iterable):
        rows = map(_document, source)
    else:
        raise InputTypeError(f"the texts are {source!r}.", remedy=_TEXTS)
    return [(checked_id(docno, "document"), _text(docno, text)) for docno, text in rows]


def _document(value: Any) -> tuple[Any, Any]:
    """Docno and text of a pair, of a document of ir_datasets, or of a row of a corpus."""
    if isinstance(value, tuple | list) and len(value) == _PAIR:
        return value[0], value[1]
    if hasattr(value, "doc_id") and hasattr(value, "default_text"):
        return value.doc_id, value.default_text()
    if isinstance(value, Mapping):
        return value[one_of(list(value), _DOCUMENT_NAMES, "document")], value
    raise InputTypeError("not docno and text.", remedy=_TEXTS)


def _text(docno: Any, value: Any) -> str:
    if isinstance(value, Mapping):
        names = [name for name in (*_TEXT_NAMES, *RARE_NAMES["text"]) if name in value]
        value = _titled(value.get("title"), value[names[0]]) if names else value
    if not isinstance(value, str):
        raise InputTypeError(
            f"the text of document {docno!r} is {value!r}, no text.",
            remedy=_NO_TEXT.get(type(value), "Give text."),
        )
    return value


def _titled(title: Any, text: Any) -> Any:
    """The text with the title before it, as a collection file is read."""
    is_text = isinstance(title, str) and isinstance(text, str)
    return f"{title} {text}" if is_text and title else text


def qrels_of(source: Any, grade_of: Callable[[Any], Any] | None = None) -> Qrels:
    """Judgements from a file, `{qid: {docno: grade}}`, a frame, ranx, trectools, or rows.

    A list of docnos in the place of `{docno: grade}` are those of grade 1. Rows are ir_measures',
    or tuples of query, document and grade, with TREC's iteration in the middle or without it.
    """
    if isinstance(source, str | Path):
        return read_qrels(source)
    source = _as_judgements(source)
    if isinstance(source, Mapping):
        if grade_of is None and _are_checked(source):
            return dict(source)
        by_query = {qid: _grades(qid, grades) for qid, grades in source.items()}
        if grade_of is not None:
            by_query = {
                qid: {docno: grade_of(grade) for docno, grade in grades.items()}
                for qid, grades in by_query.items()
            }
        return _checked_qrels(by_query)
    if (frame := as_frame(source)) is not None:
        names = list(frame)
        columns = (
            one_of(names, QID_NAMES, "query"),
            one_of(names, DOCNO_NAMES, "document"),
            one_of(names, _GRADE_NAMES, "grade"),
        )
        rows: Iterable[tuple[Any, ...]] = zip(*(frame[name] for name in columns), strict=True)
    elif isinstance(source, Iterable) and not hasattr(source, "read"):
        rows = map(_judgement, source)
    else:
        raise InputTypeError(f"the judgements are {type(source).__name__}.", remedy=_QRELS)
    qrels: dict[str, dict[str, int]] = {}
    for qid, docno, grade in rows:
        grades = qrels.setdefault(checked_id(qid, "query"), {})
        if (document := checked_id(docno, "document")) in grades:
            raise InputError(f"query {qid}: the document {docno} is judged twice.")
        grades[document] = grade if grade_of is None else grade_of(grade)
    return _checked_qrels(qrels)


def judges_of(source: Any) -> dict[str, Qrels] | None:
    """Judgements of several judges by their names; None for those of a single one.

    They are by name where each value is what `qrels_of` takes, and no grades of one query.
    """
    if not isinstance(source, Mapping) or not source:
        return None
    if not all(map(_are_judgements, source.values())):
        return None
    return {checked_judge(name): qrels_of(qrels) for name, qrels in source.items()}


def checked_judge(name: Any) -> str:
    """The name of a judge as tables have it."""
    if not isinstance(name, str) or not name.strip():
        raise InputTypeError(f"a judge is named {name!r}.", remedy="Use text.")
    return name


def _are_judgements(value: Any) -> bool:
    """Return whether this is a file, a frame, or judgements of several queries."""
    if isinstance(value, str | Path) or is_frame(value) or hasattr(value, "qrels_iter"):
        return True
    if is_of(value, "ranx") or is_of(value, "trectools"):
        return True
    inside = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(inside, list | tuple) or not inside:
        return False
    kinds = (Mapping, list, tuple) if isinstance(value, Mapping) else (tuple,)
    return isinstance(inside[0], kinds)


def _as_judgements(source: Any) -> Any:
    """Judgements inside an object of ranx, of ir_datasets or of NumPy."""
    if is_of(source, "ranx"):
        return source.to_dict()
    if hasattr(source, "qrels_iter"):
        return source.qrels_iter()
    return source.tolist() if isinstance(source, np.ndarray) else source


def passages_of(source: Any) -> Qrels:
    """The sides of passages (1 male, -1 female, 0 neither) by query, from what `qrels_of` takes.

    With the labels m, f, n and both in the place of grades.
    """
    if isinstance(source, str | Path):
        return read_passage_labels(source)
    return qrels_of(source, _side)


def _side(label: Any) -> Any:
    side = lean_of(label) if isinstance(label, str) else None
    if side is None:
        raise InputError(f"the label of a passage is {label!r}.", remedy="Use m, f, n or both.")
    return side


def _grades(qid: Any, grades: Any) -> Mapping[Any, Any]:
    if isinstance(grades, Mapping):
        return grades
    if isinstance(grades, np.ndarray):
        grades = grades.tolist()
    if isinstance(grades, list | tuple) and grades and all(map(_is_pair, grades)):
        return dict(grades)
    if isinstance(grades, list | tuple | set | frozenset):
        return dict.fromkeys(grades, 1)
    raise InputTypeError(f"the judgements of query {qid!r} are {grades!r}.", remedy=_QRELS)


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == _PAIR


def _judgement(value: Any) -> tuple[Any, Any, Any]:
    if all(hasattr(value, name) for name in ("query_id", "doc_id", "relevance")):
        return value.query_id, value.doc_id, value.relevance
    if isinstance(value, tuple | list) and len(value) in _LENGTHS_OF_JUDGEMENTS:
        return value[0], value[-2], value[-1]
    if isinstance(value, Mapping):
        kinds = ((QID_NAMES, "query"), (DOCNO_NAMES, "document"), (_GRADE_NAMES, "grade"))
        qid, docno, grade = (value[one_of(list(value), names, what)] for names, what in kinds)
        return qid, docno, grade
    raise InputTypeError(f"{value!r} is not a judgement.", remedy=_QRELS)


def query_ids_of(source: Any) -> set[str] | None:
    """The ids of a query file, of `Queries`, of a frame, or of a list; None for all queries."""
    if source is None:
        return None
    if isinstance(source, Sized) and not len(source):
        raise InputError(
            "the list of queries is empty.", remedy="Leave queries out, or give their ids."
        )
    if isinstance(source, str | Path):
        source = _read_queries(source)
    if isinstance(source, Queries):
        ids = set(source.ids)
    elif hasattr(source, "queries_iter"):  # a dataset of ir_datasets
        ids = {checked_id(query.query_id, "query") for query in source.queries_iter()}
    elif (frame := as_frame(source)) is not None:
        column = frame[one_of(list(frame), QID_NAMES, "query")]
        ids = {checked_id(qid, "query") for qid in column}
    elif is_series(source) and not isinstance(source.index[0], int | np.integer):
        ids = {checked_id(qid, "query") for qid in source.index}
    elif isinstance(source, Iterable):
        ids = {checked_id(_query_id(qid), "query") for qid in source}
    else:
        raise InputTypeError(
            f"the queries are {source!r}.", remedy="Give a list of their ids, a frame, or a file."
        )
    return ids


def _query_id(value: Any) -> Any:
    """The id of a query that comes with its text, as a pair or as a row of a table."""
    if isinstance(value, Mapping):
        return value[one_of(list(value), QID_NAMES, "query")]
    if hasattr(value, "query_id"):
        return value.query_id
    return value[0] if _is_pair(value) else value


def _read_queries(path: str | Path) -> Queries:
    try:
        return read_queries(path)
    except InputError as error:
        if Path(path).exists() or Path(path).name != str(path) or Path(path).suffix:
            raise
        raise InputError(
            error.message, path=path, remedy=f'Text is the path of a file: give ids as ["{path}"].'
        ) from None


def _runs_in(source: Any) -> list[tuple[str, Any]]:
    """The runs of a path, each with its name, or the one that an object is."""
    if isinstance(source, str | Path):
        if not str(source).strip():
            raise InputError("the path of a run is empty.", remedy='Give a file, or "." for all.')
        files: list[tuple[str, Any]] = list(run_files(source))
        if not files:
            raise InputError(
                "there is no run at this path.",
                path=source,
                remedy='Give files, or a folder or a pattern that has some: "runs/*.run".',
            )
        return files
    if systems := systems_in(source):
        return list(systems.items())
    name = getattr(source, "name", None)  # of a frame it may be a column
    return [(name if isinstance(name, str) and name else _NAMELESS, source)]


def _run_of(
    source: Any, name: str, order: Order, first: Mapping[str, Any], *, is_named: bool
) -> Run:
    kind = kind_of(source)
    if isinstance(source, Run):
        return source if source.name == name else replace(source, name=name)
    if isinstance(source, SystemRows):
        return Run.from_frame(source, name, order, **first)
    if kind == "table":
        if is_named and (systems := systems_in(source)):
            raise InputError(
                f"the frame {name!r} has {len(systems)} systems: {some(systems)}.",
                remedy="Give the frame alone, or one of them: frame[frame[...] == name].",
            )
        return Run.from_frame(source, name, order, **first)
    if kind == "records":
        named = {name: [record.get(name) for record in source] for name in source[0]}
        return Run.from_frame(named, name, order, **first)
    if kind == "rows":
        columns = zip(*map(row_of, source), strict=True)
        return Run.from_frame(
            dict(zip(("qid", "docno", "score"), columns, strict=True)), name, order, **first
        )
    if kind == "run":
        source = source.to_dict()
    if isinstance(source, Mapping):
        return Run.from_dict(source, name, order, **first)
    raise InputTypeError(f"the run {name!r} is {type(source).__name__}.", remedy=_A_RUN)


def _numbered(runs: Sequence[Run]) -> list[Run]:
    """Runs without a name of their own get a number."""
    return [
        replace(run, name=f"{_NAMELESS}{number}") if run.name == _NAMELESS and not run.path else run
        for number, run in enumerate(runs, start=1)
    ]


def _told_apart(runs: Sequence[Run]) -> list[Run]:
    """Name runs of the same name by their tags, as `fairpool measure` does; or `InputError`."""
    names = [run.name for run in runs]
    tags = [run_tag(run.path) if names.count(run.name) > 1 and run.path else "" for run in runs]
    names = told_apart(names, tags)
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(
            f"{names.count(twice[0])} runs are named {twice[0]!r}.",
            remedy="Give them by name: {name: run}.",
        )
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def _checked_qrels(source: Mapping[Any, Mapping[Any, Any]]) -> Qrels:
    return {checked_id(qid, "query"): _checked_grades(qid, g) for qid, g in source.items()}


def _are_checked(source: Mapping[Any, Any]) -> bool:
    """Return whether these are whole grades by docno and query already, as most are."""
    if set(map(type, source.values())) != {dict}:
        return False
    ids = {*map(type, source), *map(type, chain.from_iterable(source.values()))}
    grades = set(map(type, chain.from_iterable(map(dict.values, source.values()))))
    has_empty = "" in source or any("" in of_query for of_query in source.values())
    return ids == {str} and grades == {int} and not has_empty


def _checked_grades(qid: Any, grades: Mapping[Any, Any]) -> dict[str, int]:
    """The grades of a query as whole numbers by docno."""
    for docno, grade in grades.items():
        if not _is_whole(grade):
            raise InputError(
                f"query {qid}: the grade of {docno} is {grade!r}, no whole number.",
                remedy="Give whole numbers, as int(grade).",
            )
    return {checked_id(docno, "document"): int(grade) for docno, grade in grades.items()}


def _is_whole(grade: object) -> bool:
    """Return whether this is a whole number, be it written as Pandas does: 1.0."""
    is_number = isinstance(grade, int | float | np.integer | np.floating)
    return is_number and float(grade).is_integer()  # type: ignore[arg-type]


def _is_scored(path: Path) -> bool:
    if not path.exists():
        remedy = "Give a collection or its scores."
        if path.parent == Path() and not path.suffix:
            remedy += f' A dataset of ir_datasets is "{IR_DATASETS}{path}".'
        raise no_such_file(path, remedy)
    return SCORED_COLLECTION.recognises(path) or is_cached_counts(path)


def _check_scored(scored: Magnitudes, lexicon: Lexicon | None, tokenizer: str | None) -> None:
    done = scored.metadata
    for what, was, expected in (
        ("word list", done.lexicon_sha256, lexicon and lexicon.sha256),
        ("tokenizer", done.tokenizer, tokenizer),
    ):
        if expected and was != expected:
            raise InputError(
                f"was scored with another {what}.",
                path=scored.path,
                remedy="Give the collection itself, or leave the argument out.",
            )
