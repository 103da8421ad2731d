"""The scheme of a batch and its results."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from annotation.api.access import BatchView
from annotation.api.schema import REFUSAL, file_of, reading
from annotation.api.serializers import EstimateSerializer, RowSerializer
from annotation.labels.by_question import SchemeResults, marking
from annotation.labels.queries.scheme_files import scheme_file
from annotation.labels.queries.scheme_results import scheme_results
from annotation.web.downloads import download_lines
from annotation.web.pages import found_or_404
from metrics.votes.agreement import Agreement


class QuestionAgreementSerializer(RowSerializer[Agreement]):
    """Agreement on one question, as before `/agreement/` had each; null where it is not defined."""

    alpha = EstimateSerializer(source="krippendorff_alpha")
    ac1 = serializers.FloatField(source="gwet_ac1.value", allow_null=True)
    raw = serializers.FloatField(source="raw_agreement.value", allow_null=True)
    by_option = serializers.SerializerMethodField()
    n_answers = serializers.IntegerField(source="n_votes")

    class Meta:
        dataclass = Agreement
        # Without it this would take the name, and the members, of the answer of `/agreement/`.
        ref_name = "QuestionAgreement"
        fields = (
            "coefficient", "alpha", "ac1", "raw", "by_option", "warnings", "n_queries", "n_answers",
            "n_workers", "n_options",
        )  # fmt: skip

    @extend_schema_field(serializers.DictField(child=serializers.FloatField(allow_null=True)))
    def get_by_option(self, agreement: Agreement) -> dict[str, float | None]:
        return marking(agreement)


class QuestionResultSerializer(serializers.Serializer[Any]):
    """One closed question of the scheme."""

    name = serializers.CharField(source="question.name")
    kind = serializers.CharField(source="question.kind")
    agreement = QuestionAgreementSerializer()
    n_cannot_tell = serializers.IntegerField(source="agreement.n_cannot_tell")
    n_decided = serializers.IntegerField()
    n_undecided = serializers.IntegerField()


class SchemeResultsSerializer(serializers.Serializer[Any]):
    """The scheme, agreement and decisions by question, and the subset that measures run on."""

    scheme = serializers.SerializerMethodField()
    questions = QuestionResultSerializer(many=True)
    subset = serializers.CharField(source="scheme.subset.words")
    n_in_subset = serializers.SerializerMethodField()
    n_queries = serializers.SerializerMethodField()
    n_workers = serializers.IntegerField()

    def get_scheme(self, results: SchemeResults) -> dict[str, Any]:
        return results.scheme.as_json()

    def get_n_in_subset(self, results: SchemeResults) -> int:
        return len(results.subset)

    def get_n_queries(self, results: SchemeResults) -> int:
        return len(results.queries)


class BatchScheme(BatchView):
    @reading("batch_scheme", SchemeResultsSerializer)
    def get(self, **_: Any) -> Any:
        """The questions of the batch, with agreement and decisions."""
        return scheme_results(batch=self.batch)


class BatchSchemeFile(BatchView):
    @extend_schema(
        operation_id="batch_scheme_file",
        responses=file_of("text/csv", "`votes`, `labels`, `texts` or `quality`.")
        | file_of("text/tab-separated-values", "`subset`: id and text of its queries.")
        | file_of("application/yaml", "`scheme`.")
        | REFUSAL,
    )
    def get(self, _request: Request, *, file: str, **_: Any) -> HttpResponseBase:
        """Votes under pseudonyms, labels, free texts, workers' quality, the subset, the scheme."""
        return download_lines(*found_or_404(scheme_file, batch=self.batch, file=file))
