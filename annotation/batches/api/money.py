"""What a batch costs, and what it may cost."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.api.access import BatchView
from annotation.api.operation_views import BatchOperationView, does
from annotation.api.serializers import MONEY
from annotation.batches.operations.budget import BUDGET, budget_state
from annotation.batches.queries.costs import (
    BatchCosts,
    PayBar,
    PayDistribution,
    batch_costs,
    pay_distribution,
)
from annotation.core.operations import Result
from annotation.core.site_budget import SiteBudget, site_budget
from annotation.core.versions import version_of


class CostsSerializer(DataclassSerializer[BatchCosts]):
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


class PayBarSerializer(DataclassSerializer[PayBar]):
    class Meta:
        dataclass = PayBar


class PaySpreadSerializer(DataclassSerializer[PayDistribution]):
    """Hourly pay over the answers of people: its quartiles, and how many earned how much."""

    quartiles = serializers.ListField(child=serializers.DecimalField(**MONEY))
    bars = PayBarSerializer(many=True)

    class Meta:
        dataclass = PayDistribution


class SiteBudgetSerializer(serializers.Serializer[SiteBudget]):
    """What all batches of the batch's environment may cost together; null without a limit."""

    budget = serializers.DecimalField(**MONEY, allow_null=True)
    committed = serializers.DecimalField(**MONEY)
    left = serializers.DecimalField(**MONEY, allow_null=True)


class MoneySerializer(serializers.Serializer[Any]):
    costs = CostsSerializer()
    site = SiteBudgetSerializer()
    pay = PaySpreadSerializer(allow_null=True, help_text="Null where no person's time is known.")
    version = serializers.CharField(help_text="Of the budget, to send with another one.")


@does(
    BUDGET,
    "batch_budget_set",
    method="patch",
    shows=MoneySerializer,
    sent={"budget": "500.00"},
)
class BatchMoney(BatchOperationView):
    @extend_schema(operation_id="batch_costs", responses=MoneySerializer)
    def get(self, _request: Request, **_: Any) -> Response:
        """What was paid, what waits to be paid, what may still come, and how it is per hour."""
        return Response(_shown(self))

    def answer(self, _done: Result) -> Response:
        self.batch.refresh_from_db()
        return Response(_shown(self))


def _shown(view: BatchView) -> Any:
    found = {
        "costs": batch_costs(batch=view.batch),
        "site": site_budget(environment=view.batch.environment),
        "pay": pay_distribution(batch=view.batch, floor=settings.MTURK_HOURLY_FLOOR),
        "version": version_of(budget_state(view.batch)),
    }
    return MoneySerializer(found).data
