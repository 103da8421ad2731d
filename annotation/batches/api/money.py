"""Costs of a batch, and its budget."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.api.operation_views import BatchOperationView, does
from annotation.api.schema import reading
from annotation.api.serializers import MoneyField, RowSerializer
from annotation.batches.operations.budget import BUDGET, budget_state
from annotation.batches.queries.costs import (
    BatchCosts,
    PayDistribution,
    batch_costs,
    pay_distribution,
)
from annotation.core.operations import Result
from annotation.core.site_budget import SiteBudget, site_budget
from annotation.core.spent import MarketSpent
from annotation.core.versions import version_of
from annotation.models import Batch


class MarketSpentSerializer(RowSerializer[MarketSpent]):
    """Money that Prolific was paid for the batch, in the workspace's currency, fees included."""

    spent = MoneyField(help_text="Approved participants and bonuses.")

    class Meta:
        dataclass = MarketSpent


class CostsSerializer(RowSerializer[BatchCosts]):
    """The account of a batch, in US dollars; what was paid is shared out over its queries."""

    market = MarketSpentSerializer(
        allow_null=True, help_text="Null unless the batch recruits on Prolific."
    )
    paid = MoneyField()
    left = MoneyField(allow_null=True)
    per_query = MoneyField(max_digits=12, decimal_places=3, allow_null=True)
    per_label = MoneyField(max_digits=12, decimal_places=3, allow_null=True)

    class Meta:
        dataclass = BatchCosts


class PaySpreadSerializer(RowSerializer[PayDistribution]):
    """Hourly pay over the answers of people: its quartiles, and how many earned how much."""

    class Meta:
        dataclass = PayDistribution


class SiteBudgetSerializer(serializers.Serializer[SiteBudget]):
    """Budget of all batches of the batch's environment together; null without a limit."""

    budget = MoneyField(allow_null=True)
    committed = MoneyField()
    left = MoneyField(allow_null=True)


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
    sample={"budget": "500.00"},
)
class BatchMoney(BatchOperationView):
    @reading("batch_costs", MoneySerializer)
    def get(self, **_: Any) -> Any:
        """Amounts paid, due, and still to come, with the pay an hour."""
        return _facts(self.batch)

    def answer(self, _done: Result) -> Response:
        self.batch.refresh_from_db()
        return Response(MoneySerializer(_facts(self.batch)).data)


def _facts(batch: Batch) -> dict[str, Any]:
    return {
        "costs": batch_costs(batch=batch),
        "site": site_budget(environment=batch.environment),
        "pay": pay_distribution(batch=batch),
        "version": version_of(budget_state(batch)),
    }
