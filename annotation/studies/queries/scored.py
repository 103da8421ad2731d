"""Which scored collection of a study is the one to use."""

from collections.abc import Iterable

from annotation.models import StudyFile
from annotation.vocabulary import FileKind


def scored_now(files: Iterable[StudyFile]) -> StudyFile | None:
    """Of the files in use, the latest scores of their collection and word list as these are now.

    None where nothing is scored, or another collection only. Scores that somebody brought are taken
    at their word.
    """
    files = list(files)
    parts = {FileKind.COLLECTION, FileKind.LEXICON}
    digests = {file.digest for file in files if file.kind in parts}
    scored = (file for file in files if file.kind == FileKind.MAGNITUDES)
    for file in sorted(scored, key=lambda file: -file.pk):
        if "files" not in file.summary or set(file.summary["files"]) == digests:
            return file
    return None
