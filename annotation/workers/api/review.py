"""Agreement and workers of a batch."""

from typing import Any

from rest_framework import serializers

from annotation.api.access import BatchView
from annotation.api.schema import reading
from annotation.api.serializers import EstimateSerializer, RowSerializer
from annotation.core.parameters import serializer_of
from annotation.labels.queries.agreement import (
    AgreementByQuestion,
    AgreementParameters,
    NamedAgreement,
    batch_agreement,
)
from metrics.votes.agreement import Agreement


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
    query_shapes = {"GET": serializer_of(AgreementParameters)}

    @reading(
        "batch_agreement", BatchAgreementSerializer, parameters=[serializer_of(AgreementParameters)]
    )
    def get(self, **_: Any) -> Any:
        """Every coefficient with its interval, and warnings."""
        return batch_agreement(batch=self.batch, parameters=self.query_parameters())
