"""Files of an imported study that are still missing."""

from typing import Any

from annotation.models import Study


def files_missing(*, study: Study) -> list[dict[str, Any]]:
    """Return kind, name, size and digest of each file that the bundle named and the study lacks.

    An added file is recognised by its digest, whatever its name.
    """
    digests = {file.digest for file in study.files.all()} if study.named_files else set()
    return [file for file in study.named_files if file["digest"] not in digests]


def name_in_bundle(*, study: Study, kind: str, digest: str) -> str:
    """Name in the bundle of a file of this kind and digest; "" if it names none such."""
    named = {(file["kind"], file["digest"]): file["name"] for file in study.named_files}
    return str(named.get((kind, digest), ""))
