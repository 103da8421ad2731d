"""Have Prolific ask the questions of a batch: data set, upload, batch and its tasks there.

Each step stores what it found or made before the next one, so that it may be killed at any moment
and done again: nothing is made twice that could be asked twice.
"""

import time
from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from annotation.batches.operations.prolific.draft import site_workspace
from annotation.batches.operations.prolific.study import check_task_builder, claim, log_study
from annotation.batches.queries.task_builder import (
    ITEMS_FILE,
    BuilderTasks,
    batch_tasks,
    left_out_fact,
)
from annotation.core.consent import Estimate
from annotation.core.counting import counted
from annotation.core.operations import Advance, Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.models import Batch, ProlificTasks
from annotation.prolific.client import BusyError, OutcomeUnknownError, RefusedError
from annotation.prolific.task_builder import (
    ERROR,
    NOT_SENT,
    READY,
    UNINITIALISED,
    MarketTasks,
    NotReadyError,
    TaskBuilder,
    UploadPlace,
)
from annotation.prolific.tokens import workspace_task_builder
from annotation.vocabulary import Action, AuditAction, BatchState, Permit, TaskKind
from metrics.errors import InputError

#: A place for a file is used for so long; Prolific gives it for an hour.
_PLACE_FOR = timedelta(minutes=45)
#: What was asked for shows within this, also where the answer was lost.
_SHOWS_WITHIN = timedelta(minutes=2)
#: Seconds between two looks, and looks before the job gives way and is done again later.
_PAUSES = (0.1, 0.2, 0.5, 1, 2, 5, 5, 5, 10, 10)


class UploadTasks(Operation[Batch, NoParameters]):
    """Upload the items and the questions of the batch to Prolific's Task Builder.

    Nobody sees them before a study shows them, and nothing is paid. May be interrupted and done
    again: what is there already is found.
    """

    name = "upload tasks"
    path = "prolific/tasks"
    title = button = "Upload the questions"
    queued = "The questions are being uploaded to Prolific."
    subject = Batch
    parameters = NoParameters
    permission = Action.PUBLISH
    permit = Permit.RECRUIT
    states = (BatchState.PUBLISHING, BatchState.PUBLISHED)
    job = TaskKind.UPLOAD_TASKS
    unit = "steps"

    def estimate(self, subject: Batch, parameters: NoParameters) -> Estimate:
        check_task_builder(subject)
        if ProlificTasks.objects.filter(batch=subject, is_ready=True).exists():
            return Estimate(nothing="Prolific has the questions.")
        return Estimate(
            facts=(("Workspace", site_workspace().title), *left_out_fact(batch=subject))
        )

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        tasks = batch_tasks(batch=subject)
        row, _ = ProlificTasks.objects.get_or_create(
            batch=subject,
            defaults={"workspace": site_workspace(), "name": f"fairpool-{subject.uid.hex}"},
        )
        try:
            with claim(row, "working_since", f"uploading the questions of {subject.name}"):
                row.refresh_from_db()
                _make(row, tasks, run.advance)
        except (OutcomeUnknownError, BusyError) as error:
            raise NotReadyError(error.message) from error
        except RefusedError as error:
            if error.is_certain and error.status:
                raise
            raise NotReadyError(error.message) from error
        log_study(
            subject, run.actor.name, AuditAction.PROLIFIC_TASKS_UPLOADED,
            tasks=len(tasks.rows), groups=tasks.n_groups,
        )  # fmt: skip
        return Result(
            {"tasks": len(tasks.rows), "groups": tasks.n_groups},
            f"Prolific has {counted(len(tasks.rows), 'task')} in "
            f"{counted(tasks.n_groups, 'group')}.",
            note=" ".join(tasks.left_out),
        )


UPLOAD_TASKS = UploadTasks()


def _make(row: ProlificTasks, tasks: BuilderTasks, advance: Advance) -> None:
    """Take each step that was not taken; `NotReadyError` where Prolific needs longer."""
    builder = workspace_task_builder(row.workspace)
    if not row.tasks_id:
        _ensure_dataset(row, builder, tasks)
        advance(1)
        _ensure_rows(row, builder, tasks)
        advance(1)
        _store(row, tasks_id=_find_or_make(row, builder, tasks).batch_id)
    advance(1)
    _ensure_tasks(row, builder, tasks)
    _store(row, is_ready=True, upload_url="")


def _store(row: ProlificTasks, **values: object) -> None:
    """Store what is known by now, before the next step."""
    ProlificTasks.objects.filter(pk=row.pk).update(**values)
    row.refresh_from_db()


def _ensure_dataset(row: ProlificTasks, builder: TaskBuilder, tasks: BuilderTasks) -> None:
    if not row.dataset_id:
        workspace = row.workspace.workspace_id
        _store(row, dataset_id=builder.create_dataset(workspace, row.name, tasks.schema))


def _ensure_rows(row: ProlificTasks, builder: TaskBuilder, tasks: BuilderTasks) -> None:
    """Upload the file once; a data set that has other rows is given up for a new one."""
    now = timezone.now()
    is_late = row.place_at is None or row.place_at < now - _PLACE_FOR
    if not row.import_id or (is_late and _is_not_sent(row, builder)):
        place = builder.upload_place(row.dataset_id, ITEMS_FILE)
        _store(
            row, import_id=place.import_id, upload_url=place.url,
            upload_type=place.content_type, place_at=now,
        )  # fmt: skip
    read = builder.dataset_import(row.dataset_id, row.import_id)
    if read.status == NOT_SENT:
        place = UploadPlace(row.upload_url, row.upload_type, row.import_id)
        builder.upload(place, tasks.csv.encode())

    def is_over() -> bool:
        nonlocal read
        read = builder.dataset_import(row.dataset_id, row.import_id)
        return read.is_over

    _wait(is_over, "the file")
    n_rows = builder.dataset_rows(row.dataset_id)
    if read.rejected or n_rows != len(tasks.rows):
        # Nothing shows it. The next attempt makes another.
        _store(row, dataset_id="", import_id="", upload_url="", place_at=None)
        if read.rejected:
            raise InputError(f"Prolific refused {read.rejected} of the items: {read.problem}")
        raise NotReadyError(f"the data set has {n_rows} rows, not {len(tasks.rows)}.")


def _is_not_sent(row: ProlificTasks, builder: TaskBuilder) -> bool:
    return builder.dataset_import(row.dataset_id, row.import_id).status == NOT_SENT


def _find_or_make(row: ProlificTasks, builder: TaskBuilder, tasks: BuilderTasks) -> MarketTasks:
    """Return the batch there, if it was ever made; refuse to choose between two."""
    workspace = row.workspace.workspace_id
    named = builder.tasks_named(workspace, row.name)
    if len(named) > 1:
        raise InputError(
            f"Prolific has {len(named)} Task Builder batches named {row.name}.",
            remedy="Rename all but one of them there; nobody has seen them.",
        )
    return (
        named[0] if named
        else builder.create_tasks(workspace, row.name, row.dataset_id, tasks.layout)
    )  # fmt: skip


def _ensure_tasks(row: ProlificTasks, builder: TaskBuilder, tasks: BuilderTasks) -> None:
    """Have a task made of each row, once: what was asked for is looked for before it is again."""
    now = timezone.now()
    if builder.tasks_status(row.tasks_id) == UNINITIALISED:
        if row.set_up_at is not None and row.set_up_at > now - _SHOWS_WITHIN:
            raise NotReadyError("Prolific has not begun to make the tasks.")
        _store(row, set_up_at=now)
        try:
            builder.set_up_tasks(row.tasks_id, row.dataset_id)
        except RefusedError as error:
            if error.is_certain:  # nothing happened
                _store(row, set_up_at=None)
            raise

    status = ""

    def is_ready() -> bool:
        nonlocal status
        status = builder.tasks_status(row.tasks_id)
        return status in {READY, ERROR}

    _wait(is_ready, "the tasks")
    made = builder.tasks(row.tasks_id)
    if status == ERROR or (made.n_tasks, made.n_groups) != (len(tasks.rows), tasks.n_groups):
        raise InputError(
            f"Prolific has made {made.n_tasks} tasks in {made.n_groups} groups, not "
            f"{len(tasks.rows)} in {tasks.n_groups}: no study can show them.",
            remedy=f"Ask Prolific about the Task Builder batch {row.name}, or ask by files.",
        )


def _wait(is_over: Callable[[], bool], what: str) -> None:
    for pause in _PAUSES:
        if is_over():
            return
        time.sleep(pause)
    raise NotReadyError(f"Prolific still works on {what}.")
