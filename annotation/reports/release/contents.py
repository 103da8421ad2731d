"""The files that a release becomes."""

import json
from pathlib import Path
from typing import Any

from annotation.reports.bundle.datasheet import FILES
from annotation.reports.release import crate, croissant
from annotation.reports.release.card import card
from annotation.reports.release.citing import citation_file, datacite
from annotation.reports.release.data import Release
from annotation.reports.release.tables import tables
from annotation.schemes.released import CANNOT_TELL
from metrics.io.file_kinds import part_of, text_kind
from metrics.io.files import replacing
from metrics.vocabulary import Category

#: The files beside the tables, and what each is.
MEANINGS = {
    "scheme.json": "The question, the options, and the texts that annotators read in each batch.",
    "agreement.json": "Agreement of each batch with intervals, patterns and confusion.",
    croissant.NAME: "The tables as Croissant 1.1 describes them, with the RAI vocabulary.",
    crate.NAME: "The files as RO-Crate 1.2 describes them.",
    "datacite.json": "What a DOI registers, as DataCite's API takes it.",
    "CITATION.cff": "How to cite the data.",
    "README.md": "The card of the data set.",
}

_TABLES = (
    *("votes.csv", "labels.csv", "answers.csv", "decisions.csv", "soft_labels.csv"),
    "texts.csv",
    *("agreement.csv", "measures.csv"),
)
#: The folder of a release, known by one file, for commands that may write into it.
FOLDER = dict.fromkeys(
    (*MEANINGS, *_TABLES),
    part_of("a release", croissant.NAME, text_kind("croissant.json", '{\n  "@context"')),
)


def release_files(release: Release) -> dict[str, bytes]:
    """The files by name; the same release gives the same bytes."""
    release_tables = tables(release)
    meanings = {table.file: table.meaning for table in release_tables} | MEANINGS
    files = {table.file: table.content() for table in release_tables}
    for number, batch in enumerate(release.batches, 1):
        for name, content in batch.tables.qrels().items():
            file = f"batch-{number}.{name}"
            files[file] = content
            meanings[file] = f"Of the batch {batch.name}: {FILES[name]}."
    files["scheme.json"] = _json(_scheme(release))
    files["agreement.json"] = _json(
        {batch.name: batch.tables.agreement for batch in release.batches}
    )
    files["datacite.json"] = _json(datacite(release))
    files["CITATION.cff"] = citation_file(release).encode()
    files[croissant.NAME] = _json(croissant.croissant(release, release_tables, files))
    files["README.md"] = card(release, release_tables, meanings).encode()
    sizes = {name: len(content) for name, content in files.items()}
    files[crate.NAME] = _json(crate.crate(release, sizes, meanings))
    return files


def write_folder(folder: Path, release: Release) -> list[str]:
    """Write the files into a folder, which may hold an earlier release; their names."""
    files = release_files(release)
    folder.mkdir(parents=True, exist_ok=True)
    former = {path.name for path in folder.glob("batch-*.qrels.*.txt")} | FOLDER.keys()
    for name in former - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return sorted(files)


def _scheme(release: Release) -> dict[str, Any]:
    return {
        **(
            {
                "options": [
                    {"code": category.value, "name": category.label} for category in Category
                ],
                "cannot_tell": CANNOT_TELL,
            }
            if release.of_the_paper
            else {}
        ),
        "schemes": {
            batch.name: batch.scheme.as_json()
            for batch in release.batches
            if batch.tables.is_scheme_known
        },
    }


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return f"{text}\n".encode()
