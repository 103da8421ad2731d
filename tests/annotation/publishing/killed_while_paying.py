"""Kill processes that pay bonuses on Prolific's double, before and after each commit and call.

    python -m tests.annotation.publishing.killed_while_paying 200

kills each point that often, on the database of `DATABASE_URL`, which is migrated first; it has to
be one of its own. Printed are, as JSON, the rounds and what each set was found to be. It ends with
an error where a bonus was paid twice, or money is held for another sum than the ledger says.
"""

import gc
import json
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django must be set up before models are imported
from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.batches.operations.prolific import pay_bonuses, set_up_bonuses  # noqa: E402
from annotation.batches.operations.prolific.bonuses import read_bonuses  # noqa: E402
from annotation.core.operations import Actor  # noqa: E402
from annotation.core.perform import perform_here  # noqa: E402
from annotation.models import (  # noqa: E402
    Batch,
    ProlificBonusSet,
    ProlificStudy,
    ProlificSubmission,
    ProlificWorkspace,
    Study,
)
from annotation.overview.queries.invariants import broken_invariants  # noqa: E402
from annotation.prolific.client import Prolific  # noqa: E402
from annotation.prolific.double.market import Market  # noqa: E402
from annotation.prolific.double.server import serving  # noqa: E402
from annotation.prolific.tokens import seal  # noqa: E402
from annotation.vocabulary import BatchState, BonusSetState, Environment  # noqa: E402
from metrics.errors import InputError  # noqa: E402
from tests.annotation.prolific.conftest import TOKEN, study_terms  # noqa: E402

#: What is called at each commit and call, in their order; a process dies before or after it.
CALLED: tuple[tuple[Any, str], ...] = (
    (Prolific, "set_up_bonuses"),  # a call
    (set_up_bonuses, "_store"),  # the commit of the set
    (set_up_bonuses, "log_study"),
    (pay_bonuses, "log_study"),  # within the transaction that commits "being paid"
    (pay_bonuses, "_begin"),  # that commit
    (Prolific, "pay_bonuses"),  # the call that pays
    (pay_bonuses, "_end"),  # the commit of its outcome
)
_REWARD, _BONUS, _TOTAL = 100, 50, Decimal("0.67")


def main(times: int) -> None:
    call_command("migrate", verbosity=0)
    gc.freeze()  # the processes that die write to no page of what was there before them
    found, twice = Counter[str](), 0
    for number in range(times):
        states, n_twice = _each_point_once(number)
        found, twice = found + states, twice + n_twice
    rounds, broken = times * len(CALLED) * 2, broken_invariants()
    print(json.dumps({"rounds": rounds, "found": found, "twice": twice}))  # noqa: T201
    if broken or twice or found.total() != rounds:
        raise SystemExit(f"{broken} {twice} {found}")


def _each_point_once(number: int) -> tuple[Counter[str], int]:
    """The states of their bonuses, and how often one was paid again, on a market of their own.

    The market looks through all that it has at each request: one for all rounds would make each of
    them slower than the one before.
    """
    market, found = Market(balance=10**9), Counter[str]()
    with serving(market, token=TOKEN) as address:
        settings.PROLIFIC_ADDRESS = address
        workspace = ProlificWorkspace.objects.create(
            workspace_id=market.workspace_id, title="w", address=address, currency="USD",
            token=seal(TOKEN), stored_by="test",
        )  # fmt: skip
        for step, (owner, name) in enumerate(CALLED):
            for is_after in (False, True):
                point = f"{step} {name}-{'after' if is_after else 'before'}-{number}"
                found[_round(market, workspace, point, owner, name, is_after=is_after)] += 1
    twice = sum(len(one.bonuses) > 1 for one in market.submissions.values())
    return found, twice + sum(times > 1 for times in market.paid.values())


def _round(
    market: Market,
    workspace: ProlificWorkspace,
    point: str,
    owner: Any,
    name: str,
    *,
    is_after: bool,
) -> str:
    """Die at the point, try all of it again, read; the state that the bonus is in at last."""
    batch, row = _recruited(market, workspace, point)
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            _let_die(owner, name, is_after=is_after)
            _try(batch)
        except BaseException:  # noqa: BLE001 - the server is of the process that waits
            traceback.print_exc()
        os._exit(3)  # it did not die
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != -signal.SIGKILL:
        raise SystemExit(f"{point}: the process ended with {code}.")
    _try(batch)
    ProlificBonusSet.objects.filter(study=row, state=BonusSetState.PAYING).update(
        paying_at=timezone.now() - timedelta(minutes=3)
    )
    prolific = Prolific(TOKEN, address=market_address())
    for _ in range(3):
        read_bonuses(study=row.pk, prolific=prolific)
    _try(batch)  # nothing is paid by whoever tries once more
    state = ProlificBonusSet.objects.get(study=row).state
    (submission,) = market.of_study(str(row.study_id))
    for _ in range(3):
        submission.read()
    expected = {BonusSetState.CONFIRMED: (1,), BonusSetState.UNCERTAIN: (0,)}
    if len(submission.bonuses) not in expected[BonusSetState(state)]:
        raise SystemExit(f"{point}: {state}, and paid {len(submission.bonuses)} times.")
    return str(state)


def market_address() -> str:
    return str(settings.PROLIFIC_ADDRESS)


def _recruited(
    market: Market, workspace: ProlificWorkspace, point: str
) -> tuple[Batch, ProlificStudy]:
    """A published batch with a study, of which somebody has answered."""
    made = market.create_study(study_terms(internal_name=point, reward=_REWARD))
    market.move_study(made.study_id, "PUBLISH")
    visit = market.arrive(made.study_id, "a" * 24)
    if visit is None:
        raise SystemExit("no place")
    market.come_back(visit.submission.submission_id, "DONE")
    study = Study.objects.create(name=point)
    cost = made.cost
    batch = Batch.objects.create(
        name=point, study=study, environment=Environment.LOCAL, state=BatchState.PUBLISHED,
        committed=Decimal(cost) / 100,
    )  # fmt: skip
    row = ProlificStudy.objects.create(
        batch=batch, workspace=workspace, internal_name=point, study_id=made.study_id,
        status="ACTIVE", codes={"completed": "DONE"}, minutes=5, reward=_REWARD,
        places=made.places, total_cost=cost, fees_committed=cost,
    )  # fmt: skip
    ProlificSubmission.objects.create(
        study=row, submission_id=visit.submission.submission_id, participant="p",
        status="AWAITING REVIEW", code="DONE", read_at=timezone.now(),
    )  # fmt: skip
    return batch, row


def _try(batch: Batch) -> None:
    """Set the bonus up and pay it, as far as that is let."""
    terms = {"reason": "careful", "amount": "0.50"}
    try:
        done = perform_here(set_up_bonuses.SET_UP_BONUSES, batch, terms, Actor("test"))
        bonuses = {"bonuses": done.values["bonuses"]}
        perform_here(pay_bonuses.PAY_BONUSES, batch, bonuses, Actor("test"), _TOTAL)
    except InputError:
        return


def _let_die(owner: Any, name: str, *, is_after: bool) -> None:
    called: Callable[..., Any] = getattr(owner, name)

    def dying(*given: Any, **named: Any) -> Any:
        if is_after:
            called(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, dying)


if __name__ == "__main__":
    main(int(sys.argv[1]))
