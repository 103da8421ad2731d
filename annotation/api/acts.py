"""What is done to a batch in the background: asked for here, with its cost before it is agreed to.

Asking twice for what is not done yet makes one task, so that a call may be repeated.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar, TypeVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.api.access import BatchView
from annotation.api.schema import example
from annotation.api.shapes import DECIDING, MONEY
from annotation.api.tasks import TaskShape
from annotation.services.bonuses import bonus_assignments
from annotation.services.extending import hits_lacking_answers
from annotation.services.outlook import (
    Outlook,
    outlook_of_approval,
    outlook_of_bonus,
    outlook_of_more,
    outlook_of_round,
)
from annotation.services.preflight import cost_to_come, hits_unpublished_count
from annotation.tasks import task_ask
from annotation.vocabulary import BatchState, Environment, TaskKind
from metrics.errors import InputError

_OUT = (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.STOPPED)
_CENT = Decimal("0.01")
AnyAct = TypeVar("AnyAct", bound="type[Act]")


class OutlookShape(DataclassSerializer[Outlook]):
    """What the act would do and cost, in US dollars with fees. Nothing is done."""

    cost = serializers.DecimalField(**MONEY)

    class Meta:
        dataclass = Outlook


class ActShape(serializers.Serializer[Any]):
    """What every act understands."""

    dry_run = serializers.BooleanField(
        default=False, help_text="Do nothing; answer with what it would do and cost."
    )
    agreed = serializers.DecimalField(
        **MONEY,
        default=None,
        allow_null=True,
        help_text="On Mechanical Turk, real money: the cost that `dry_run` tells.",
    )


class CollectShape(ActShape):
    approve = serializers.BooleanField(default=False, help_text="Pay for what can be read, too.")


class LabelActShape(ActShape):
    method = serializers.ChoiceField(choices=DECIDING, default="majority")
    strict = serializers.BooleanField(
        default=False, help_text="Majority needs more than half of a query's votes."
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)


class ExtendShape(ActShape):
    until = serializers.DateTimeField(help_text="Within the next 365 days.")


class MoreShape(ActShape):
    assignments = serializers.IntegerField(
        min_value=1,
        max_value=1_000,
        required=False,
        help_text="Answers to each HIT, in all; left out, only what is missing is asked for.",
    )


class ApproveShape(ActShape):
    feedback = serializers.CharField(
        max_length=1_024, default="Thank you.", help_text="What workers read."
    )


class BonusShape(ActShape):
    amount = serializers.DecimalField(max_digits=8, decimal_places=2, min_value=_CENT)
    reason = serializers.CharField(max_length=500, help_text="What workers read.")


def act(operation_id: str, **sent: Any) -> Callable[[AnyAct], AnyAct]:
    """Documents the `post` of an act, with an example of what is sent."""

    def decorate(view: AnyAct) -> AnyAct:
        documented = extend_schema(
            operation_id=operation_id,
            request=view.shape,
            responses={202: TaskShape, 200: OutlookShape},
            description=view.__doc__,
            examples=[example(sent)],
        )
        return extend_schema_view(post=documented)(view)

    return decorate


class Act(BatchView):
    """One kind of task; `states` are those of a batch that it makes sense for."""

    kind: ClassVar[TaskKind]
    shape: ClassVar[type[ActShape]] = ActShape
    states: ClassVar[tuple[str, ...]] = _OUT

    def post(self, _request: Request, **_: Any) -> Response:
        asked = self.given(self.shape)
        dry_run, agreed = asked.pop("dry_run"), asked.pop("agreed")
        if self.batch.state not in self.states:
            told = self.batch.get_state_display().lower()
            raise InputError(f"the batch is {told}: this makes no sense for it.")
        outlook = self.outlook(**asked)
        if dry_run:
            return Response(OutlookShape(outlook).data)
        self._check_agreed(agreed, outlook.cost)
        arguments = self.arguments(**asked)
        task = task_ask(kind=self.kind, batch_id=self.batch.pk, actor=self.actor, **arguments)
        return Response(TaskShape(task).data, status=status.HTTP_202_ACCEPTED)

    def outlook(self, **_asked: Any) -> Outlook:
        """What the act would do and cost."""
        return Outlook(0, 0, Decimal(0))

    def arguments(self, **asked: Any) -> dict[str, Any]:
        """What the task needs to know, as JSON keeps it."""
        return asked

    def _check_agreed(self, agreed: Decimal | None, cost: Decimal) -> None:
        if self.batch.environment == Environment.PRODUCTION and cost and agreed != cost:
            raise InputError(
                f"this spends {cost} USD of real money, and that was not agreed to.",
                remedy=f'Send "agreed": "{cost}" to agree.',
            )


@act("batch_publish", dry_run=True)
class Publish(Act):
    """Publish every HIT that is not published yet, within the budget."""

    kind = TaskKind.PUBLISH
    states = (BatchState.DRAFT, BatchState.PUBLISHING, BatchState.PUBLISHED)

    def outlook(self, **_asked: Any) -> Outlook:
        number = hits_unpublished_count(self.batch)
        answers = number * self.batch.assignments_per_hit
        return Outlook(answers, number, cost_to_come(self.batch))


@act("batch_collect", approve=True)
class Collect(Act):
    """Fetch what workers handed in; doing it twice changes nothing."""

    kind = TaskKind.COLLECT
    shape = CollectShape

    def outlook(self, **asked: Any) -> Outlook:
        """What can be read and waits for a review now; what comes in is paid as well."""
        nothing = Outlook(0, 0, Decimal(0))
        return outlook_of_approval(batch=self.batch) if asked["approve"] else nothing


@act("batch_stop")
class Stop(Act):
    """Offer nothing of the batch any more; what was accepted may still be handed in."""

    kind = TaskKind.EXPIRE
    states = (BatchState.DRAFT, *_OUT)


@act("batch_label", method="dawid_skene")
class Label(Act):
    """Decide every label by a method, in the background."""

    kind = TaskKind.LABEL
    shape = LabelActShape
    states = tuple(BatchState.values)


@act("batch_extend", until="2026-12-24T18:00:00Z")
class Extend(Act):
    """Offer the HITs that lack answers for longer, also if the batch was stopped."""

    kind = TaskKind.EXTEND
    shape = ExtendShape

    def outlook(self, **_asked: Any) -> Outlook:
        return Outlook(0, hits_lacking_answers(batch=self.batch).count(), Decimal(0))

    def arguments(self, **asked: Any) -> dict[str, Any]:
        return {"until": asked["until"].isoformat()}


@act("batch_top_up", assignments=5, dry_run=True)
class TopUp(Act):
    """Collect, then ask again for what is missing, and for more if you say so."""

    kind = TaskKind.TOP_UP
    shape = MoreShape

    def outlook(self, **asked: Any) -> Outlook:
        assignments = asked.get("assignments", self.batch.assignments_per_hit)
        return outlook_of_more(batch=self.batch, assignments=assignments)


@act("batch_ask", dry_run=True)
class Ask(Act):
    """The next round of a batch that asks adaptively: more votes where voters differ."""

    kind = TaskKind.ASK

    def outlook(self, **_asked: Any) -> Outlook:
        return outlook_of_round(batch=self.batch)


@act("batch_approve", feedback="Thank you.")
class Approve(Act):
    """Pay for every readable answer that nobody has reviewed. Nothing is ever rejected here."""

    kind = TaskKind.APPROVE
    shape = ApproveShape

    def outlook(self, **_asked: Any) -> Outlook:
        return outlook_of_approval(batch=self.batch)


@act("batch_bonus", amount="0.50", reason="It took longer than we had said.", dry_run=True)
class Bonus(Act):
    """Pay everybody who worked on the batch the same bonus, once each."""

    kind = TaskKind.BONUS
    shape = BonusShape

    def outlook(self, **asked: Any) -> Outlook:
        amount, reason = asked["amount"], asked["reason"]
        workers = bonus_assignments(batch_id=self.batch.pk, amount=amount, reason=reason)
        return outlook_of_bonus(n_workers=len(workers), amount=amount)

    def arguments(self, **asked: Any) -> dict[str, Any]:
        return {"amount": str(asked["amount"]), "reason": asked["reason"]}


@act("batch_bundle_make")
class MakeBundle(Act):
    """Write everything that the numbers of the batch follow from into one zip."""

    kind = TaskKind.BUNDLE
    states = tuple(BatchState.values)
