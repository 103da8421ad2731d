"""What was made from the files of a study: while it is there, they cannot be removed."""

from typing import Any

from annotation.models import Study
from annotation.vocabulary import FileKind


def made_from_files(*, study: Study) -> dict[str, str]:
    """By checksum of a file, the first that was made from it; four statements."""
    found: dict[str, str] = {}
    for name, checksums in _made(study):
        for checksum in checksums:
            found.setdefault(checksum, name)
    return found


def _made(study: Study) -> list[tuple[str, set[str]]]:
    """What was made of files, with the checksums of those."""
    scored = [
        (f"The scored collection {one.name}", set(one.summary.get("files", ())))
        for one in study.files.filter(kind=FileKind.MAGNITUDES)
    ]
    ranked = [
        (f"The run {one.name}", set(one.summary["ranked"]["files"]))
        for one in study.files.filter(kind=FileKind.RUN)
        if "ranked" in one.summary
    ]
    pools = [
        (f"The pool {one.pool.name}", _checksums(one.pool.inputs))
        for one in study.pools.select_related("pool")
    ]
    reports = [
        (f"The bias report {one.pk}", {file["sha256"] for file in one.inputs.get("files", ())})
        for one in study.reports.exclude(made_at=None).order_by("pk")
    ]
    return scored + ranked + pools + reports


def _checksums(inputs: dict[str, Any]) -> set[str]:
    files = [inputs.get("magnitudes"), inputs.get("queries"), *inputs.get("runs", {}).values()]
    return {file.get("sha256", "") for file in files if file}
