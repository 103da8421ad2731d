"""Description of a bundle: its batches, and the files that it names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.recompute import Parameters, read_parameters
from annotation.reports.bundle.scheme import ANSWERS, DECISIONS, SCHEME
from annotation.schemes import Scheme, scheme_from_json
from metrics.errors import InputError
from metrics.runs.sidecar import SIZES

_TABLES = ("queries.csv", "votes.csv", "labels.csv", "agreement.json")
_TABLES_OF_SCHEME = ("queries.csv", ANSWERS, DECISIONS, "agreement.json")
_MOST_INPUTS = 1_000
#: Queries that are named.
_SHOWN = 5
#: Characters of the longest name, as the site has them.
_LONGEST_NAME = 100


@dataclass(frozen=True)
class BatchFolder:
    """A batch of a bundle: its files, description and parameters.

    The scheme of imported votes is unknown; `asked` is a scheme with other questions than the
    categories.
    """

    folder: Archive
    described: Mapping[str, Any]
    parameters: Parameters
    scheme: Scheme | None = None
    asked: Scheme | None = None

    @property
    def outdated(self) -> frozenset[str]:
        """The queries whose labels, by the bundle, are older than their votes."""
        listed = self.described.get("labels_out_of_date")
        return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()


def outdated_in_words(qids: Sequence[str]) -> str:
    """Say that these queries' labels are older than their votes, and name the first of them."""
    shown = ", ".join(qids[:_SHOWN]) + (", ..." if len(qids) > _SHOWN else "")
    what = "1 label is" if len(qids) == 1 else f"{len(qids):,} labels are"
    return f"{what} older than the last change of the votes ({shown}): decide labels again."


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
    scheme = scheme_from_json(json_object(folder, SCHEME)) if SCHEME in folder.names else None
    asked = None if scheme is None or scheme.asks_for_categories else scheme
    tables = _TABLES_OF_SCHEME if asked else _TABLES
    if missing := [name for name in tables if name not in folder.names]:
        raise InputError(f"is no bundle: it has no {folder.place(missing[0])}.", path=path)
    parameters = read_parameters(described.get("parameters"), path, has_categories=asked is None)
    return BatchFolder(folder, described, parameters, scheme, asked)


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
    if max(len(file.kind), len(file.name), len(file.digest)) > _LONGEST_NAME or file.size < 0:
        raise ValueError(file.name[:_LONGEST_NAME])
    return file


def json_object(bundle: Archive, name: str) -> dict[str, Any]:
    """The JSON object that a file holds. Raises `InputError` for anything else."""
    value = bundle.json(name)
    if not isinstance(value, dict):
        raise InputError("is no JSON object.", path=bundle.place(name))
    return value
