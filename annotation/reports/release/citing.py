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
    lines += [line for one in terms.creators for line in _author(one)]
    lines += [f"date-released: {release.decided_on}", f"license: {terms.spdx}"]
    lines += [f"doi: {_text(terms.doi)}"] if terms.doi else []
    lines += ["keywords:", *(f"  - {_text(word)}" for word in words.KEYWORDS)]
    return "\n".join(lines) + "\n"


def _author(one: Creator) -> list[str]:
    if one.is_person:
        lines = [
            f"  - family-names: {_text(one.name)}",
            f"    given-names: {_text(one.given_name)}",
        ]
    else:
        lines = [f"  - name: {_text(one.name)}"]
    return lines + ([f"    orcid: https://orcid.org/{one.orcid}"] if one.orcid else [])


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def datacite(release: Release) -> dict[str, Any]:
    """The mandatory and recommended fields of DataCite 4.6, as its API takes them."""
    terms = release.terms
    described: dict[str, Any] = {
        "creators": [_agent(one) for one in terms.creators],
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


def _agent(one: Creator) -> dict[str, Any]:
    if not one.is_person:
        return {"name": one.name, "nameType": "Organizational"}
    identifiers = [
        {
            "nameIdentifier": f"https://orcid.org/{one.orcid}",
            "nameIdentifierScheme": "ORCID",
            "schemeUri": "https://orcid.org",
        }
    ]
    return {
        "name": f"{one.name}, {one.given_name}",
        "nameType": "Personal",
        "familyName": one.name,
        "givenName": one.given_name,
        **({"nameIdentifiers": identifiers} if one.orcid else {}),
    }


def _collected(release: Release) -> list[dict[str, str]]:
    first, last = release.collected
    return [{"date": f"{first}/{last}", "dateType": "Collected"}] if first else []
