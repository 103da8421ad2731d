"""Files of queries whose third column holds labels that nobody has imported."""

from collections.abc import Iterable

from annotation.models import AuditEvent, Study, StudyFile
from annotation.vocabulary import AuditAction, FileKind
from metrics.io.digests import digest_in


def files_with_labels(*, study: Study, files: Iterable[StudyFile]) -> list[StudyFile]:
    """Those of `files` whose labels no batch of the study has."""
    held = [
        file
        for file in files
        if file.kind == FileKind.QUERIES and file.summary.get("layout") == "labels"
    ]
    if not held:
        return []
    events = AuditEvent.objects.filter(batch__study=study, action=AuditAction.LABELS_IMPORTED)
    imported = set(map(digest_in, events.values_list("detail", flat=True)))
    return [file for file in held if file.digest not in imported]
