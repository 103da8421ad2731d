"""The files that an imported study was measured with, and that nobody has brought yet."""

from typing import Any

from annotation.models import Study


def files_missing(*, study: Study) -> list[dict[str, Any]]:
    """Kind, name, size and digest of each file that the bundle named and the study does not have.

    A file of such a digest is known when it is added, whatever it is called.
    """
    digests = {file.digest for file in study.files.all()} if study.named_files else set()
    return [file for file in study.named_files if file["digest"] not in digests]


def name_in_bundle(*, study: Study, kind: str, digest: str) -> str:
    """Name in the bundle of a file of this kind and digest; "" if it names none such."""
    named = {(file["kind"], file["digest"]): file["name"] for file in study.named_files}
    return str(named.get((kind, digest), ""))
