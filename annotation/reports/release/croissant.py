"""`croissant.json`: the tables for machine learning, Croissant 1.1 with its RAI vocabulary.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from annotation.reports.release import words
from annotation.reports.release.data import Creator, Release
from annotation.reports.release.table import DATE, REAL, TEXT, WHOLE, Column, Table
from annotation.schemes import CANNOT_TELL_WORDS
from annotation.schemes.released import CANNOT_TELL
from metrics.version import VERSION
from metrics.vocabulary import Category

NAME = "croissant.json"
_TERMS = (
    "annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "excludes",
    "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray",
    "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "readLines", "recordSet",
    "references", "regex", "repeated", "replace", "samplingRate", "sdVersion", "separator",
    "source", "subField", "transform", "unArchive", "value",
)  # fmt: skip
_CONTEXT = {
    "@language": "en",
    # With http, as the specification prints it, mlcroissant finds no data set.
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _TERMS},
}
#: Table and column of what an annotator said.
_ANNOTATED = {("votes", "label"), ("answers", "answer")}
_TYPES = {TEXT: "sc:Text", WHOLE: "sc:Integer", REAL: "sc:Float", DATE: "sc:Text"}


def croissant(
    release: Release, tables: Sequence[Table], files: Mapping[str, bytes]
) -> dict[str, Any]:
    """The description of these tables, whose contents are in `files`."""
    terms = release.terms
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": terms.title,
        "description": words.abstract(release),
        "license": terms.license_url,
        # Without an address of its own, the data set is the folder of this file.
        "url": terms.url or "./",
        "creator": [_creator(creator) for creator in terms.creators],
        "datePublished": release.decided_on,
        "version": "1.0.0",
        "inLanguage": terms.language,
        "keywords": list(words.KEYWORDS),
        "citeAs": words.citation(release),
        "isLiveDataset": False,
        **({"publisher": _organisation(terms.publisher)} if terms.publisher else {}),
        "distribution": [_file(table, files[table.file]) for table in tables],
        "recordSet": [
            *([_options()] if release.of_the_paper else []),
            *(_records(table) for table in tables),
        ],
    }
    return described | _responsible(release)


def _creator(creator: Creator) -> dict[str, Any]:
    if not creator.is_person:
        return _organisation(creator.name)
    person = {"@type": "sc:Person", "name": creator.whole_name}
    return person | ({"url": f"https://orcid.org/{creator.orcid}"} if creator.orcid else {})


def _organisation(name: str) -> dict[str, Any]:
    return {"@type": "sc:Organization", "name": name}


def _file(table: Table, content: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": table.file,
        "name": table.file,
        "description": table.meaning,
        "contentUrl": table.file,
        "contentSize": f"{len(content)} B",
        "encodingFormat": "text/csv",
        "sha256": sha256(content).hexdigest(),
    }


def _options() -> dict[str, Any]:
    answers = {category.value: category.label for category in Category} | {
        CANNOT_TELL: CANNOT_TELL_WORDS
    }
    return {
        "@type": "cr:RecordSet",
        "@id": "options",
        "name": "options",
        "description": "The answers that annotators choose from.",
        "dataType": "sc:Enumeration",
        "key": {"@id": "options/code"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"options/{name}",
                "name": f"options/{name}",
                "description": meaning,
                "dataType": "sc:Text",
            }
            for name, meaning in (("code", "Code of the answer."), ("name", "Name of the answer."))
        ],
        "data": [{"options/code": code, "options/name": name} for code, name in answers.items()],
    }


def _records(table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.meaning,
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: Table, column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": f"{table.name}/{column.name}",
        "description": column.meaning,
        "dataType": _TYPES[column.kind],
        "source": _source(table, column.name),
    }
    if column.name in {"label", "decided", "answer"}:
        field["dataType"] = ["sc:Text", "cr:Label"]
    if (table.name, column.name) in _ANNOTATED:
        field["annotation"] = _annotator(table, column.name)
    return field


def _annotator(table: Table, column: str) -> dict[str, Any]:
    """Return the annotator of a vote's label or of an answer."""
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column}/annotator",
        "name": f"{table.name}/{column}/annotator",
        "description": "By whom the answer is.",
        "dataType": "sc:Text",
        "equivalentProperty": "prov:wasAttributedTo",
        "source": _source(table, "annotator"),
    }


def _source(table: Table, column: str) -> dict[str, Any]:
    return {"fileObject": {"@id": table.file}, "extract": {"column": column}}


def _responsible(release: Release) -> dict[str, Any]:
    """Return the members of the RAI vocabulary, as far as the study knows them."""
    first, last = release.collected
    members: dict[str, Any] = {
        "rai:dataCollection": words.collection(release),
        "rai:dataCollectionType": "Manual Human Curator",
        "rai:dataCollectionTimeframe": [day for day in (first, last) if day],
        "rai:dataAnnotationProtocol": words.protocol(release),
        "rai:dataAnnotationPlatform": f"Fairpool {VERSION}",
        "rai:dataAnnotationAnalysis": words.agreements(release),
        "rai:annotationsPerItem": words.answers_per_query(release),
        "rai:annotatorDemographics": words.DEMOGRAPHICS,
        "rai:machineAnnotationTools": words.machines(release),
        "rai:dataManipulationProtocol": words.MANIPULATION,
        "rai:dataLimitations": words.LIMITS,
        "rai:dataBiases": words.BIASES,
        "rai:dataUseCases": words.USES,
        "rai:personalSensitiveInformation": words.privacy(release),
    }
    return {name: value for name, value in members.items() if value}
