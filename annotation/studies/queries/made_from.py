"""What was made from the files of a study: while it is there, they cannot be removed."""

from typing import Any

from annotation.models import Study
from annotation.vocabulary import FileKind


def made_from_files(*, study: Study) -> dict[str, list[str]]:
    """By checksum of a file, everything that was made from it; three statements."""
    found: dict[str, list[str]] = {}
    for name, checksums in _made(study):
        for checksum in checksums:
            found.setdefault(checksum, []).append(name)
    return found


def file_checksums(kind: str, made: Any) -> set[str]:
    """The checksums of the files that a row of this kind (see `ThingKind`) was made from."""
    match kind:
        case "file":
            return set(made.summary.get("files", ()))
        case "pool":
            inputs = made.inputs
            files = [inputs.get("magnitudes"), inputs.get("queries")]
            return {file.get("sha256", "") for file in [*files, *_runs(inputs)] if file}
        case "report":
            return {file["sha256"] for file in made.inputs.get("files", ())}
    return set()


def _made(study: Study) -> list[tuple[str, set[str]]]:
    """What was made of files, with the checksums of those."""
    scored = study.files.filter(kind=FileKind.MAGNITUDES)
    pools = [one.pool for one in study.pools.select_related("pool")]
    reports = study.reports.exclude(made_at=None).order_by("pk")
    return [
        *((f"the scored collection {one.name}", file_checksums("file", one)) for one in scored),
        *((f"the pool {one.name}", file_checksums("pool", one)) for one in pools),
        *(
            (f"the bias report {one.name or one.pk}", file_checksums("report", one))
            for one in reports
        ),
    ]


def _runs(inputs: dict[str, Any]) -> list[dict[str, Any]]:
    return list(inputs.get("runs", {}).values())
