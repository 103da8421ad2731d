"""What was made from the files of a study: while it is there, they cannot be removed."""

from typing import Any

from annotation.models import Study
from annotation.vocabulary import FileKind
from metrics.io.digests import digest_in, full


def made_from_files(*, study: Study) -> dict[str, str]:
    """By digest of a file, the first that was made from it; four statements."""
    found: dict[str, str] = {}
    for name, digests in _made(study):
        for digest in digests:
            found.setdefault(digest, name)
    return found


def _made(study: Study) -> list[tuple[str, set[str]]]:
    """What was made of files, with the digests of those."""
    scored = [
        (f"The scored collection {one.name}", set(map(full, one.summary.get("files", ()))))
        for one in study.files.filter(kind=FileKind.MAGNITUDES)
    ]
    ranked = [
        (f"The run {one.name}", set(one.summary["ranked"]["files"]))
        for one in study.files.filter(kind=FileKind.RUN)
        if "ranked" in one.summary
    ]
    pools = [
        (f"The pool {one.pool.name}", _digests(one.pool.inputs))
        for one in study.pools.select_related("pool")
    ]
    reports = [
        (f"The bias report {one.pk}", set(map(digest_in, one.inputs.get("files", ()))))
        for one in study.reports.exclude(made_at=None).order_by("pk")
    ]
    return scored + ranked + pools + reports


def _digests(inputs: dict[str, Any]) -> set[str]:
    files = [inputs.get("magnitudes"), inputs.get("queries"), *inputs.get("runs", {}).values()]
    return {digest_in(file) for file in files if file}
