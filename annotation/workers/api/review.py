"""Agreement and workers of a batch."""

from typing import Any

from rest_framework import serializers

from annotation.api.access import BatchView
from annotation.api.schema import reading
from annotation.api.serializers import EstimateSerializer, RowSerializer
from annotation.labels.queries.agreement import (
    AgreementByQuestion,
    NamedAgreement,
    batch_agreement,
)
from annotation.schemes import LONGEST_NAME
from metrics.vocabulary import LEVEL, RESAMPLES
from metrics.votes.agreeing import Agreement
from metrics.votes.intervals import LEAST_RESAMPLES, IntervalMethod


class AgreementRequest(serializers.Serializer[Any]):
    question = serializers.CharField(
        default="",
        max_length=LONGEST_NAME,
        help_text="Name of a question with options; left out, each of the batch.",
    )
    strict = serializers.BooleanField(
        default=False, help_text="Majority needs more than half of a query's votes."
    )
    interval = serializers.ChoiceField(
        choices=[(method.value, method.value) for method in IntervalMethod],
        default=IntervalMethod.QUERIES_AND_WORKERS.value,
        help_text="What intervals suppose drawn anew: with `queries`, they hold for these very "
        "workers.",
    )
    resamples = serializers.IntegerField(
        min_value=LEAST_RESAMPLES,
        max_value=10_000,
        default=RESAMPLES,
        help_text="Of the bootstrap over queries alone.",
    )
    level = serializers.FloatField(
        min_value=0.5, max_value=0.999, default=LEVEL, help_text="Of the intervals."
    )
    seed = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, default=0, help_text="Of that bootstrap."
    )


class AgreementSerializer(RowSerializer[Agreement]):
    """Agreement of the voters; `confusion[a][b]` is the share of votes beside a that say b.

    Every coefficient has its interval, for other queries and workers unless `interval` says
    otherwise. An undefined one is null, and a warning says why.
    """

    specific_agreement = serializers.DictField(child=EstimateSerializer())
    per_category_alpha = serializers.DictField(child=EstimateSerializer())
    patterns = serializers.DictField(child=EstimateSerializer())
    confusion = serializers.DictField(child=serializers.DictField(child=EstimateSerializer()))

    class Meta:
        dataclass = Agreement


class NamedAgreementSerializer(AgreementSerializer):
    """Agreement on a question; what is not defined for its kind is null or empty."""

    name = serializers.CharField(help_text="Of the question.")
    kind = serializers.CharField(help_text="Of the question, as its scheme has it.")

    class Meta:
        dataclass = NamedAgreement


class BatchAgreementSerializer(AgreementSerializer):
    """Agreement on each question, or on the one that was named.

    The other members are those of the one that was named, or else of the only one with one answer
    and options in no order; without such a one they are missing.
    """

    questions = NamedAgreementSerializer(many=True)

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for name, field in fields.items():
            field.required = name == "questions"
        return fields

    def to_representation(self, instance: AgreementByQuestion) -> dict[str, Any]:
        summary = AgreementSerializer(instance.summary).data if instance.summary else {}
        questions = NamedAgreementSerializer(instance.questions, many=True).data
        return {**summary, "questions": questions}


class BatchAgreement(BatchView):
    query_shapes = {"GET": AgreementRequest}

    @reading("batch_agreement", BatchAgreementSerializer, parameters=[AgreementRequest])
    def get(self, **_: Any) -> Any:
        """Every coefficient with its interval, and warnings."""
        return batch_agreement(batch=self.batch, **self.query_parameters())
