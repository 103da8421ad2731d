"""The acts on a batch that need a decision: what each would do and cost, and how it is asked for.

Every act is one `Act`: a form, what follows from it (`plan`), and the doing. `act_page` shows the
first two and does the third only for whoever sends back the cost that was shown, and in production
types it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.utils import timezone

from annotation.models import Batch
from annotation.services.bonuses import bonus_assignments
from annotation.services.extending import hits_lacking_answers
from annotation.services.money import budget_set
from annotation.services.outlook import (
    Outlook,
    outlook_of_approval,
    outlook_of_bonus,
    outlook_of_more,
    outlook_of_round,
)
from annotation.services.reviewing import THANKS
from annotation.tasks import task_ask
from annotation.vocabulary import BatchState, TaskKind
from annotation.web import act_forms
from metrics.errors import InputError

_DAY = 86_400
_OUT = (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.STOPPED)

Asked = Mapping[str, Any]


class Plan(NamedTuple):
    """What an act would do, in pairs of term and value, and what it costs in US dollars.

    `is_new` says whether the cost comes on top of what is committed; `nothing` why there is nothing
    to do.
    """

    facts: list[tuple[str, str]]
    cost: Decimal = Decimal(0)
    is_new: bool = True
    nothing: str = ""


@dataclass(frozen=True)
class Act:
    """`states` are those of a batch that it makes sense for; `start` fills in the form."""

    title: str
    says: str
    button: str
    form: type[forms.Form]
    start: Callable[[Batch], dict[str, Any]]
    plan: Callable[[Batch, Asked], Plan]
    do: Callable[[Batch, Asked, str], str]
    states: tuple[str, ...] = _OUT


def _extend_plan(batch: Batch, asked: Asked) -> Plan:
    number = hits_lacking_answers(batch=batch).count()
    until = timezone.now() + timedelta(days=asked["days"])
    return Plan(
        [
            ("HITs that lack answers", f"{number:,}"),
            ("Offered until", f"{until:%Y-%m-%d %H:%M} UTC"),
        ],
        nothing="" if number else "Every HIT has all its answers.",
    )


def _extend(batch: Batch, asked: Asked, actor: str) -> str:
    until = timezone.now() + timedelta(days=asked["days"])
    task_ask(
        kind=TaskKind.EXTEND,
        batch_id=batch.pk,
        actor=actor,
        until=until.isoformat(timespec="minutes"),
    )
    return "The HITs are being offered for longer."


def _more_plan(batch: Batch, asked: Asked) -> Plan:
    if asked["assignments"] < batch.assignments_per_hit:
        raise InputError(
            f"each HIT asks for {batch.assignments_per_hit} answers already.",
            remedy="Ask for as many or more.",
        )
    found = outlook_of_more(batch=batch, assignments=asked["assignments"])
    return Plan(
        [
            ("HITs that lack answers", f"{found.n_hits:,}"),
            ("Further answers to pay for", f"{found.n_answers:,}"),
        ],
        found.cost,
        nothing="" if found.n_hits else "Every HIT has all the answers that it is to bring.",
    )


def _more(batch: Batch, asked: Asked, actor: str) -> str:
    task_ask(kind=TaskKind.TOP_UP, batch_id=batch.pk, actor=actor, assignments=asked["assignments"])
    return "Asking for further answers."


def _round_plan(batch: Batch, _asked: Asked) -> Plan:
    found = outlook_of_round(batch=batch)
    return Plan(
        [
            ("Queries on which the votes leave something open", f"{found.n_queries:,}"),
            ("HITs of this round", f"{found.n_hits:,}"),
            ("Answers that they ask for", f"{found.n_answers:,}"),
        ],
        found.cost,
        nothing="" if found.n_hits else "No query needs another vote now.",
    )


def _round(batch: Batch, _asked: Asked, actor: str) -> str:
    task_ask(kind=TaskKind.ASK, batch_id=batch.pk, actor=actor)
    return "Collecting, then publishing the next round."


def _approve_plan(batch: Batch, _asked: Asked) -> Plan:
    found = outlook_of_approval(batch=batch)
    return Plan(
        [("Readable answers that wait for a review", f"{found.n_answers:,}")],
        found.cost,
        is_new=False,
        nothing="" if found.n_answers else "No answer waits for a review.",
    )


def _approve(batch: Batch, asked: Asked, actor: str) -> str:
    task_ask(kind=TaskKind.APPROVE, batch_id=batch.pk, actor=actor, feedback=asked["feedback"])
    return "Approving and paying."


def _bonus_plan(batch: Batch, asked: Asked) -> Plan:
    workers = bonus_assignments(batch_id=batch.pk, amount=asked["amount"], reason=asked["reason"])
    found: Outlook = outlook_of_bonus(n_workers=len(workers), amount=asked["amount"])
    return Plan(
        [("Workers who get it", f"{len(workers):,}"), ("Each gets", f"{asked['amount']} USD")],
        found.cost,
        nothing="" if workers else "Nobody is left who has not got exactly this bonus.",
    )


def _bonus(batch: Batch, asked: Asked, actor: str) -> str:
    terms = {"amount": str(asked["amount"]), "reason": asked["reason"]}
    task_ask(kind=TaskKind.BONUS, batch_id=batch.pk, actor=actor, **terms)
    return "Paying the bonus."


def _budget_plan(batch: Batch, asked: Asked) -> Plan:
    before = "none: no limit" if batch.budget is None else f"{batch.budget} USD"
    return Plan(
        [
            ("Budget now", before),
            ("Committed", f"{batch.committed} USD"),
            ("Budget from now on", f"{asked['budget']} USD"),
        ],
        nothing="" if asked["budget"] != batch.budget else "That is the budget already.",
    )


def _budget(batch: Batch, asked: Asked, actor: str) -> str:
    budget_set(batch=batch, budget=asked["budget"], actor=actor)
    return f"The budget is {asked['budget']} USD now."


def _nothing(_batch: Batch) -> dict[str, Any]:
    return {}


#: By their place in the address.
ACTS: Mapping[str, Act] = {
    "extend": Act(
        "Offer for longer",
        "HITs that lack answers stay open, or open again, also if the batch was stopped.",
        "Offer for longer",
        act_forms.ExtendForm,
        lambda batch: {"days": max(1, batch.lifetime_seconds // _DAY)},
        _extend_plan,
        _extend,
    ),
    "more": Act(
        "Ask for further answers",
        "Collects first, then asks again for what is missing, and for more if you say so. Who has "
        "answered a HIT is never asked for it again.",
        "Ask for them",
        act_forms.MoreForm,
        lambda batch: {"assignments": batch.assignments_per_hit},
        _more_plan,
        _more,
    ),
    "round": Act(
        "Ask where the votes differ",
        "The next round of a batch that asks adaptively: further votes only for queries on which "
        "voters differ. Who has voted in the batch is kept out of it.",
        "Publish the round",
        act_forms.NothingToSay,
        _nothing,
        _round_plan,
        _round,
    ),
    "approve": Act(
        "Approve and pay",
        "Pays for every readable answer that nobody has reviewed. What cannot be read waits for a "
        "person, on the page of its worker. Nothing is ever rejected here.",
        "Approve and pay",
        act_forms.ApproveForm,
        lambda _batch: {"feedback": THANKS},
        _approve_plan,
        _approve,
    ),
    "bonus": Act(
        "Pay everybody a bonus",
        "The same amount for everybody who worked on the batch, once each, with the reason that "
        "they read. For one worker alone, see the page of the worker.",
        "Pay the bonus",
        act_forms.BonusForm,
        _nothing,
        _bonus_plan,
        _bonus,
    ),
    "budget": Act(
        "Change the budget",
        "What the batch may cost in all. It cannot fall below what is committed.",
        "Change the budget",
        act_forms.BudgetForm,
        lambda batch: {"budget": batch.budget} if batch.budget else {},
        _budget_plan,
        _budget,
        states=(BatchState.DRAFT, *_OUT),
    ),
}
