"""Serializers that several subjects of the API share."""

from decimal import Decimal
from typing import Any, TypeVar

from django.db.models import Model
from rest_framework import serializers
from rest_framework_dataclasses.serializers import DataclassSerializer
from rest_framework_dataclasses.types import Dataclass

from annotation.models import Task
from metrics.votes.intervals import Estimate

MONEY: dict[str, Any] = {"max_digits": 10, "decimal_places": 2}

Row = TypeVar("Row", bound=Dataclass)
Stored = TypeVar("Stored", bound=Model)


class MoneyField(serializers.DecimalField):
    """US dollars."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**MONEY, **options})


# No docstring: in the document it would describe every serializer without one.
class RowSerializer(DataclassSerializer[Row]):
    serializer_field_mapping = {
        **DataclassSerializer.serializer_field_mapping,
        Decimal: MoneyField,
    }

    @property
    def serializer_dataclass_field(self) -> type[serializers.Field[Any, Any, Any, Any]]:
        return RowSerializer


class NumberedSerializer(serializers.ModelSerializer[Stored]):
    number = serializers.IntegerField(source="pk", read_only=True)


class PairFields(serializers.Serializer[Any]):
    """Id and text of the passage of a pair; a query has neither."""

    docno = serializers.CharField(required=False, help_text="Of a pair: id of its passage.")
    passage = serializers.CharField(required=False, help_text="Of a pair: text of its passage.")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        members: dict[str, Any] = super().to_representation(instance)
        if not members["passage"]:
            del members["docno"], members["passage"]
        return members


class TaskSerializer(NumberedSerializer[Task]):
    result = serializers.DictField(read_only=True)

    class Meta:
        model = Task
        fields = (
            "number", "kind", "state", "batch", "study", "actor", "done", "total", "result",
            "error", "created_at", "started_at", "finished_at",
        )  # fmt: skip
        read_only_fields = fields


class VersionField(serializers.CharField):
    """The version of the state that was seen; without it, the decision holds in any state."""

    def __init__(self, **options: Any) -> None:
        usual: dict[str, Any] = {
            "required": False,
            "allow_null": True,
            "default": None,
            "max_length": 20_000,
            "help_text": "Version of what you saw: if it has changed since, nothing is done (409).",
        }
        super().__init__(**{**usual, **options})


class EstimateSerializer(RowSerializer[Estimate]):
    """A number with its interval, null where it is undefined; a warning says why."""

    class Meta:
        dataclass = Estimate


class TallySerializer(serializers.Serializer[Any]):
    """Number of votes for an option."""

    category = serializers.CharField(help_text="Code of the option, as n.")
    votes = serializers.IntegerField()

    def to_representation(self, instance: tuple[str, int]) -> dict[str, Any]:
        category, votes = instance
        return {"category": category, "votes": votes}
