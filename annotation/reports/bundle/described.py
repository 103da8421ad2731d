"""Description of a bundle: its batches, and the files that it names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.batch import PASSAGES, TEXTS, BatchTables
from annotation.reports.bundle.layouts import Layout, layout_of
from annotation.reports.bundle.parameters import Parameters, read_parameters
from annotation.reports.bundle.tables import DecisionRow, PassageRow, QueryRow, TextRow, rows_of
from annotation.reports.bundle.votes import SCHEME
from annotation.schemes import Scheme, built_in_scheme, scheme_from_json
from metrics.errors import InputError
from metrics.runs.sidecar import SIZES
from metrics.vocabulary import CATEGORY_QUESTION, LONGEST_OWN_NAME

_MOST_INPUTS = 1_000
#: Columns of decisions that nothing is computed from.
_TEXTS = ("source", "decided_by", "reason")
#: Queries that are named.
_SHOWN = 5


@dataclass(frozen=True)
class BatchFolder:
    """A batch of a bundle: its files, description, parameters and scheme.

    Without a scheme of its own (`is_scheme_known`), votes were imported as answers to the paper's.
    """

    folder: Archive
    described: Mapping[str, Any]
    parameters: Parameters
    scheme: Scheme
    is_scheme_known: bool

    @property
    def layout(self) -> Layout:
        return layout_of(self.scheme)

    def tables(self, *, with_texts: bool = True) -> BatchTables:
        """The tables; without texts, "" stands for what nothing is computed from."""
        without = () if with_texts else ("query",)
        queries = list(rows_of(self.folder, QueryRow, "queries.csv", without=without))
        return BatchTables(
            self.scheme,
            self.parameters,
            queries=queries,
            answers=self.layout.read_answers(self.folder),
            decisions=self.decisions(with_texts=with_texts),
            passages=self._passages() if with_texts else (),
            texts=self._texts(queries, () if with_texts else ("text",)),
        )

    def _texts(self, queries: Sequence[QueryRow], without: Collection[str]) -> list[TextRow]:
        """Free texts, which bundles of 1.0 do not have; all are about a query or a whole task."""
        qids, names = (
            {row.qid for row in queries},
            {question.name for question in self.scheme.questions},
        )
        texts = list(rows_of(self.folder, TextRow, TEXTS, without=without))
        for row in texts:
            is_of_task = not (row.qid or row.question)
            if not is_of_task and (row.qid not in qids or row.question not in names):
                raise InputError(
                    f"{row.worker} writes about {row.question!r} of {row.qid!r}, which the batch "
                    "does not have.",
                    path=self.folder.place(TEXTS),
                )
        return texts

    def _passages(self) -> list[PassageRow]:
        if PASSAGES not in self.folder.names:
            return []
        return list(rows_of(self.folder, PassageRow, PASSAGES))

    def decisions(self, *, with_texts: bool = True) -> list[DecisionRow]:
        return self.layout.read_decisions(self.folder, () if with_texts else _TEXTS)

    @property
    def outdated(self) -> frozenset[str]:
        """The queries whose labels, by the bundle, are older than their votes."""
        listed = self.described.get("labels_out_of_date")
        return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()


def outdated_in_words(qids: Sequence[str]) -> str:
    """Say that these queries' labels are older than their votes, and name the first of them."""
    names = ", ".join(qids[:_SHOWN]) + (", ..." if len(qids) > _SHOWN else "")
    what = "1 label is" if len(qids) == 1 else f"{len(qids):,} labels are"
    return f"{what} older than the last change of the votes ({names}): decide labels again."


@dataclass(frozen=True)
class InputFile:
    """A file that the study was measured with; `place` is its name in the bundle, or ""."""

    kind: str
    name: str
    size: int
    digest: str
    sizes: Mapping[str, int]
    place: str


def batch_folders(bundle: Archive, path: str | Path) -> list[BatchFolder]:
    """The batches of a bundle, in their order."""
    folders = bundle.folders("batches")
    return [_batch(folder, json_object(folder, "batch.json"), path) for folder in folders]


def _batch(folder: Archive, described: Mapping[str, Any], path: str | Path) -> BatchFolder:
    is_known = SCHEME in folder.names
    scheme = (
        scheme_from_json(json_object(folder, SCHEME))
        if is_known
        else built_in_scheme(CATEGORY_QUESTION)
    )
    layout = layout_of(scheme)
    tables = ("queries.csv", layout.answers, layout.decisions, "agreement.json")
    if missing := [name for name in tables if name not in folder.names]:
        raise InputError(f"is not a bundle: it has no {folder.place(missing[0])}.", path=path)
    parameters = read_parameters(described.get("parameters"), path, categories=layout.categories)
    return BatchFolder(folder, described, parameters, scheme, is_known)


def named_files(manifest: Mapping[str, Any], path: str | Path) -> list[InputFile]:
    """The files that the manifest names by their digests."""
    stored = manifest.get("inputs", [])
    try:
        return [_input(file) for file in stored[:_MOST_INPUTS]]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"its list of inputs cannot be read ({error}).", path=path) from None


def _input(stored: Mapping[str, Any]) -> InputFile:
    file = InputFile(
        kind=str(stored["kind"]),
        name=str(stored["name"]),
        size=int(stored["size"]),
        digest=str(stored["digest"]),
        sizes={name: int(stored[name]) for name in SIZES if stored.get(name) is not None},
        place=str(stored["path"] or ""),
    )
    if max(len(file.kind), len(file.name), len(file.digest)) > LONGEST_OWN_NAME or file.size < 0:
        raise ValueError(file.name[:LONGEST_OWN_NAME])
    return file


def json_object(bundle: Archive, name: str) -> dict[str, Any]:
    """The JSON object that a file holds. Raises `InputError` for anything else."""
    value = bundle.json(name)
    if not isinstance(value, dict):
        raise InputError("is not a JSON object.", path=bundle.place(name))
    return value
