"""The only way to do an operation: every check is here, for every interface."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User as Account
from django.db import transaction

from annotation.core.access import User, actions_in, is_permitted, permit_refusing
from annotation.core.audit import log_failure, log_request
from annotation.core.consent import Consent, Estimate, agree
from annotation.core.money import budget_left, check_budget_left, lock_batch
from annotation.core.operations import (
    Actor,
    Advance,
    AnyOperation,
    NotPermittedError,
    Result,
    Run,
    StateError,
    batch_of,
    no_progress,
    study_of,
)
from annotation.core.parameters import read_parameters, stored_parameters
from annotation.core.task_queue import task_acts, task_set_total
from annotation.core.versions import check_version, version_of
from annotation.core.wake import tasks_wake_for
from annotation.models import Assignment, Batch, Study, Task
from annotation.models.tasks import LIVE_STATES
from annotation.vocabulary import Action, Permit, TaskKind
from metrics.errors import InputError


def estimate(operation: AnyOperation, subject: Any, parameters: Any, actor: Actor) -> Estimate:
    """Estimate effect and cost of the operation, after every check but that of consent.

    What it would do with a file is among the facts, and its errors are those of the operation.
    """
    values, estimated = _checked(operation, subject, parameters, actor, None)
    if rehearsed := operation.rehearse(subject, values, actor):
        estimated = replace(estimated, facts=(*estimated.facts, *_outcome(rehearsed)))
    batch = batch_of(subject)
    return replace(
        estimated,
        budget_left=budget_left(batch=batch) if batch else estimated.budget_left,
        version=version_of(operation.seen(subject, values)),
    )


def _outcome(result: Result) -> list[tuple[str, str]]:
    rows = (("It would report", result.message), ("Note", result.note), ("Problem", result.problem))
    return [(term, text) for term, text in rows if text]


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

    `parameters` are as an interface received them, by name, or parsed already; `agreed` is the
    cost in US dollars that the actor named.
    With the `version` of what the actor saw, `StaleError` where that has changed since.
    """
    if operation.job is None:
        return perform_here(operation, subject, parameters, actor, agreed, version=version)
    values, consent, estimated = _agreed(
        operation, subject, parameters, actor, agreed, version=version
    )
    if estimated.nothing:
        raise InputError(estimated.nothing)
    terms = stored_parameters(values), consent.as_json() if consent else {}
    task, is_new = queue_job(
        kind=operation.job,
        subject=subject,
        arguments=terms[0],
        consent=terms[1],
        actor=actor.name,
        user_id=getattr(actor.user, "pk", None),
        version=version or "",
    )
    if (task.arguments, task.consent) != terms:
        raise InputError(
            f"the same is being done with other terms, as task {task.pk}: "
            f"{task.get_kind_display().lower()}.",
            remedy="Wait until it is done, or cancel it.",
        )
    if is_new:
        log_request(operation, subject, values, actor, estimated, task=task.pk)
    return task


def queue_job(
    *,
    kind: str,
    subject: Study | Batch | Assignment,
    actor: str,
    arguments: Mapping[str, Any] | None = None,
    consent: Mapping[str, Any] | None = None,
    user_id: int | None = None,
    version: str = "",
) -> tuple[Task, bool]:
    """Queue the job that does an operation: store a row, then send a message to wake a worker.

    If the same is queued already, that task is returned; the second value is whether it is new.
    Without `user_id` permissions are not checked again: the request was permitted.
    """
    task, is_new = Task.objects.get_or_create(
        kind=TaskKind(kind),
        **_about(subject),
        state__in=LIVE_STATES,
        defaults={
            "actor": actor,
            "arguments": dict(arguments or {}),
            "consent": dict(consent or {}),
            "requested_by_id": user_id,
            "version": version,
        },
    )
    transaction.on_commit(lambda: tasks_wake_for([task.pk]))
    return task, is_new


def _about(subject: Study | Batch | Assignment) -> dict[str, Any]:
    match subject:
        case Study():
            return {"study": subject}
        case Batch():
            return {"batch": subject, "assignment": None}
        case Assignment():
            return {"batch": subject.hit.batch, "assignment": subject}


def perform_here(
    operation: AnyOperation,
    subject: Any,
    parameters: Any,
    actor: Actor,
    agreed: Decimal | None = None,
    *,
    advance: Advance = no_progress,
    version: str | None = None,
) -> Result:
    """Do the operation now and wait for its end, also if it is a job."""
    with _one_at_a_time(operation, subject, version):
        values, consent, estimated = _agreed(
            operation, subject, parameters, actor, agreed, version=version
        )
        if operation.job is not None:
            log_request(operation, subject, values, actor, estimated)
        try:
            result: Result = operation.run(subject, values, Run(actor, consent, advance))
        except InputError as error:
            failure = error
        else:
            return result
    # Outside any transaction, so that the log keeps it.
    log_failure(operation, subject, actor, failure.message)
    raise failure


@contextmanager
def _one_at_a_time(operation: AnyOperation, subject: Any, version: str | None) -> Iterator[None]:
    """Serialise decisions on a batch, so that the second sees what the first did."""
    batch = batch_of(subject)
    if version is None or batch is None or operation.job is not None or operation.calls_out:
        yield
        return
    with transaction.atomic():
        lock_batch(batch.pk)
        yield


def perform_job(operation: AnyOperation, task: Task, advance: Advance) -> Result:
    """Do what a task asks for, if it is still permitted and exactly what was agreed to."""
    subject = task.about
    actor = Actor(task.actor, _account(task))
    _check_may(operation, subject, actor)
    unchecked = read_parameters(operation.parameters, task.arguments, actor.user)
    values = operation.clean(subject, unchecked)
    _check_action(operation.needs(values), subject, actor)
    if task.version and not task.has_acted:  # otherwise it may find its own effect
        check_version(task.version, operation.seen(subject, values))
    consent = Consent.from_json(task.consent, is_resumed=task.has_acted)
    if consent is not None:
        now = operation.estimate(subject, values)
        if operation.is_divisible:
            now = now.among(consent.subjects)
        consent.check(now)
        check_budget(subject, now)
    elif batch_of(subject):
        # Queued without consent: no real money is spent.
        estimated = operation.estimate(subject, values)
        consent = agree(estimated, None, is_real=operation.is_real(subject))
    task_set_total(task=task, total=operation.units(subject, values))
    task_acts(task=task)
    return operation.run(subject, values, Run(actor, consent, advance))


def check_budget(subject: Any, estimated: Estimate) -> None:
    """Refuse what the budget of the batch, or of the site, has no room for."""
    if batch := batch_of(subject):
        check_budget_left(batch=batch, amount=estimated.cost - estimated.committed)


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
    """Return the parameters, the consent, and the estimate."""
    values, estimated = _checked(operation, subject, parameters, actor, version)
    check_budget(subject, estimated)
    is_real = operation.is_real(subject)
    consent = agree(estimated, agreed, is_real=is_real) if batch_of(subject) else None
    return values, consent, estimated


def _checked(
    operation: AnyOperation,
    subject: Any,
    parameters: Any,
    actor: Actor,
    version: str | None,
) -> tuple[Any, Estimate]:
    _check_may(operation, subject, actor)
    unchecked = read_parameters(operation.parameters, parameters, actor.user)
    values = operation.clean(subject, unchecked)
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
    # The caller may have read it a while ago.
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
        f"to {permit.label}, you need the permission {permit.value!r}.",
        remedy="Members of staff give it, on the page People.",
    )


def _account(task: Task) -> User | None:
    if task.requested_by_id is None:
        return None
    account = Account.objects.filter(pk=task.requested_by_id).first()
    if account is None:
        raise NotPermittedError("the account that requested this was deleted.")
    return account
