"""`ro-crate-metadata.json`: what the files of a bundle are, for repositories and search engines.

RO-Crate 1.1, https://w3id.org/ro/crate/1.1, a profile of JSON-LD with the terms of schema.org.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from annotation.reports.bundle.datasheet import FILES
from annotation.reports.bundle.study import StudyBundle
from metrics.version import VERSION

NAME = "ro-crate-metadata.json"
_SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "zip": "application/zip",
}
_LICENSE, _PROGRAM, _ACT = "#license", "#fairpool", "#bundled"


def crate(study: StudyBundle, files: Mapping[str, bytes | Path], *later: str) -> dict[str, Any]:
    """The metadata of a bundle of these files, and of those that are written `later`.

    The day of publication is the day on which the labels were decided.
    """
    entities = [_file(name, _size(content)) for name, content in sorted(files.items())]
    entities += [_file(name, None) for name in later]
    return {
        "@context": f"{_SPECIFICATION}/context",
        "@graph": [_descriptor(), _root(study, entities), *entities, *_contextual(study)],
    }


def _descriptor() -> dict[str, Any]:
    return {
        "@id": NAME,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _SPECIFICATION},
        "about": {"@id": "./"},
    }


def _root(study: StudyBundle, entities: list[dict[str, Any]]) -> dict[str, Any]:
    n_queries = sum(len(batch.queries) for batch in study.batches)
    n_answers = sum(len(batch.answers) for batch in study.batches)
    titles = ", ".join(dict.fromkeys(batch.scheme.title for batch in study.batches))
    description = (
        f"{n_queries:,} search queries with {n_answers:,} votes and answers about them"
        f"{f' ({titles})' if titles else ''}, what is decided by these and how far people agree; "
        "with runs, also the bias of their rankings."
    )
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Annotation of search queries: {study.name}",
        "description": description,
        "datePublished": study.decided_on,
        "license": {"@id": _LICENSE},
        "hasPart": [{"@id": entity["@id"]} for entity in entities],
        "mentions": {"@id": _ACT},
    }


def _size(content: bytes | Path) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _file(name: str, size: int | None) -> dict[str, Any]:
    entity: dict[str, Any] = {
        "@id": quote(name),
        "@type": "File",
        "name": name,
        "description": _description(name),
        "encodingFormat": _TYPES.get(name.rpartition(".")[2], "application/octet-stream"),
    }
    return entity if size is None else entity | {"contentSize": str(size)}


def _description(name: str) -> str:
    if name.startswith("files/"):
        return "a file that was measured with; manifest.json says what it holds"
    return FILES.get(name.rpartition("/")[2], "the datasheet of the study")


def _contextual(study: StudyBundle) -> list[dict[str, Any]]:
    return [
        {
            "@id": _LICENSE,
            "@type": "CreativeWork",
            "name": "No licence is stated",
            "description": "Whoever publishes this bundle says here what others may do with it.",
        },
        {
            "@id": _PROGRAM,
            "@type": "SoftwareApplication",
            "name": "Fairpool",
            "version": VERSION,
        },
        {
            "@id": _ACT,
            "@type": "CreateAction",
            "name": f"The bundle of {study.name}",
            "instrument": {"@id": _PROGRAM},
            "result": {"@id": "./"},
        },
    ]
