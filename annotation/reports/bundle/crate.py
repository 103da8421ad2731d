"""`ro-crate-metadata.json`: what the files of a bundle are, for repositories and search engines.

RO-Crate 1.1, https://w3id.org/ro/crate/1.1, a profile of JSON-LD with the terms of schema.org.
"""

from collections.abc import Mapping
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
}
_LICENSE, _PROGRAM, _ACT = "#license", "#fairpool", "#bundled"


def crate(study: StudyBundle, files: Mapping[str, bytes], *later: str) -> dict[str, Any]:
    """The metadata of a bundle of these files, and of those that are written `later`.

    The day of publication is the day on which the labels were decided.
    """
    entities = [_file(name, len(content)) for name, content in sorted(files.items())]
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
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Gender annotation of search queries: {study.name}",
        "description": f"{len(study.queries):,} search queries with {len(study.votes):,} votes on "
        "whether they refer to a gender, the labels decided from them and how far the voters "
        "agree; with runs, also the gender bias of their rankings.",
        "datePublished": study.decided_on,
        "license": {"@id": _LICENSE},
        "hasPart": [{"@id": entity["@id"]} for entity in entities],
        "mentions": {"@id": _ACT},
    }


def _file(name: str, size: int | None) -> dict[str, Any]:
    entity: dict[str, Any] = {
        "@id": quote(name),
        "@type": "File",
        "name": name,
        "description": FILES.get(name, "the datasheet of the study"),
        "encodingFormat": _TYPES[name.rpartition(".")[2]],
    }
    return entity if size is None else entity | {"contentSize": str(size)}


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
