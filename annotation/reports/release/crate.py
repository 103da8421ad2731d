"""`ro-crate-metadata.json`: what the files of a release are, RO-Crate 1.2."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from annotation.reports.release import words
from annotation.reports.release.data import Creator, Release
from metrics.version import VERSION

NAME = "ro-crate-metadata.json"
_SPECIFICATION = "https://w3id.org/ro/crate/1.2"
_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "md": "text/markdown",
    "cff": "text/yaml",
    "txt": "text/plain",
}
_PROGRAM, _ACT, _PUBLISHER = "#fairpool", "#released", "#publisher"


def crate(
    release: Release, sizes: Mapping[str, int], meanings: Mapping[str, str]
) -> dict[str, Any]:
    """The metadata of files with these sizes in bytes and these meanings, by name."""
    files = [_file(name, size, meanings[name]) for name, size in sorted(sizes.items())]
    creators = [
        _creator(number, creator) for number, creator in enumerate(release.terms.creators, 1)
    ]
    root = _root(release, files, creators)
    graph = [_descriptor(), root, *files, *creators, *_contextual(release)]
    return {"@context": f"{_SPECIFICATION}/context", "@graph": graph}


def _descriptor() -> dict[str, Any]:
    return {
        "@id": NAME,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _SPECIFICATION},
        "about": {"@id": "./"},
    }


def _root(
    release: Release, files: list[dict[str, Any]], creators: list[dict[str, Any]]
) -> dict[str, Any]:
    terms = release.terms
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": terms.title,
        "description": words.abstract(release),
        "datePublished": release.decided_on,
        "license": {"@id": terms.license_url},
        "creator": _references(creators),
        "hasPart": _references(files),
        "keywords": ", ".join(words.KEYWORDS),
        "mentions": {"@id": _ACT},
        **({"identifier": terms.url} if terms.doi else {}),
        **({"publisher": {"@id": _PUBLISHER}} if terms.publisher else {}),
    }


def _references(entities: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"@id": entity["@id"]} for entity in entities]


def _file(name: str, size: int, meaning: str) -> dict[str, Any]:
    return {
        "@id": quote(name),
        "@type": "File",
        "name": name,
        "description": meaning,
        "encodingFormat": _TYPES[name.rpartition(".")[2]],
        "contentSize": str(size),
    }


def _creator(number: int, creator: Creator) -> dict[str, Any]:
    identifier = f"https://orcid.org/{creator.orcid}" if creator.orcid else f"#creator-{number}"
    kind = "Person" if creator.is_person else "Organization"
    return {"@id": identifier, "@type": kind, "name": creator.whole_name}


def _contextual(release: Release) -> list[dict[str, Any]]:
    terms = release.terms
    program = {
        "@id": _PROGRAM,
        "@type": "SoftwareApplication",
        "name": "Fairpool",
        "version": VERSION,
    }
    act = {
        "@id": _ACT,
        "@type": "CreateAction",
        "name": f"The release of {release.study}",
        "instrument": {"@id": _PROGRAM},
        "result": {"@id": "./"},
    }
    licence = {"@id": terms.license_url, "@type": "CreativeWork", "name": terms.spdx}
    publisher = {"@id": _PUBLISHER, "@type": "Organization", "name": terms.publisher}
    return [licence, program, act, *([publisher] if terms.publisher else [])]
