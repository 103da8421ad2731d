"""What was made from the files of a study: while it is there, they cannot be removed."""

from typing import Any

from annotation.models import Study
from annotation.vocabulary import FileKind
from metrics.io.digests import digest_in, full

_MADE = {FileKind.MAGNITUDES: "the scored collection", FileKind.RUN: "the run"}


def made_from_files(*, study: Study) -> dict[str, list[str]]:
    """By digest of a file, everything that was made from it; three statements."""
    found: dict[str, list[str]] = {}
    for name, digests in _made(study):
        for digest in digests:
            found.setdefault(digest, []).append(name)
    return found


def file_digests(kind: str, made: Any) -> set[str]:
    """The digests of the files that a row of this kind (see `ThingKind`) was made from."""
    match kind:
        case "file":
            made_from = made.summary.get("ranked", made.summary).get("files", ())
            return set(map(full, made_from))
        case "pool":
            inputs = made.inputs
            runs = inputs.get("runs", {}).values()
            files = [inputs.get("magnitudes"), inputs.get("queries"), *runs]
            return {digest_in(file) for file in files if file}
        case "report":
            return set(map(digest_in, made.inputs.get("files", ())))
    return set()


def _made(study: Study) -> list[tuple[str, set[str]]]:
    """What was made of files, with the digests of those."""
    files = study.files.filter(kind__in=_MADE)
    pools = [one.pool for one in study.pools.select_related("pool")]
    reports = study.reports.exclude(made_at=None).order_by("pk")
    return [
        *((f"{_MADE[FileKind(one.kind)]} {one.name}", file_digests("file", one)) for one in files),
        *((f"the pool {one.name}", file_digests("pool", one)) for one in pools),
        *(
            (f"the bias report {one.name or one.pk}", file_digests("report", one))
            for one in reports
        ),
    ]
