"""`CITATION.cff` and `datacite.json`: how to cite a release, and what a DOI registers."""

import json
from typing import Any

from annotation.reports.release import words
from annotation.reports.release.data import Creator, Release
from metrics.version import VERSION


def citation_file(release: Release) -> str:
    """Citation File Format 1.2.0; a text in JSON's quotes is YAML as well."""
    terms = release.terms
    lines = ["cff-version: 1.2.0", "message: If you use these data, please cite them as below."]
    lines += ["type: dataset", f"title: {_text(terms.title)}"]
    lines += [f"abstract: {_text(words.abstract(release))}", "authors:"]
    lines += [line for creator in terms.creators for line in _author(creator)]
    lines += [f"date-released: {release.decided_on}", f"license: {terms.spdx}"]
    lines += [f"doi: {_text(terms.doi)}"] if terms.doi else []
    lines += ["keywords:", *(f"  - {_text(word)}" for word in words.KEYWORDS)]
    return "\n".join(lines) + "\n"


def _author(creator: Creator) -> list[str]:
    if creator.is_person:
        lines = [
            f"  - family-names: {_text(creator.name)}",
            f"    given-names: {_text(creator.given_name)}",
        ]
    else:
        lines = [f"  - name: {_text(creator.name)}"]
    return lines + ([f"    orcid: https://orcid.org/{creator.orcid}"] if creator.orcid else [])


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def datacite(release: Release) -> dict[str, Any]:
    """The mandatory and recommended fields of DataCite 4.6, as its API takes them."""
    terms = release.terms
    described: dict[str, Any] = {
        "creators": [_agent(creator) for creator in terms.creators],
        "titles": [{"title": terms.title}],
        "publisher": {"name": terms.publisher or terms.creators[0].whole_name},
        "publicationYear": int(release.year),
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Annotated search queries"},
        "subjects": [{"subject": word} for word in words.KEYWORDS],
        "dates": [{"date": release.decided_on, "dateType": "Created"}, *_collected(release)],
        "language": terms.language,
        "rightsList": [
            {
                "rightsIdentifier": terms.spdx,
                "rightsIdentifierScheme": "SPDX",
                "rightsUri": terms.license_url,
            }
        ],
        "descriptions": [
            {"description": words.abstract(release), "descriptionType": "Abstract"},
            {"description": words.collection(release), "descriptionType": "Methods"},
        ],
        "formats": ["text/csv", "application/json"],
        "version": "1.0.0",
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
    described["descriptions"].append(
        {"description": f"Written by Fairpool {VERSION}.", "descriptionType": "TechnicalInfo"}
    )
    return described | ({"doi": terms.doi} if terms.doi else {})


def _agent(creator: Creator) -> dict[str, Any]:
    if not creator.is_person:
        return {"name": creator.name, "nameType": "Organizational"}
    identifiers = [
        {
            "nameIdentifier": f"https://orcid.org/{creator.orcid}",
            "nameIdentifierScheme": "ORCID",
            "schemeUri": "https://orcid.org",
        }
    ]
    return {
        "name": f"{creator.name}, {creator.given_name}",
        "nameType": "Personal",
        "familyName": creator.name,
        "givenName": creator.given_name,
        **({"nameIdentifiers": identifiers} if creator.orcid else {}),
    }


def _collected(release: Release) -> list[dict[str, str]]:
    first, last = release.collected
    return [{"date": f"{first}/{last}", "dateType": "Collected"}] if first else []
