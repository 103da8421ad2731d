"""Reading a bundle, so that its study can continue elsewhere."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.reports.bundle import archive
from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.batch import BatchTables
from annotation.reports.bundle.described import (
    BatchFolder,
    InputFile,
    batch_folders,
    json_object,
    named_files,
)
from annotation.reports.bundle.parts import bundle_models, whole_pools
from annotation.reports.bundle.study import ModelBundle, PoolBundle
from annotation.reports.bundle.verify import verify_bundle
from metrics.errors import InputError


@dataclass(frozen=True)
class ReadBatch:
    """A batch that verifies: all its numbers follow from its votes and documents.

    `pool` is the place of its pool among those of the bundle, None for a batch without one.
    """

    name: str
    terms: Mapping[str, Any]
    pool: int | None
    tables: BatchTables
    is_scheme_known: bool


@dataclass(frozen=True)
class ReadReport:
    """A bias report: its description, and the folder with its files."""

    described: Mapping[str, Any]
    folder: Archive


class ReadBundle:
    """A bundle that verifies. Its parts are read one by one, on demand."""

    def __init__(self, bundle: Archive, manifest: Mapping[str, Any], path: str | Path) -> None:
        self._bundle = bundle
        self._batches = batch_folders(bundle, path)
        self._pools = bundle.folders("pools")
        self.format: int = manifest["format"]
        self.files = named_files(manifest, path)
        study = _object(manifest.get("study"))
        self.name = str(study.get("name") or "")
        self.description = str(study.get("description") or "")

    def pools(self) -> Iterator[PoolBundle]:
        """The pools, in their order."""
        yield from whole_pools(self._bundle)

    def models(self) -> Iterator[ModelBundle]:
        """The models that labelled queries of the study."""
        yield from bundle_models(self._bundle)

    def batches(self) -> Iterator[ReadBatch]:
        """The batches, in their order."""
        for batch in self._batches:
            described = batch.described
            yield ReadBatch(
                name=str(described["name"]),
                terms=_object(described.get("terms")),
                pool=self._pool_of(batch),
                tables=batch.tables(),
                is_scheme_known=batch.is_scheme_known,
            )

    def _pool_of(self, batch: BatchFolder) -> int | None:
        stored = batch.described.get("pool")
        return [folder.place("") for folder in self._pools].index(f"{stored}/") if stored else None

    def reports(self) -> Iterator[ReadReport]:
        """The bias reports, in their order."""
        for folder in self._bundle.folders("reports"):
            yield ReadReport(json_object(folder, "report.json"), folder)

    def extract(self, file: InputFile, path: Path) -> Path:
        """Write a file that is included to `path`, which is returned."""
        return self._bundle.extract(file.place, path)


@contextmanager
def read_bundle(path: str | Path) -> Iterator[ReadBundle]:
    """A bundle of any format that this version knows.

    Raises `InputError` for a file that is not a bundle, is of a later format, or does not verify.
    """
    verification = verify_bundle(path)
    if not verification.ok:
        raise InputError(
            f"does not verify: {verification.differences[0]}",
            path=path,
            remedy="Download the bundle again from where it was published.",
        )
    with archive.open_archive(path) as bundle:
        yield ReadBundle(bundle, archive.read_manifest(bundle, path), path)


def _object(value: Any) -> dict[str, Any]:
    """A JSON object; {} for anything else."""
    return value if isinstance(value, dict) else {}
