"""One trial: two acts on the same batch at once, and what must hold afterwards."""

import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

import psycopg
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, connections

from annotation.batches.operations.prolific.study import ACTIVE, known_study, study_at_prolific
from annotation.batches.operations.reconciling import reconcile
from annotation.jobs.execution import run_job
from annotation.models import Bonus, ProlificBonusSet, ProlificStudy, Task
from annotation.models.tasks import LIVE_STATES
from annotation.overview.queries.invariants import broken_invariants
from annotation.vocabulary import PENDING_BONUSES, BatchState, BonusSetState, TaskState
from annotation.workers.operations.erasure import REMOVED
from metrics.errors import InputError
from mturk_local.invariants import broken_invariants as broken_in_the_crowd
from mturk_local.models import Bonus as CrowdBonus
from tests.site.pairs.acts import Act
from tests.site.pairs.gate import Gate, Plan
from tests.site.pairs.world import World

_PAID = {*PENDING_BONUSES, BonusSetState.CONFIRMED}


@dataclass
class Outcome:
    """What became of both, and all that does not hold."""

    said: list[str] = field(default_factory=lambda: ["", ""])
    breaches: list[str] = field(default_factory=list)
    points: tuple[int, int] = (0, 0)
    was_held: bool = False
    writes_money: tuple[bool, bool] = (False, False)


class Trials:
    """Two threads with connections that last, and a third one that sees who waits for a lock."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._pools = [ThreadPoolExecutor(1), ThreadPoolExecutor(1)]
        self._pids: list[int | None] = [pool.submit(_pid).result() for pool in self._pools]
        self._stack = ExitStack()
        self._looker: psycopg.Connection[Any] | None = None
        if connection.vendor == "postgresql":
            parameters = connection.get_connection_params()
            address = {name: parameters[name] for name in ("dbname", "user", "host", "port")}
            self._looker = self._stack.enter_context(
                closing(psycopg.connect(**address, autocommit=True))
            )

    def close(self) -> None:
        for pool in self._pools:
            pool.submit(connections.close_all).result()
            pool.shutdown()
        self._stack.close()

    def alone(self, act: Act, stage: str) -> Outcome:
        """The act without another one."""
        return self._run((act,), stage, Plan(held=0, at=0))

    def at_once(self, first: Act, other: Act, stage: str, plan: Plan) -> Outcome:
        return self._run((first, other), stage, plan)

    def _run(self, acts: tuple[Act, ...], stage: str, plan: Plan) -> Outcome:
        self._world.put_back(stage)
        outcome = Outcome()
        gate = Gate(plan, self._is_blocked)
        prepared = [_prepared(act, self._world) for act in acts]
        running = [
            pool.submit(_watched, gate, who, do)
            for who, (pool, do) in enumerate(zip(self._pools, prepared, strict=False))
        ]
        for who, future in enumerate(running):
            outcome.said[who], broken = future.result(timeout=120)
            outcome.breaches += [f"{acts[who].name}: {broken}"] if broken else []
        outcome.points, outcome.was_held = (gate.points[0], gate.points[1]), gate.was_held
        outcome.writes_money = (gate.writes_money[0], gate.writes_money[1])
        if gate.gave_up:
            outcome.breaches.append("neither went on")
        outcome.breaches += breaches(
            self._world,
            of_market=any(act.of_market for act in acts),
            of_hits=any(gate.writes_hits),
        )
        return outcome

    def _is_blocked(self, who: int) -> bool:
        if self._looker is None:
            return False
        found = self._looker.execute(
            "SELECT cardinality(pg_blocking_pids(%s))", (self._pids[who],)
        ).fetchone()
        return bool(found and found[0])


def _pid() -> int | None:
    connection.ensure_connection()
    return connection.connection.info.backend_pid if connection.vendor == "postgresql" else None


def _prepared(act: Act, world: World) -> Callable[[], None]:
    """What is refused before it begins is refused when it begins."""
    try:
        return act.prepare(world)
    except (LookupError, ObjectDoesNotExist, StopIteration):
        return partial(_absent, act.name)


def _absent(name: str) -> None:
    raise InputError(f"there is nothing to {name}.")


def _watched(gate: Gate, who: int, do: Callable[[], None]) -> tuple[str, str]:
    """What was said at the end, and what went wrong; refusals are in order."""
    try:
        with gate.watching(who):
            do()
    except InputError as error:
        return f"refused: {error.message}", ""
    except Exception as error:  # noqa: BLE001 - that it is none of ours is what we look for
        return repr(error), "".join(traceback.format_exception(error)[-6:])
    return "done", ""


def breaches(world: World, *, of_market: bool, of_hits: bool) -> list[str]:
    """All that does not hold after what was postponed was done, and the study read once more.

    The market is asked where an act is `of_market`, the crowd where one wrote HITs.
    """
    _finish_jobs()
    batch = world.batch
    found = list(_unexpected())
    if of_market and known_study(batch) is not None:
        found += _paid_twice(world)
        try:
            study_at_prolific(batch)
        except InputError as error:
            found.append(f"reading the study: {error.message}")
        found += _not_as_the_market(world)
    broken = {**broken_invariants(), **broken_in_the_crowd()}
    found += [f"{name}: {'; '.join(which)}" for name, which in broken.items()]
    if of_hits:
        found += [one for which in reconcile(batch).values() for one in which]
    return [*found, *_bonuses_twice()]


def _finish_jobs() -> None:
    """What waits because a lock was not given is tried again; follow-ups are left."""
    for task in Task.objects.filter(state__in=LIVE_STATES, attempts__gt=0):
        Task.objects.filter(pk=task.pk).update(run_after=task.created_at)
        run_job(task_id=task.pk)


def _unexpected() -> Iterator[str]:
    for task in Task.objects.filter(state=TaskState.FAILED, error__contains="Unexpected"):
        yield f"job {task.kind}: {task.error}"
    for task in Task.objects.filter(state=TaskState.RUNNING):
        yield f"job {task.kind} is still running"


def _paid_twice(world: World) -> Iterator[str]:
    """What the market paid is in the ledger, once for each reason."""
    paid = dict(ProlificBonusSet.objects.filter(state__in=_PAID).values_list("set_id", "reason"))
    for set_id, n in world.market.paid.items():
        if n > 1:
            yield f"the bonuses {set_id} were paid {n} times"
        if n and set_id not in paid:
            yield f"the bonuses {set_id} were paid, and the ledger does not know it"
    reasons = list(paid.values())
    for reason in set(reasons):
        if reasons.count(reason) > 1:
            yield f"{reasons.count(reason)} sets of bonuses for {reason!r} are paid"


def _not_as_the_market(world: World) -> Iterator[str]:
    row = ProlificStudy.objects.select_related("batch").get(batch=world.batch)
    studies = list(world.market.studies.values())
    if [one.study_id for one in studies] != [row.study_id]:
        yield f"the market has {len(studies)} studies"
        return
    if row.batch.state == BatchState.STOPPED and studies[0].status == ACTIVE:
        yield "the batch is stopped, and people may begin at the market"
    ours, theirs = (row.places, row.total_cost), (studies[0].places, studies[0].cost)
    if ours != theirs:
        yield f"places and cost are {ours}, at the market {theirs}"


def _bonuses_twice() -> Iterator[str]:
    """The crowd paid each bonus of the ledger once, and no other."""
    paid = Counter(
        (one.assignment_id, Decimal(one.amount_cents) / 100, one.reason)
        for one in CrowdBonus.objects.all()
    )
    yield from (f"the crowd paid {n} times {one}" for one, n in paid.items() if n > 1)
    # The answers of a person who was erased have another name here, and no reasons anywhere.
    known = Counter(Bonus.objects.values_list("amount", "reason"))
    erased = Counter(amount for amount, reason in known.elements() if reason == REMOVED)
    like = Counter((amount, reason) for _answer, amount, reason in paid)
    yield from (
        f"the crowd paid {n} bonuses of {one}, and the ledger knows {known[one]}"
        for one, n in like.items()
        if n > known[one] + erased[one[0]]
    )
