"""Make the bundle of a study.

A file is named by its content, so that equal bundles are kept once, and a file never changes while
it is downloaded. The study's state is stored with it: while that is the same, the bundle is current
and not made again.
"""

from dataclasses import asdict, dataclass

from annotation.core.consent import Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Study
from annotation.reports.bundle.contents import write_bundle
from annotation.reports.queries.bundle import study_bundle
from annotation.reports.queries.bundles import bundle_folder, bundle_ready, state_bundled
from annotation.vocabulary import Action, TaskKind
from metrics.io.files import sha256_of


@dataclass(frozen=True)
class MadeBundle:
    """A bundle on disk: its name in the study's folder, its size, the state that it holds."""

    name: str
    sha256: str
    n_bytes: int
    includes_files: bool
    state: list[int]


def make_bundle(*, study: Study, include_files: bool = False) -> MadeBundle:
    """Write the bundle of the study, whole or not at all; earlier ones of the study go."""
    # Read before the study: changes meanwhile leave the bundle out of date, not wrong.
    state = state_bundled(study=study)
    folder = bundle_folder(study_id=study.pk)
    folder.mkdir(parents=True, exist_ok=True)
    making = folder / "making.zip"
    write_bundle(making, study_bundle(study=study, include_files=include_files))
    sha256 = sha256_of(making)
    bundle = making.replace(folder / f"{sha256[:16]}.zip")
    for other in folder.glob("*.zip"):
        if other.name != bundle.name:
            other.unlink(missing_ok=True)
    return MadeBundle(bundle.name, sha256, bundle.stat().st_size, include_files, state)


@dataclass(frozen=True, kw_only=True)
class BundleParameters:
    include_files: bool = parameter(
        False,
        label="Include the files",
        help_text="Collections, runs, queries: with them, others can measure again.",
    )


class MakeBundle(Operation[Study, BundleParameters]):
    """Write everything that the numbers of the study follow from into one zip."""

    name = "bundle"
    path = "bundle/make"
    example = {"include_files": True}
    title = "Make the bundle"
    button = "Make the bundle"
    queued = "The bundle is being made. This page shows when it is ready."
    subject = Study
    parameters = BundleParameters
    permission = Action.VIEW
    job = TaskKind.BUNDLE

    def needs(self, parameters: BundleParameters) -> Action:
        """Including the files takes a stronger permission than seeing results."""
        return Action.MANAGE if parameters.include_files else Action.VIEW

    def estimate(self, subject: Study, parameters: BundleParameters) -> Estimate:
        ready = bundle_ready(study=subject)
        is_ready = (
            ready is not None
            and ready.is_current
            and ready.includes_files == parameters.include_files
        )
        fresh = "The bundle is ready: nothing has changed since it was made."
        return Estimate(nothing=fresh if is_ready else "")

    def run(self, subject: Study, parameters: BundleParameters, run: Run) -> Result:
        bundle = make_bundle(study=subject, include_files=parameters.include_files)
        return Result(asdict(bundle), "The bundle is ready.")


MAKE_BUNDLE = MakeBundle()
