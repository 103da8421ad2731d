"""Detection of a file's kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.db.models import QuerySet

from annotation.models import Study, StudyFile
from annotation.studies.file_store import local_path
from annotation.studies.run_checks import READ_AT_ONCE
from annotation.vocabulary import FileKind
from metrics.errors import InputError
from metrics.io import headers
from metrics.io.contents import Contents, contents_of
from metrics.io.files import open_bytes
from metrics.io.parquet_tables import is_parquet, parquet_table
from metrics.runs import read_run

#: A study has one of these at a time; a collection may come in parts, and runs are several.
ONE_OF_A_KIND = frozenset({FileKind.QUERIES, FileKind.QRELS, FileKind.LEXICON})
#: Contents that need other files to be distinguished: queries, or a collection.
TEXTS = "texts"
#: Contents that another import takes.
MODEL_LABELS = "model labels"
_KINDS = {
    "run": FileKind.RUN,
    "qrels": FileKind.QRELS,
    "ids": FileKind.QUERIES,
    "labels": FileKind.QUERIES,
    "lexicon": FileKind.LEXICON,
    "magnitudes": FileKind.MAGNITUDES,
}
#: Queries of people are shorter, passages are longer: MS MARCO has 6 and 56 words on average.
_LONGEST_QUERIES = 15
_N_LINES = 1_000


@dataclass(frozen=True)
class NamedIds:
    """The queries and documents that a run names."""

    run: str
    qids: frozenset[str]
    docnos: frozenset[str]


def kind_of_file(*, study: Study, path: Path, display_name: str) -> tuple[FileKind, str]:
    """Return the kind of the file, and why; `InputError` where a person has to choose."""
    looks = contents_of(path)
    runs = ids_named_by_runs(study) if looks is not None and looks.kind == TEXTS else []
    kind, reason = kind_of_contents(looks, path, display_name, runs)
    if kind == FileKind.COLLECTION and (other := files_in_use(study, kind).first()):
        raise another_collection(reason, other.name, display_name)
    return kind, reason


def kind_of_contents(
    looks: Contents | None, path: Path, display_name: str, runs: Sequence[NamedIds]
) -> tuple[FileKind, str]:
    """Kind of a file with these contents, and why; `InputError` as above.

    A collection and queries look alike: the ids in runs decide, else the length of the texts.
    """
    if looks is None and has_queries(path):
        return FileKind.QUERIES, "Parquet with a query's id and text"
    if looks is None:
        raise InputError(
            "its type is not recognised.",
            path=display_name,
            remedy="Choose a type to see what does not fit.",
        )
    if looks.kind == "votes":
        raise InputError(f"looks like {looks}.", path=display_name, remedy="Import them as votes.")
    if looks.kind == MODEL_LABELS:
        raise InputError(
            f"looks like {looks}.", path=display_name, remedy="Import them as labels of models."
        )
    if looks.kind in _KINDS:
        return _KINDS[looks.kind], looks.reason
    is_json = looks.reason.startswith("JSON")  # no query file is
    return (FileKind.COLLECTION, looks.reason) if is_json else _texts(path, runs)


def has_queries(path: Path) -> bool:
    """Return whether the file is Parquet with queries: what is called an id alone may be any."""
    try:
        return is_parquet(path) and bool(
            headers.places_of(parquet_table(path)[0], headers.QIDS, headers.QUERIES)
        )
    except InputError:
        return False


def adding_order(path: Path) -> int:
    """Sort key of files that are added together.

    Runs come first: the ids that they name tell queries from a collection. Labels of models come
    last: they are of queries that the study knows.
    """
    looks = contents_of(path)
    return 1 if looks is None else {"run": 0, MODEL_LABELS: 2}.get(looks.kind, 1)


def is_of_models(path: Path) -> bool:
    """Return whether the file holds labels of models."""
    looks = contents_of(path)
    return looks is not None and looks.kind == MODEL_LABELS


def another_collection(reason: str, other: str, display_name: str) -> InputError:
    return InputError(
        f"looks like a collection ({reason}), and there is {other} already.",
        path=display_name,
        remedy="If it is another part of the same collection, choose Collection and add it "
        "again; else remove that file first.",
    )


def ids_named_by_runs(study: Study) -> list[NamedIds]:
    """Return the ids in the smallest run of the study, if reading it is fast."""
    run = files_in_use(study, FileKind.RUN).order_by("size").first()
    if run is None or run.summary["unpacked"] > READ_AT_ONCE:
        return []
    read = read_run(local_path(run))
    return [NamedIds(run.name, frozenset(read.qids), frozenset(read.docnos))]


def files_in_use(study: Study, kind: str) -> QuerySet[StudyFile]:
    """The files of this kind that the study measures with."""
    return study.files.filter(kind=kind, archived_at=None)


def _texts(path: Path, runs: Sequence[NamedIds]) -> tuple[FileKind, str]:
    with open_bytes(path) as stream:
        rows = [line.partition(b"\t") for line in islice(stream, _N_LINES)]
    ids = {row[0].decode("utf-8", "replace").removeprefix("\ufeff") for row in rows}
    for run in runs:
        # Numbers may be ids of queries and of passages: the majority decides.
        n_queries, n_documents = len(ids & run.qids), len(ids & run.docnos)
        if n_queries != n_documents:
            kind = FileKind.QUERIES if n_queries > n_documents else FileKind.COLLECTION
            return kind, f"run {run.run} names its ids"
    words = sum(len(row[2].split()) for row in rows) / len(rows)
    kind = FileKind.QUERIES if words <= _LONGEST_QUERIES else FileKind.COLLECTION
    return kind, f"its texts have {words:.0f} words on average"
