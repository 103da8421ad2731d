"""Making the release of a study, whose file is named and kept like the bundle's."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import TermError, parameter
from annotation.models import Study
from annotation.reports.bundle.archive import write_archive
from annotation.reports.queries.bundles import state_bundled
from annotation.reports.queries.release import study_release
from annotation.reports.queries.releases import last_terms, release_folder
from annotation.reports.release.contents import release_files
from annotation.reports.release.data import LICENSES, Terms, read_creators
from annotation.vocabulary import TaskKind
from metrics.errors import InputError
from metrics.io.files import sha256_of

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, kw_only=True)
class ReleaseParameters:
    """The publisher's statements about a release."""

    creators: str = parameter(
        max_length=4_000,
        style={"rows": 2},
        label="Creators",
        help_text="Family, Given (ORCID), with ; between people. Organisations by name.",
    )
    license: str = parameter(
        choices=[(name, title) for name, (title, _spdx) in LICENSES.items()],
        label="Licence",
        help_text="What others may do with the data. The queries may have terms of their own.",
    )
    title: str = parameter(
        "", max_length=200, label="Title", help_text="Empty: the name of the study."
    )
    publisher: str = parameter(
        "", max_length=200, label="Publisher", help_text="Repository or organisation, if known."
    )
    doi: str = parameter(
        "", max_length=200, label="DOI", help_text="As 10.5281/zenodo.1234, if one is reserved."
    )
    language: str = parameter(
        "en", max_length=35, label="Language of the queries", help_text="As en, de or pt-BR."
    )
    texts: bool = parameter(
        default=False,
        label="With what annotators wrote",
        help_text="Free texts and comments, which may hold personal data: read them first.",
    )


def terms_of(parameters: ReleaseParameters) -> Terms:
    """Read and check the parameters; raises `TermError` for what cannot be used."""
    try:
        creators = read_creators(parameters.creators)
    except InputError as error:
        raise TermError.of("creators", error) from None
    if parameters.doi and not _DOI.fullmatch(parameters.doi):
        wrong = f"{parameters.doi!r} is not a DOI."
        raise TermError("doi", wrong, remedy="Write it as 10.1234/abc.")
    if not _LANGUAGE.fullmatch(parameters.language):
        raise TermError("language", f"{parameters.language!r} is not a tag of a language.")
    return Terms(
        title=parameters.title,
        creators=creators,
        license=parameters.license,
        publisher=parameters.publisher,
        doi=parameters.doi,
        language=parameters.language,
        texts=parameters.texts,
    )


@dataclass(frozen=True)
class MadeRelease:
    """A release on disk: its name in the study's folder, its size, the state that it holds."""

    name: str
    sha256: str
    n_bytes: int
    files: list[str]
    state: list[int]


def make_release(*, study: Study, terms: Terms) -> MadeRelease:
    """Write the release of the study, whole or not at all; the earlier one goes."""
    # Read before the study: changes meanwhile leave the release out of date, not wrong.
    state = state_bundled(study=study)
    files = release_files(study_release(study=study, terms=terms))
    folder = release_folder(study_id=study.pk)
    folder.mkdir(parents=True, exist_ok=True)
    making = folder / "making.part"
    write_archive(making, files)
    sha256 = sha256_of(making)
    archive = making.replace(folder / f"{sha256[:16]}.zip")
    for other in folder.glob("*.zip"):
        if other.name != archive.name:
            other.unlink(missing_ok=True)
    return MadeRelease(archive.name, sha256, archive.stat().st_size, sorted(files), state)


class MakeRelease(Operation[Study, ReleaseParameters]):
    """Write votes, labels, agreement and measures as a data set that others load.

    With Croissant, RO-Crate, a Hugging Face card, DataCite fields and a citation. Annotators have
    names for this release alone; ids of platforms and addresses are left out, and so are free texts
    and comments unless they are chosen.
    """

    name = "release"
    path = "release/make"
    example = {"creators": "Lovelace, Ada; Open Search Group", "license": "cc-by-4.0"}
    title = "Make the release"
    button = "Make the release"
    queued = "The release is being made. This page shows when it is ready."
    subject = Study
    parameters = ReleaseParameters
    job = TaskKind.RELEASE

    def initial(self, subject: Study) -> dict[str, Any]:
        return last_terms(study=subject)

    def clean(self, subject: Study, parameters: ReleaseParameters) -> ReleaseParameters:
        terms_of(parameters)
        return parameters

    def run(self, subject: Study, parameters: ReleaseParameters, run: Run) -> Result:
        release = make_release(study=subject, terms=terms_of(parameters))
        return Result(asdict(release), "The release is ready.")


MAKE_RELEASE = MakeRelease()
