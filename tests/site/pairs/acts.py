"""What two people do at once: each operation about a batch, with the stages in which it may run.

An operation of the registry that has no act here fails the harness by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.core.operations import AnyOperation
from annotation.core.perform import estimate, perform
from annotation.jobs.execution import run_job
from annotation.jobs.registry import OPERATIONS
from annotation.models import Assignment, Batch, Task
from mturk_local.models import Channel, Inquiry
from tests.schemed import SCHEME
from tests.site.pairs.world import ACTOR, SET_UP, UNCERTAIN, World

Values = Callable[[World], dict[str, Any]]
#: Stages of a batch that is published, the one in which most can be done first.
PUBLIC = ("recruiting", "paused", "drafted", "planned", "adaptive")
#: Those in which its study is in the field, so that people and bonuses of the market are there.
FIELD = ("recruiting", "paused", "planned", "adaptive")
EVERY = (*PUBLIC, "draft")


@dataclass(frozen=True)
class Act:
    """Done by one of the two; `do` raises `InputError` where it is refused."""

    name: str
    stages: tuple[str, ...]
    prepare: Callable[[World], Callable[[], None]]
    of_market: bool = False
    spends: bool = False


def _values(**values: Any) -> Values:
    return lambda _world: values


def _worker(name: str) -> Values:
    return lambda world: {"worker": world.answers_of(name)[0].worker_id, "reason": "Gold."}


def _submission(**values: Any) -> Values:
    return lambda world: {"submission": next(iter(world.market.submissions)), **values}


def _set(reason: str, **values: Any) -> Values:
    return lambda world: {"bonuses": world.bonus_set(reason), **values}


def _channel(world: World) -> dict[str, Any]:
    return {"channel": Channel.objects.earliest("pk").channel_id}


def _inquiry(world: World) -> dict[str, Any]:
    return {"inquiry": Inquiry.objects.get().inquiry_id, "text": "Both names are counted."}


NOTHING = _values()
BONUS = _values(amount="0.20", reason="It took longer.")
#: By the name of the operation: its stages, and its parameters.
FIXTURES: Mapping[str, tuple[tuple[str, ...], Values]] = {
    "change scheme": (("scheme",), _values(scheme=SCHEME.replace("Does the", "Does this"))),
    "import qrels": (("pairs",), lambda world: {"file": world.qrels}),
    "add votes": (("imported",), lambda world: {"files": [world.votes]}),
    "choose crowd": (("draft",), _values(crowd="service")),
    "publish": (("draft", "planned", "scheme", "pairs"), NOTHING),
    "invite by link": (PUBLIC, _values(places=2)),
    "invite by account": (PUBLIC, _values(username="dan", password="a long pass phrase")),
    "invite by panel": (PUBLIC, NOTHING),
    "revoke channel": (PUBLIC, _channel),
    "connect prolific": (PUBLIC, _values(token="a-token-for-rehearsals")),
    "draft study": (("drafted",), _values(minutes=2, places=2)),
    "publish study": (("drafted",), NOTHING),
    "pause study": (("recruiting",), NOTHING),
    "resume study": (("paused",), NOTHING),
    "stop study": (FIELD, NOTHING),
    "add places": (FIELD, _values(places=1)),
    "read study": (PUBLIC, NOTHING),
    "approve submissions": (FIELD, NOTHING),
    "reject submission": (FIELD, _submission(category="NO_DATA", message="No answers. " * 10)),
    "request return": (FIELD, _submission(reason="You did not agree.")),
    "set up bonuses": (FIELD, _values(reason=SET_UP, amount="0.50")),
    "pay bonuses": (FIELD, _set(SET_UP)),
    "decide bonuses": (FIELD, _set(UNCERTAIN, decision="not paid")),
    "answer message": (FIELD, _inquiry),
    "refresh": (PUBLIC, NOTHING),
    "collect": (PUBLIC, _values(approve=True)),
    "read again": (PUBLIC, NOTHING),
    "approve": (PUBLIC, NOTHING),
    "bonus": (PUBLIC, BONUS),
    "budget": (EVERY, _values(budget="500")),
    "extend": (PUBLIC, _values(days=9)),
    "top up": (("recruiting", "paused", "drafted"), _values(assignments=3)),
    "begin adaptive": (("draft", "recruiting", "drafted", "paused"), _values(most_votes=5)),
    "plan round": (("adaptive",), NOTHING),
    "adaptive round": (("adaptive", "planned"), NOTHING),
    "stop": ((*EVERY, "scheme", "pairs"), NOTHING),
    "dispose": (PUBLIC, NOTHING),
    "ask model": (EVERY, lambda world: {"address": world.model, "model": "d", "trial": True}),
    "train classifier": (PUBLIC, NOTHING),
    "label": (PUBLIC, _values(method="majority", seed=1)),
    "adjudicate": (EVERY, _values(qid="q1", category="m", reason="A man.")),
    "withdraw decision": (PUBLIC, _values(qid="q1", reason="Too early.")),
    "approve answer": (PUBLIC, NOTHING),
    "reject answer": (PUBLIC, _values(reason="All were left at the first.")),
    "restore answer": (PUBLIC, _values(reason="We were wrong, sorry.")),
    "answer bonus": (PUBLIC, BONUS),
    "discard votes": (PUBLIC, _worker("ada")),
    "restore votes": (PUBLIC, _worker("ben")),
    "exclude": (PUBLIC, _worker("ada")),
    "readmit": (PUBLIC, _worker("ben")),
    "send exclusions": (PUBLIC, NOTHING),
    "import approvals": (FIELD, lambda world: {"file": world.list_of_panel}),
    "erase personal data": (
        PUBLIC,
        lambda world: {"worker": world.answers_of("ben")[0].worker_id},
    ),
}
#: Operations on batches that Prolific asks, of which there is none in the world of pairs:
#: `tests/annotation/publishing/prolific/test_asked_there.py` tries them.
ELSEWHERE = frozenset({"upload tasks", "import responses"})
#: Whose answer, and which one: that which waits, and that which was rejected.
_ANSWERS = {"restore answer": ("ben", 1)}


def operations() -> list[AnyOperation]:
    """Those of the registry that are about a batch, or an answer of one."""
    of_batch = [one for one in OPERATIONS if one.subject in {Batch, Assignment}]
    return [one for one in of_batch if one.name not in ELSEWHERE]


def acts() -> list[Act]:
    """All of them, and the one that needs two operations."""
    lacking = [one.name for one in operations() if one.name not in FIXTURES]
    assert not lacking, f"no fixture in {__file__} for {lacking}"
    return [*map(_act, operations()), SET_UP_AGAIN_AND_PAY]


def _act(operation: AnyOperation) -> Act:
    stages, values = FIXTURES[operation.name]

    def prepare(world: World) -> Callable[[], None]:
        subject: Any = world.batch
        if operation.subject is Assignment:
            who, number = _ANSWERS.get(operation.name, ("ada", 0))
            subject = world.answers_of(who)[number]
        given = values(world)
        return lambda: performed(operation, subject, given)

    of_market = "prolific" in type(operation).__module__
    return Act(operation.name, stages, prepare, of_market=of_market, spends=operation.spends)


def performed(operation: AnyOperation, subject: Any, values: dict[str, Any]) -> None:
    """As somebody does it who saw the cost before; a job is done by the thread as a worker."""
    agreed: Decimal | None = None
    if operation.spends:
        agreed = estimate(operation, subject, values, ACTOR).cost
    done = perform(operation, subject, values, ACTOR, agreed)
    if isinstance(done, Task):
        run_job(task_id=done.pk)


def _set_up_again_and_pay(world: World) -> Callable[[], None]:
    batch = world.batch

    def do() -> None:
        values = {"reason": SET_UP, "amount": "0.50"}
        made: Any = perform(SET_UP_BONUSES, batch, values, ACTOR)
        performed(PAY_BONUSES, batch, {"bonuses": made.values["bonuses"]})

    return do


SET_UP_AGAIN_AND_PAY = Act(
    "set up bonuses again and pay", FIELD, _set_up_again_and_pay, of_market=True, spends=True
)
