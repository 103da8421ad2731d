"""`ro-crate-metadata.json`: what the files of a release are, RO-Crate 1.2."""

from collections.abc import Mapping
from typing import Any

from annotation.reports.bundle.crate import NAME, crate_of, file_entity, references
from annotation.reports.release import words
from annotation.reports.release.data import Creator, Release

__all__ = ["NAME", "crate"]

_PUBLISHER = "#publisher"


def crate(
    release: Release, sizes: Mapping[str, int], meanings: Mapping[str, str]
) -> dict[str, Any]:
    """The metadata of files with these sizes in bytes and these meanings, by name."""
    terms = release.terms
    creators = [_creator(number, creator) for number, creator in enumerate(terms.creators, 1)]
    licence = {"@id": terms.license_url, "@type": "CreativeWork", "name": terms.spdx}
    publisher = {"@id": _PUBLISHER, "@type": "Organization", "name": terms.publisher}
    return crate_of(
        {
            "name": terms.title,
            "description": words.abstract(release),
            "datePublished": release.decided_on,
            "creator": references(creators),
            "keywords": ", ".join(words.KEYWORDS),
            **({"identifier": terms.url} if terms.doi else {}),
            **({"publisher": {"@id": _PUBLISHER}} if terms.publisher else {}),
        },
        [file_entity(name, meanings[name], size) for name, size in sorted(sizes.items())],
        [licence, *creators, *([publisher] if terms.publisher else [])],
        act=("#released", f"The release of {release.study}"),
        version="1.2",
    )


def _creator(number: int, creator: Creator) -> dict[str, Any]:
    identifier = f"https://orcid.org/{creator.orcid}" if creator.orcid else f"#creator-{number}"
    kind = "Person" if creator.is_person else "Organization"
    return {"@id": identifier, "@type": kind, "name": creator.whole_name}
