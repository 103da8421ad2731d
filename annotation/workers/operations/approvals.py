"""Importing the panel's list of submissions: votes of approved participants count from now on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from annotation.batches.operations.verification import apply_panel_verdicts
from annotation.core.counting import counted
from annotation.core.operations import Actor, Operation, Result, Run
from annotation.core.parameters import HIDDEN, PathField, parameter
from annotation.crowd.connection import environment_participants
from annotation.crowd.errors import CrowdRefusedError
from annotation.crowd.participants import ImportedSubmissions, Participants, Submission
from annotation.labels.operations.decide_again import LabelChanges
from annotation.models import AuditEvent, Batch
from annotation.prolific.submission_list import read_submissions
from annotation.vocabulary import AuditAction
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class ImportApprovalsParameters:
    file: Path = parameter(
        kind=PathField,
        help_text="CSV with the columns Participant id, Submission id, Status.",
        style={"positional": True, **HIDDEN},
    )


class ImportApprovals(Operation[Batch, ImportApprovalsParameters]):
    """Import the list of submissions that a panel exports.

    Votes of participants whom it approved count from now on; labels that were decided are decided
    again.
    """

    name = "import approvals"
    example = {"file": "prolific_export.csv"}
    title = "Import a panel's list"
    subject = Batch
    parameters = ImportApprovalsParameters

    def rehearse(
        self, subject: Batch, parameters: ImportApprovalsParameters, actor: Actor
    ) -> Result:
        done = _send(subject, parameters.file, Participants.check_submissions)
        return Result(message=_in_words(done))

    def run(self, subject: Batch, parameters: ImportApprovalsParameters, run: Run) -> Result:
        imported = import_approvals(batch=subject, path=parameters.file, actor=run.actor.name)
        done = imported.submissions
        return Result(
            {"batch": subject.name, **_numbers(done), "labels_changed": imported.changes.n_changed},
            f"{_in_words(done)} {imported.changes.in_words}",
        )


def _numbers(done: ImportedSubmissions) -> dict[str, int]:
    """Return the numbers alone: the log names no participant."""
    return done._asdict() | {"kept": len(done.kept)}


def _in_words(done: ImportedSubmissions) -> str:
    """State how many participants have which verdict; a verdict of nobody is left out."""
    sentences = [
        f"{counted(number, 'participant')} {_is(number)} {what}."
        for number, what in (
            (done.verified, "verified"),
            (done.waiting, "waiting for the panel's approval"),
            (done.refused, "not approved"),
        )
        if number
    ]
    # People who opened the link and took no HIT are not in these numbers.
    sentences += [f"{done.not_here:,} on the list did no HIT here."] if done.not_here else []
    if done.kept:
        sentences.append(
            f"{', '.join(done.kept)} had been approved before and {_is(len(done.kept))} not on "
            "this list. Their approval stays: discard the votes on the page Workers, if they "
            "should not count."
        )
    return " ".join(sentences)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


IMPORT_APPROVALS = ImportApprovals()


@dataclass(frozen=True)
class ImportedApprovals:
    """Result of an imported list, with the labels of the batch that it changed."""

    submissions: ImportedSubmissions
    changes: LabelChanges


def import_approvals(*, batch: Batch, path: Path, actor: str) -> ImportedApprovals:
    """Send a panel's list to the crowd service, and store its verdicts in all batches.

    Nothing of the list is stored here: ids of participants stay with the panel and the service.
    Labels that were decided are decided again. Doing it twice changes nothing.
    """
    report = _send(batch, path, Participants.import_submissions)
    changes = apply_panel_verdicts(batch=batch, actor=actor)
    detail = _numbers(report) | {"labels_changed": changes.n_changed}
    AuditEvent.objects.create(
        batch=batch, actor=actor, action=AuditAction.PANELS_LIST_IMPORTED, detail=detail
    )
    return ImportedApprovals(report, changes)


def _send(
    batch: Batch,
    path: Path,
    how: Callable[[Participants, Iterable[Submission]], ImportedSubmissions],
) -> ImportedSubmissions:
    """Send a list to the service of the batch; `InputError` where that has none of its people."""
    service = environment_participants(batch.environment)
    if service is None:
        raise InputError(
            f"the batch {batch.name!r} has no participants of panels.",
            remedy="Participants of panels come only to batches of the local crowd service.",
        )
    submissions = read_submissions(path)
    try:
        return how(service, submissions)
    except CrowdRefusedError as error:
        if not error.code.endswith("OtherPanel"):
            raise
        raise InputError(
            "nobody on this list came here from a panel.",
            path=path,
            remedy="Export the submissions of the study whose participants worked on this batch.",
        ) from None
