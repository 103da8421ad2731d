"""Runs, texts, judgements and queries from whatever holds them, told apart by what it is.

Paths, dictionaries, data frames (those that Narwhals reads, also lazy ones), data sets of Hugging
Face, and the objects of ranx and ir_measures. Columns are known by name, never by place.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError
from .io.file_kinds import SCORED_COLLECTION
from .io.run_files import run_files
from .runs import Run, read_run
from .runs.columns import DOCNO_NAMES, QID_NAMES, as_frame, is_frame, is_of, one_of
from .runs.qrels import Qrels, read_qrels
from .runs.queries import Queries, read_queries
from .texts.in_memory import IR_DATASETS, score_in_memory
from .texts.kept_scores import kept_scores
from .texts.lexicon import Lexicon, read_lexicon
from .texts.magnitude_store import Magnitudes, open_magnitudes
from .vocabulary import Order, Tokenizer

_TEXT_NAMES = ("text", "contents", "passage", "body")
_GRADE_NAMES = ("relevance", "label", "rel", "grade", "score")
_DOCUMENT_NAMES = (*DOCNO_NAMES, "docid", "pid", "_id", "id")
#: What a run is called that has no name of its own.
_NAMELESS = "run"


def runs_of(source: Any, order: Order = "default", ids: set[str] | None = None) -> list[Run]:
    """The runs of a source: one run, several by name, or several in a list.

    A run is a path, a `Run`, `{qid: {docno: score}}`, a frame with a row per document, a `Run` of
    ranx, or a list of ScoredDoc; a folder or a pattern is several.
    """
    if isinstance(source, Mapping) and not _is_one_run(source):
        runs = [_run_of(one, str(name), order, ids) for name, one in source.items()]
    else:
        parts = [source] if _is_one_source(source) else list(source)
        if parts and _is_scored_document(parts[0]):
            parts = [parts]
        runs = [run for part in parts for run in _named_runs(part, order, ids)]
        if len(runs) > 1:
            runs = _numbered(runs)
    if not runs:
        raise InputError("there is no run.", remedy="Give at least one.")
    return runs


def load_magnitudes(
    source: Any, lexicon: Lexicon | str | Path | None = None, tokenizer: Tokenizer | None = None
) -> Magnitudes:
    """A scored collection from its Parquet file, from a collection file, or from texts.

    Texts are `{docno: text}`, pairs, a frame with a row per document, or `ir_datasets:ID`; their
    scores, and those of a collection file, are kept for the next call. `lexicon` (a file, or the
    name of a built-in one) and `tokenizer` hold for texts; a Parquet file was scored with its own.
    """
    words = lexicon if isinstance(lexicon, Lexicon) else read_lexicon(lexicon)
    if isinstance(source, Magnitudes):
        _check_scored(source, words if lexicon else None, tokenizer)
        return source
    if isinstance(source, str | Path) and not str(source).startswith(IR_DATASETS):
        if not _is_scored(Path(source)):
            return kept_scores(source, words, tokenizer or "word")
        scored = open_magnitudes(source)
        _check_scored(scored, words if lexicon else None, tokenizer)
        return scored
    if (frame := as_frame(source)) is not None:
        docno = one_of(list(frame), _DOCUMENT_NAMES, "document")
        text = one_of(list(frame), _TEXT_NAMES, "text")
        source = list(zip(map(str, frame[docno]), frame[text], strict=True))
    return score_in_memory(source, words, tokenizer or "word")


def qrels_of(source: Any) -> Qrels:
    """Judgements from a file, `{qid: {docno: grade}}`, a frame, ranx, or ir_measures' list."""
    if isinstance(source, str | Path):
        return read_qrels(source)
    if is_of(source, "ranx"):
        source = source.to_dict()
    if isinstance(source, Mapping):
        return _checked_qrels(source)
    if (frame := as_frame(source)) is not None:
        names = list(frame)
        columns = (
            one_of(names, QID_NAMES, "query"),
            one_of(names, DOCNO_NAMES, "document"),
            one_of(names, _GRADE_NAMES, "grade"),
        )
        rows: Iterable[tuple[Any, ...]] = zip(*(frame[name] for name in columns), strict=True)
    else:
        rows = [(one.query_id, one.doc_id, one.relevance) for one in source]
    qrels: dict[str, dict[str, int]] = {}
    for qid, docno, grade in rows:
        qrels.setdefault(str(qid), {})[str(docno)] = grade
    return _checked_qrels(qrels)


def query_ids_of(source: Any, runs: Sequence[Run] | None = None) -> set[str] | None:
    """The ids of a query file, of `Queries`, of a frame, or of a list; None for all queries."""
    if source is None:
        return None
    if isinstance(source, str | Path):
        source = read_queries(source)
    if isinstance(source, Queries):
        ids = set(source.ids)
    elif (frame := as_frame(source)) is not None:
        ids = set(map(str, frame[one_of(list(frame), QID_NAMES, "query")]))
    else:
        ids = {str(qid) for qid in source}
    if runs is not None and not any(ids.intersection(run.qids) for run in runs):
        raise InputError(
            f"none of the {len(ids):,} queries is in a run.",
            remedy="Give ids as the runs have them, or leave queries out.",
        )
    return ids


def _named_runs(source: Any, order: Order, ids: set[str] | None) -> list[Run]:
    if isinstance(source, str | Path):
        files = run_files(source)
        if not files:
            raise InputError("no run is there.", path=source)
        return [read_run(path, name, order, ids) for name, path in files]
    if isinstance(source, Run):
        return [source]
    return [_run_of(source, str(getattr(source, "name", None) or _NAMELESS), order, ids)]


def _run_of(source: Any, name: str, order: Order, ids: set[str] | None) -> Run:
    if isinstance(source, Run):
        return replace(source, name=name)
    if isinstance(source, str | Path):
        return read_run(source, name, order, ids)
    if is_of(source, "ranx"):
        source = source.to_dict()
    if isinstance(source, Mapping):
        return Run.from_dict(source, name, order)
    if (frame := as_frame(source)) is not None:
        return Run.from_frame(frame, name, order)
    rows = list(source)
    if not rows or not _is_scored_document(rows[0]):
        raise InputError(
            f"the run {name!r} is {type(source).__name__}.",
            remedy="Give a path, a dictionary, a data frame, or a list of ScoredDoc.",
        )
    columns = {
        "qid": [row.query_id for row in rows],
        "docno": [row.doc_id for row in rows],
        "score": [row.score for row in rows],
    }
    return Run.from_frame(columns, name, order)


def _is_one_run(source: Mapping[Any, Any]) -> bool:
    """Whether `{qid: {docno: score}}` rather than runs by name."""
    first = next(iter(source.values()), None)
    if not isinstance(first, Mapping):
        return False
    score = next(iter(first.values()), None)
    return isinstance(score, int | float | np.number)


def _is_one_source(source: Any) -> bool:
    return (
        is_frame(source) or is_of(source, "ranx") or isinstance(source, str | Path | Run | Mapping)
    )


def _is_scored_document(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("query_id", "doc_id", "score"))


def _numbered(runs: Sequence[Run]) -> list[Run]:
    """Runs without a name of their own get a number."""
    return [
        replace(run, name=f"{_NAMELESS}{number}") if run.name == _NAMELESS and not run.path else run
        for number, run in enumerate(runs, start=1)
    ]


def _checked_qrels(source: Mapping[Any, Mapping[Any, Any]]) -> Qrels:
    for qid, grades in source.items():
        for docno, grade in grades.items():
            if not isinstance(grade, int | np.integer):
                raise InputError(
                    f"query {qid}: the grade of {docno} is {grade!r}, no whole number."
                )
    return {
        str(qid): {str(docno): int(grade) for docno, grade in grades.items()}
        for qid, grades in source.items()
    }


def _is_scored(path: Path) -> bool:
    if not path.is_file():
        raise InputError("no such file.", path=path, remedy="Give a collection or its scores.")
    return SCORED_COLLECTION.recognises(path)


def _check_scored(scored: Magnitudes, lexicon: Lexicon | None, tokenizer: str | None) -> None:
    done = scored.metadata
    for what, was, wanted in (
        ("word list", done.lexicon_sha256, lexicon and lexicon.sha256),
        ("tokenizer", done.tokenizer, tokenizer),
    ):
        if wanted and was != wanted:
            raise InputError(
                f"was scored with another {what}.",
                path=scored.path,
                remedy="Give the collection itself, or leave the argument out.",
            )
