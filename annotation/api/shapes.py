"""What several subjects of the API show."""

from typing import Any

from rest_framework import serializers
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.agreement.aggregation import METHODS
from annotation.agreement.intervals import Estimate
from annotation.vocabulary import TIE, Category, LabelMethod
from metrics.texts.magnitude import MAGNITUDES

MONEY: dict[str, Any] = {"max_digits": 10, "decimal_places": 2}
CATEGORIES = Category.choices
LABELS = [*Category.choices, (TIE, "Tie")]
#: The methods that decide labels; an adjudicator is none.
DECIDING = [(method, LabelMethod(method).label) for method in METHODS]
MAGNITUDE_CHOICES = [(name, name) for name in MAGNITUDES]
#: A qid as it is stored; its bytes matter, so that blanks around it stay.
QID: dict[str, Any] = {"max_length": 200, "trim_whitespace": False}


class VersionField(serializers.CharField):
    """The version of what a decision is about; without it, the decision stands whatever holds."""

    def __init__(self, **options: Any) -> None:
        usual: dict[str, Any] = {
            "required": False,
            "allow_null": True,
            "default": None,
            "max_length": 20_000,
            "help_text": "Of what you saw: if it has changed since, nothing is done (409).",
        }
        super().__init__(**{**usual, **options})


class EstimateShape(DataclassSerializer[Estimate]):
    """A number with its interval, null where it is undefined; a warning says why."""

    class Meta:
        dataclass = Estimate


class TallyShape(serializers.Serializer[Any]):
    """How many votes fell on a category."""

    category = serializers.ChoiceField(choices=CATEGORIES)
    votes = serializers.IntegerField()

    def to_representation(self, instance: tuple[str, int]) -> dict[str, Any]:
        category, votes = instance
        return {"category": category, "votes": votes}


class QueryTextShape(serializers.Serializer[Any]):
    """A query to be labelled; with `gold`, its known category, it checks the workers."""

    qid = serializers.CharField(**QID)
    text = serializers.CharField(max_length=10_000, trim_whitespace=False)
    gold = serializers.ChoiceField(choices=CATEGORIES, required=False, default="")


class ReasonShape(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=1_000)
