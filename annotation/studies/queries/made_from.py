"""Products of the files of a study: while they exist, the files cannot be removed."""

from annotation.models import Study, StudyFile, StudyReport
from annotation.vocabulary import FileKind
from metrics.io.digests import digest_in
from pooling.models import Pool
from pooling.removable import Removable

_MADE = {FileKind.MAGNITUDES: "the scored collection", FileKind.RUN: "the run"}


def made_from_files(*, study: Study) -> dict[str, list[str]]:
    """By digest of a file, everything that was made from it; three statements."""
    names: dict[str, list[str]] = {}
    for name, digests in _made(study):
        for digest in digests:
            names.setdefault(digest, []).append(name)
    return names


def file_digests(made: Removable) -> set[str]:
    """The digests of the files of its study that this was made from."""
    match made:
        case StudyFile():
            return set(made.summary.get("ranked", made.summary).get("files", ()))
        case Pool():
            inputs = made.inputs
            runs = inputs.get("runs", {}).values()
            files = [inputs.get("magnitudes"), inputs.get("queries"), *runs]
            # The pool of an imported bundle has the bundle's own data, of any version.
            return {digest_in(file) for file in files if file}
        case StudyReport():
            return {file["digest"] for file in made.inputs.get("files", ())}
    return set()


def _made(study: Study) -> list[tuple[str, set[str]]]:
    """Products of files, with the digests of those."""
    files = study.files.filter(kind__in=_MADE)
    pools = [place.pool for place in study.pools.select_related("pool")]
    reports = study.reports.exclude(made_at=None).order_by("pk")
    return [
        *((f"{_MADE[FileKind(file.kind)]} {file.name}", file_digests(file)) for file in files),
        *((made.label, file_digests(made)) for made in (*pools, *reports)),
    ]
