"""What a batch costs, and what it may cost."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.api.access import BatchView
from annotation.api.schema import example
from annotation.api.shapes import MONEY
from annotation.selectors.costs import (
    BatchCosts,
    PayBar,
    PayDistribution,
    batch_costs,
    pay_distribution,
)
from annotation.services.money import budget_set


class CostsShape(DataclassSerializer[BatchCosts]):
    """The account of a batch, in US dollars; what was paid is shared out over its queries."""

    rewards = serializers.DecimalField(**MONEY)
    fees = serializers.DecimalField(**MONEY)
    bonuses = serializers.DecimalField(**MONEY)
    waiting = serializers.DecimalField(**MONEY)
    owed = serializers.DecimalField(**MONEY)
    committed = serializers.DecimalField(**MONEY)
    budget = serializers.DecimalField(**MONEY, allow_null=True)
    paid = serializers.DecimalField(**MONEY)
    left = serializers.DecimalField(**MONEY, allow_null=True)
    per_query = serializers.DecimalField(max_digits=12, decimal_places=3, allow_null=True)
    per_label = serializers.DecimalField(max_digits=12, decimal_places=3, allow_null=True)

    class Meta:
        dataclass = BatchCosts


class PayBarShape(DataclassSerializer[PayBar]):
    class Meta:
        dataclass = PayBar


class PaySpreadShape(DataclassSerializer[PayDistribution]):
    """Hourly pay over the answers of people: its quartiles, and how many earned how much."""

    quartiles = serializers.ListField(child=serializers.DecimalField(**MONEY))
    bars = PayBarShape(many=True)

    class Meta:
        dataclass = PayDistribution


class MoneyShape(serializers.Serializer[Any]):
    costs = CostsShape()
    pay = PaySpreadShape(allow_null=True, help_text="Null where no person's time is known.")


class BudgetShape(serializers.Serializer[Any]):
    budget = serializers.DecimalField(**MONEY, min_value=0, help_text="USD, fees included.")


class BatchMoney(BatchView):
    @extend_schema(operation_id="batch_costs", responses=MoneyShape)
    def get(self, _request: Request, **_: Any) -> Response:
        """What was paid, what waits to be paid, what may still come, and how it is per hour."""
        return Response(_shown(self))

    @extend_schema(
        operation_id="batch_budget_set",
        request=BudgetShape,
        responses=MoneyShape,
        examples=[example({"budget": "500.00"})],
    )
    def patch(self, _request: Request, **_: Any) -> Response:
        """Change what the batch may cost in all; never below what is committed."""
        budget_set(batch=self.batch, actor=self.actor, **self.given(BudgetShape))
        self.batch.refresh_from_db()
        return Response(_shown(self))


def _shown(view: BatchView) -> Any:
    found = {
        "costs": batch_costs(batch=view.batch),
        "pay": pay_distribution(batch=view.batch, floor=settings.MTURK_HOURLY_FLOOR),
    }
    return MoneyShape(found).data
