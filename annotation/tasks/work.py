"""What each kind of task does: it calls one service, and says in plain words what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from annotation.models import Batch, Task
from annotation.services.bonuses import bonuses_pay
from annotation.services.bundles import bundle_make
from annotation.services.collecting import batch_collect, hits_open
from annotation.services.extending import batch_ask_more, batch_extend, hits_lacking_answers
from annotation.services.kept_out import keep_out_tell
from annotation.services.labels import batch_label
from annotation.services.preflight import hits_unpublished_count
from annotation.services.publishing import batch_publish
from annotation.services.redundancy import redundancy_ask
from annotation.services.reviewing import THANKS, batch_approve
from annotation.services.stopping import batch_expire
from annotation.vocabulary import LabelMethod, TaskKind
from metrics.errors import InputError

#: Called with the units of work done since the last call; raises where the work has to end.
Advance = Callable[[int], object]


class Outcome(NamedTuple):
    """The service's report, and why a person should look at it, if so."""

    result: dict[str, Any]
    problem: str = ""


class Work(NamedTuple):
    """One kind of work. `total` is the number of units that `do` will advance by, if known."""

    total: Callable[[Task], int | None]
    do: Callable[[Task, Advance], Outcome]


def _of_batch(
    total: Callable[[Batch], int | None], do: Callable[[Batch, Task, Advance], Outcome]
) -> Work:
    def batch_of(task: Task) -> Batch:
        if task.batch is None:
            raise InputError(f"a task {task.kind!r} is about a batch.", remedy="Name the batch.")
        return task.batch

    return Work(
        lambda task: total(batch_of(task)),
        lambda task, advance: do(batch_of(task), task, advance),
    )


def _publish(batch: Batch, task: Task, advance: Advance) -> Outcome:
    report = batch_publish(batch_id=batch.pk, actor=task.actor, advance=advance)
    troubles = {**report.refused, **report.unresolved}
    return Outcome(_plain(asdict(report)), _problem("could not be published", troubles))


def _collect(batch: Batch, task: Task, advance: Advance) -> Outcome:
    report = batch_collect(batch_id=batch.pk, actor=task.actor, advance=advance)
    approved = 0
    if task.arguments.get("approve"):
        approved = batch_approve(batch_id=batch.pk, actor=task.actor)
    return Outcome(
        {**_plain(asdict(report)), "approved": approved},
        _problem("could not be read", report.incomplete),
    )


def _expire(batch: Batch, task: Task, advance: Advance) -> Outcome:
    report = batch_expire(batch_id=batch.pk, actor=task.actor, advance=advance)
    return Outcome(_plain(asdict(report)), _problem("may still be offered", report.failed))


def _label(batch: Batch, task: Task, _advance: Advance) -> Outcome:
    report = batch_label(
        batch=batch,
        method=task.arguments.get("method", LabelMethod.MAJORITY),
        strict=task.arguments.get("strict", False),
        seed=task.arguments.get("seed", 0),
        actor=task.actor,
    )
    return Outcome(report.as_dict())


def _extend(batch: Batch, task: Task, advance: Advance) -> Outcome:
    until = datetime.fromisoformat(task.arguments["until"])
    report = batch_extend(batch_id=batch.pk, until=until, actor=task.actor, advance=advance)
    return Outcome(asdict(report))


def _top_up(batch: Batch, task: Task, advance: Advance) -> Outcome:
    report = batch_ask_more(
        batch_id=batch.pk,
        assignments=task.arguments.get("assignments", batch.assignments_per_hit),
        actor=task.actor,
        advance=advance,
    )
    return Outcome(asdict(report))


def _ask(batch: Batch, task: Task, advance: Advance) -> Outcome:
    """Votes first, then the HITs of the next round, then the crowd; each may be done twice."""
    batch_collect(batch_id=batch.pk, actor=task.actor, advance=advance)
    planned = redundancy_ask(batch=batch, actor=task.actor)
    published = batch_publish(batch_id=batch.pk, actor=task.actor, advance=advance)
    troubles = {**published.refused, **published.unresolved}
    return Outcome(planned.as_dict(), _problem("could not be published", troubles))


def _approve(batch: Batch, task: Task, _advance: Advance) -> Outcome:
    feedback = task.arguments.get("feedback") or THANKS
    return Outcome(
        {"approved": batch_approve(batch_id=batch.pk, actor=task.actor, feedback=feedback)}
    )


def _bonus(batch: Batch, task: Task, advance: Advance) -> Outcome:
    paid = bonuses_pay(
        batch_id=batch.pk,
        amount=Decimal(task.arguments["amount"]),
        reason=task.arguments["reason"],
        actor=task.actor,
        advance=advance,
    )
    return Outcome({"paid": paid})


def _keep_out(batch: Batch, task: Task, advance: Advance) -> Outcome:
    return Outcome({"told": keep_out_tell(batch_id=batch.pk, actor=task.actor, advance=advance)})


def _bundle(batch: Batch, _task: Task, _advance: Advance) -> Outcome:
    return Outcome(asdict(bundle_make(batch_id=batch.pk)))


def _unknown(_batch: Batch) -> None:
    """How much there is to do shows only on the way."""


WORK: Mapping[str, Work] = {
    TaskKind.PUBLISH: _of_batch(hits_unpublished_count, _publish),
    TaskKind.COLLECT: _of_batch(lambda batch: hits_open(batch).count(), _collect),
    TaskKind.EXPIRE: _of_batch(
        lambda batch: batch.hits.filter(hit_id__isnull=False).count(), _expire
    ),
    TaskKind.LABEL: _of_batch(_unknown, _label),
    TaskKind.EXTEND: _of_batch(lambda batch: hits_lacking_answers(batch=batch).count(), _extend),
    TaskKind.TOP_UP: _of_batch(_unknown, _top_up),
    TaskKind.ASK: _of_batch(_unknown, _ask),
    TaskKind.APPROVE: _of_batch(_unknown, _approve),
    TaskKind.BONUS: _of_batch(_unknown, _bonus),
    TaskKind.KEEP_OUT: _of_batch(_unknown, _keep_out),
    TaskKind.BUNDLE: _of_batch(_unknown, _bundle),
}


def _problem(what: str, troubles: Mapping[Any, str]) -> str:
    if not troubles:
        return ""
    which, reason = next(iter(troubles.items()))
    name = f"HIT {which + 1}" if isinstance(which, int) else str(which)
    return f"{len(troubles)} HITs {what}; {name}: {reason.rstrip('.')}. Start it again for these."


def _plain(report: dict[str, Any]) -> dict[str, Any]:
    """The report as JSON keeps it: the keys of its dictionaries are text."""
    return {
        name: {str(key): one for key, one in value.items()} if isinstance(value, dict) else value
        for name, value in report.items()
    }
