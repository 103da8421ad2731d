"""The only way to do an operation: every check is here, whatever door somebody comes through."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User as Account
from django.db import transaction

from annotation.core.access import User, actions_in, is_permitted, permit_refusing
from annotation.core.consent import Consent, Estimate, agree
from annotation.core.money import budget_check, budget_left
from annotation.core.operations import (
    Actor,
    Advance,
    AnyOperation,
    NotPermittedError,
    Result,
    Run,
    StateError,
    nobody_waits,
)
from annotation.core.parameters import read_parameters, stored_parameters
from annotation.core.queue import queue_job
from annotation.core.task_queue import task_set_total
from annotation.core.versions import check_version, version_of
from annotation.models import Assignment, AuditEvent, Batch, Study, Task
from annotation.vocabulary import Action, Permit
from metrics.errors import InputError


def estimate(operation: AnyOperation, subject: Any, parameters: Any, actor: Actor) -> Estimate:
    """What the operation would do and cost, after every check but that of consent."""
    values, estimated = _checked(operation, subject, parameters, actor, None)
    batch = batch_of(subject)
    return replace(
        estimated,
        budget_left=budget_left(batch=batch) if batch else estimated.budget_left,
        version=version_of(operation.seen(subject, values)),
    )


def perform(
    operation: AnyOperation,
    subject: Any,
    parameters: Any,
    actor: Actor,
    agreed: Decimal | None = None,
    *,
    version: str | None = None,
) -> Result | Task:
    """Do the operation, or queue the job that does it.

    `parameters` are as a door got them, by name, or read by it already; `agreed` is the cost in
    US dollars that the actor named.
    With the `version` of what the actor saw, `StaleError` where that has changed since.
    """
    if operation.job is None:
        return perform_here(operation, subject, parameters, actor, agreed, version=version)
    values, consent, estimated = _agreed(
        operation, subject, parameters, actor, agreed, version=version
    )
    if estimated.nothing:
        raise InputError(estimated.nothing)
    task, is_new = queue_job(
        kind=operation.job,
        subject=subject,
        arguments=stored_parameters(values),
        consent=consent.as_json() if consent else {},
        actor=actor.name,
        user_id=getattr(actor.user, "pk", None),
        version=version or "",
    )
    if is_new:
        _record_request(operation, subject, values, actor, estimated, task=task.pk)
    return task


def perform_here(
    operation: AnyOperation,
    subject: Any,
    parameters: Any,
    actor: Actor,
    agreed: Decimal | None = None,
    *,
    advance: Advance = nobody_waits,
    version: str | None = None,
) -> Result:
    """Do the operation now and wait for its end, also where it is work for a job."""
    with _one_at_a_time(operation, subject, version):
        values, consent, estimated = _agreed(
            operation, subject, parameters, actor, agreed, version=version
        )
        if operation.job is not None:
            _record_request(operation, subject, values, actor, estimated)
        try:
            result: Result = operation.run(subject, values, Run(actor, consent, advance))
        except InputError as error:
            failure = error
        else:
            return result
    # Outside of any transaction, so that the log keeps it.
    record_failure(operation, subject, actor, failure.message)
    raise failure


@contextmanager
def _one_at_a_time(operation: AnyOperation, subject: Any, version: str | None) -> Iterator[None]:
    """Of two who decide on what they saw of a batch at once, the second sees what the first did."""
    batch = batch_of(subject)
    if version is None or batch is None or operation.job is not None:
        yield
        return
    with transaction.atomic():
        Batch.objects.select_for_update().get(pk=batch.pk)
        yield


def perform_job(operation: AnyOperation, task: Task, advance: Advance) -> Result:
    """Do what a task asks for, if it is still permitted and exactly what was agreed to."""
    subject = job_subject(task)
    actor = Actor(task.actor, _account(task))
    _check_may(operation, subject, actor)
    sent = read_parameters(operation.parameters, task.arguments, actor.user)
    values = operation.clean(subject, sent)
    _check_action(operation.needs(values), subject, actor)
    if task.version and task.attempts == 1:  # a later attempt may find what the first one did
        check_version(task.version, operation.seen(subject, values))
    consent = Consent.from_json(task.consent, is_resumed=task.attempts > 1)
    if consent is not None:
        now = operation.estimate(subject, values)
        if operation.is_divisible:
            now = now.among(consent.subjects)
        consent.check(now)
        check_budget(subject, now)
    elif batch := batch_of(subject):
        # Queued without a word about money: where that is real, nothing is spent.
        consent = agree(operation.estimate(subject, values), None, batch.environment)
    task_set_total(task=task, total=operation.units(subject, values))
    return operation.run(subject, values, Run(actor, consent, advance))


def record_failure(operation: AnyOperation, subject: Any, actor: Actor, error: str) -> None:
    """The log says what was tried and did not come about."""
    _record(subject, actor, f"{operation.name} failed", {"why": error})


def job_subject(task: Task) -> Study | Batch | Assignment:
    """What the task is about."""
    found = task.assignment or task.batch or task.study
    if found is None:
        raise InputError(f"the task {task.pk} is about nothing.")
    return found


def batch_of(subject: Any) -> Batch | None:
    """The batch whose states and money the operation is about."""
    if isinstance(subject, Assignment):
        return subject.hit.batch
    return subject if isinstance(subject, Batch) else None


def study_of(subject: Any) -> Study | None:
    """The study whose members may do it."""
    batch = batch_of(subject)
    return batch.study if batch else subject


def check_budget(subject: Any, estimated: Estimate) -> None:
    """Refuse what the budget of the batch, or of the site, has no room for."""
    if batch := batch_of(subject):
        budget_check(batch=batch, amount=estimated.cost - estimated.committed)


def check_state(operation: AnyOperation, batch: Batch) -> None:
    """Refuse what is not available for a batch in this state."""
    if batch.state not in operation.states:
        state = batch.get_state_display().lower()
        what = operation.title or operation.name.capitalize()
        raise StateError(f"“{what}” is not available for a {state} batch.")


def _agreed(
    operation: AnyOperation,
    subject: Any,
    parameters: Any,
    actor: Actor,
    agreed: Decimal | None,
    *,
    version: str | None,
) -> tuple[Any, Consent | None, Estimate]:
    """The parameters, what was agreed to, and what it would cost."""
    values, estimated = _checked(operation, subject, parameters, actor, version)
    check_budget(subject, estimated)
    batch = batch_of(subject)
    consent = agree(estimated, agreed, batch.environment) if batch else None
    return values, consent, estimated


def _checked(
    operation: AnyOperation,
    subject: Any,
    parameters: Any,
    actor: Actor,
    version: str | None,
) -> tuple[Any, Estimate]:
    _check_may(operation, subject, actor)
    sent = read_parameters(operation.parameters, parameters, actor.user)
    values = operation.clean(subject, sent)
    _check_action(operation.needs(values), subject, actor)
    if version is not None:  # to read the state takes statements
        check_version(version, operation.seen(subject, values))
    return values, operation.estimate(subject, values)


def _check_may(operation: AnyOperation, subject: Any, actor: Actor) -> None:
    permit = operation.permit
    if actor.user and permit and not is_permitted(user=actor.user, permit=permit):
        raise _lacking(permit)
    _check_action(operation.permission, subject, actor)
    batch = batch_of(subject)
    if batch is None:
        return
    # Whoever handed it over may have read it a while ago.
    batch.refresh_from_db(fields=["state", "environment", "budget", "committed"])
    check_state(operation, batch)


def _check_action(needed: Action | None, subject: Any, actor: Actor) -> None:
    if actor.user is None or needed is None:
        return
    study = study_of(subject)
    if needed in actions_in(user=actor.user, study=study):
        return
    if permit := permit_refusing(user=actor.user, study=study, action=needed):
        raise _lacking(permit)
    raise NotPermittedError(
        f"{actor.name} may not {needed.label} here.", remedy="An owner of the study gives roles."
    )


def _lacking(permit: Permit) -> NotPermittedError:
    return NotPermittedError(
        f"to {permit.label} takes the permission {permit.value!r}.",
        remedy="Members of staff give it, on the page People.",
    )


def _account(task: Task) -> User | None:
    if task.requested_by_id is None:
        return None
    account = Account.objects.filter(pk=task.requested_by_id).first()
    if account is None:
        raise NotPermittedError("the account that asked for this is deleted.")
    return account


def _record_request(
    operation: AnyOperation,
    subject: Any,
    values: Any,
    actor: Actor,
    estimated: Estimate,
    **more: Any,
) -> None:
    cost = {"cost": str(estimated.cost)} if estimated.cost else {}
    named = {"assignment": subject.assignment_id} if isinstance(subject, Assignment) else {}
    detail = {**stored_parameters(values), **named, **cost, **more}
    _record(subject, actor, f"{operation.name} requested", detail)


def _record(subject: Any, actor: Actor, action: str, detail: dict[str, Any]) -> None:
    """An entry of the log; what is about neither a batch nor a study has none."""
    batch, study = batch_of(subject), subject if isinstance(subject, Study) else None
    if batch or study:
        AuditEvent.objects.create(
            batch=batch, study=study, actor=actor.name, action=action, detail=detail
        )
