"""Pausing, resuming and stopping a study on Prolific, which costs nothing and may be repeated."""

from typing import ClassVar

from annotation.batches.operations.prolific.study import (
    ACTIVE,
    AWAITING,
    COMPLETED,
    PAUSED,
    PUBLISHING,
    known_study,
    log_study,
    study_at_prolific,
    update_study_row,
)
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.models import Batch
from annotation.vocabulary import Action, AuditAction, BatchState, Permit
from metrics.errors import InputError


class _Move(Operation[Batch, NoParameters]):
    """Bring the study from one of the statuses `before` to `after`."""

    action: ClassVar[str]
    before: ClassVar[tuple[str, ...]]
    after: ClassVar[str]
    subject = Batch
    parameters = NoParameters
    permission = Action.PUBLISH
    permit = Permit.RECRUIT
    calls_out = True
    states: ClassVar[tuple[BatchState, ...]] = PUBLIC_STATES

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        row, prolific, market_study = study_at_prolific(subject)
        if market_study.status != self.after:
            if market_study.status not in self.before:
                raise InputError(
                    f"the study is {market_study.status.lower()} on Prolific.",
                    remedy=f"This works only while it is {' or '.join(self.before).lower()}.",
                )
            update_study_row(row, prolific.move_study(market_study.study_id, self.action))
            log_study(subject, run.actor.name, AuditAction.PROLIFIC_STUDY_MOVED, move=self.action)
        if self.after == ACTIVE:
            pause_if_stopped(subject, run.actor.name)
            row.refresh_from_db()
        return Result({"status": row.status}, f"The study is {row.status.lower()} on Prolific.")


class PauseStudy(_Move):
    """Let nobody else begin until the study is resumed; those who have begun may finish."""

    name = "pause study"
    path = "prolific/pause"
    title = button = "Pause on Prolific"
    action, before, after = "PAUSE", (ACTIVE,), PAUSED


class ResumeStudy(_Move):
    """Let people begin again. The study of a stopped batch stays as it is."""

    name = "resume study"
    path = "prolific/resume"
    title = button = "Resume on Prolific"
    action, before, after = "START", (PAUSED,), ACTIVE
    states = (BatchState.PUBLISHING, BatchState.PUBLISHED)


class StopStudy(_Move):
    """End the study: nobody else begins, and those who have begun may finish."""

    name = "stop study"
    path = "prolific/stop"
    title = button = "Stop on Prolific"
    action, before, after = "STOP", (ACTIVE, PAUSED, AWAITING), COMPLETED


PAUSE_STUDY, RESUME_STUDY, STOP_STUDY = PauseStudy(), ResumeStudy(), StopStudy()


def pause_recruiting(batch: Batch, actor: str) -> str:
    """Pause the batch's study, if people can begin; the study's status then, "" without a study.

    Those who have begun may finish, and are paid. It may be repeated, and is for whoever may stop
    the batch: it spends nothing. Stopping a study would be final at Prolific.
    """
    known = known_study(batch)
    if known is None or not known.study_id:
        return ""
    row, prolific, market_study = study_at_prolific(batch)
    if market_study.status in {*PAUSE_STUDY.before, PUBLISHING}:
        market_study = prolific.move_study(market_study.study_id, PAUSE_STUDY.action)
        update_study_row(row, market_study)
        log_study(batch, actor, AuditAction.PROLIFIC_STUDY_MOVED, move=PAUSE_STUDY.action)
    return market_study.status


def pause_if_stopped(batch: Batch, actor: str) -> None:
    """Pause the study again if its batch was stopped while people were let in.

    Stopping is stored before the study is read, so that either this or the stop sees the other.
    """
    if Batch.objects.filter(pk=batch.pk, state=BatchState.STOPPED).exists():
        pause_recruiting(batch, actor)
