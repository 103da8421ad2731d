"""`ro-crate-metadata.json`: what the files of a bundle are, for repositories and search engines.

RO-Crate, a profile of JSON-LD with the terms of schema.org; `crate_of` makes that of a release,
too.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from annotation.reports.bundle.datasheet import FILES
from annotation.reports.bundle.study import StudyBundle
from metrics.version import VERSION

NAME = "ro-crate-metadata.json"
_SPECIFICATION = "https://w3id.org/ro/crate"
_TYPES = {
    "cff": "text/yaml",
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "zip": "application/zip",
}
_LICENSE, _PROGRAM = "#license", "#fairpool"


def crate(study: StudyBundle, files: Mapping[str, bytes | Path], *later: str) -> dict[str, Any]:
    """The metadata of a bundle of these files, and of those that are written `later`.

    The day of publication is the day on which the labels were decided.
    """
    sizes = {name: _size(content) for name, content in sorted(files.items())}
    licence = {
        "@id": _LICENSE,
        "@type": "CreativeWork",
        "name": "No licence is stated",
        "description": "Whoever publishes this bundle says here what others may do with it.",
    }
    return crate_of(
        {
            "name": f"Annotation of search queries: {study.name}",
            "description": _abstract(study),
            "datePublished": study.decided_on,
        },
        [
            file_entity(name, _description(name), size)
            for name, size in (sizes | dict.fromkeys(later)).items()
        ],
        [licence],
        act=("#bundled", f"The bundle of {study.name}"),
        version="1.1",
    )


def crate_of(
    about: Mapping[str, Any],
    files: Sequence[dict[str, Any]],
    others: Sequence[dict[str, Any]],
    *,
    act: tuple[str, str],
    version: str,
) -> dict[str, Any]:
    """The metadata of data with these members, of `files` and `others`, a licence first.

    `act`, by its id and name, made them with this program.
    """
    made, name = act
    specification = f"{_SPECIFICATION}/{version}"
    descriptor = {
        "@id": NAME,
        "@type": "CreativeWork",
        "conformsTo": {"@id": specification},
        "about": {"@id": "./"},
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        **about,
        "license": {"@id": others[0]["@id"]},
        "hasPart": references(files),
        "mentions": {"@id": made},
    }
    program = {
        "@id": _PROGRAM,
        "@type": "SoftwareApplication",
        "name": "Fairpool",
        "version": VERSION,
    }
    creation = {
        "@id": made,
        "@type": "CreateAction",
        "name": name,
        "instrument": {"@id": _PROGRAM},
        "result": {"@id": "./"},
    }
    graph = [descriptor, root, *files, *others, program, creation]
    return {"@context": f"{specification}/context", "@graph": graph}


def references(entities: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"@id": entity["@id"]} for entity in entities]


def file_entity(name: str, description: str, size: int | None) -> dict[str, Any]:
    """A file with its meaning and, where it is known, its size in bytes."""
    entity: dict[str, Any] = {
        "@id": quote(name),
        "@type": "File",
        "name": name,
        "description": description,
        "encodingFormat": _TYPES.get(name.rpartition(".")[2], "application/octet-stream"),
    }
    return entity if size is None else entity | {"contentSize": str(size)}


def _abstract(study: StudyBundle) -> str:
    n_queries = sum(len(batch.queries) for batch in study.batches)
    n_answers = sum(len(batch.answers) for batch in study.batches)
    titles = ", ".join(dict.fromkeys(batch.scheme.title for batch in study.batches))
    return (
        f"{n_queries:,} search queries with {n_answers:,} votes and answers about them"
        f"{f' ({titles})' if titles else ''}, what is decided by these and how far people agree; "
        "with runs, also the bias of their rankings."
    )


def _size(content: bytes | Path) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _description(name: str) -> str:
    if name.startswith("files/"):
        return "a file that was measured with; manifest.json says what it holds"
    return FILES.get(name.rpartition("/")[2], "the datasheet of the study")
