"""The scored collection that a study uses."""

from collections.abc import Iterable

from annotation.models import StudyFile
from annotation.vocabulary import FileKind


def scored_now(files: Iterable[StudyFile]) -> StudyFile | None:
    """Return the latest scores of the present collection and word list.

    None where nothing, or only another collection, is scored. Uploaded scores are trusted.
    """
    files = list(files)
    parts = {FileKind.COLLECTION, FileKind.LEXICON}
    digests = {file.digest for file in files if file.kind in parts}
    scored = (file for file in files if file.kind == FileKind.MAGNITUDES)
    for file in sorted(scored, key=lambda file: -file.pk):
        if "files" not in file.summary or set(file.summary["files"]) == digests:
            return file
    return None
