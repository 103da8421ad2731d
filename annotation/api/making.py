"""What is made of the files of a study in the background: a scored collection, a pool."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import StudyView
from annotation.api.schema import example
from annotation.api.tasks import TaskShape
from annotation.services.study_pooling import PoolTerms, free_pool_name
from annotation.tasks import task_send
from annotation.vocabulary import TaskKind
from metrics.magnitude import MAGNITUDES
from metrics.ranked import Missing
from metrics.tokens import TOKENIZERS


class ScoreAsked(serializers.Serializer[Any]):
    tokenizer = serializers.ChoiceField(choices=list(TOKENIZERS), default="word")


class PoolAsked(serializers.Serializer[Any]):
    """How to pool; without a name the pool is called after the study."""

    name = serializers.CharField(max_length=100, required=False)
    cutoff = serializers.IntegerField(min_value=1, max_value=1_000_000, default=PoolTerms.cutoff)
    rank_cutoff = serializers.IntegerField(
        min_value=1, max_value=1_000_000, default=PoolTerms.rank_cutoff
    )
    magnitude = serializers.ChoiceField(choices=list(MAGNITUDES), default=PoolTerms.magnitude)
    missing = serializers.ChoiceField(choices=list(get_args(Missing)), default=PoolTerms.missing)


class Score(StudyView):
    @extend_schema(
        operation_id="study_score",
        request=ScoreAsked,
        responses={202: TaskShape},
        examples=[example({"tokenizer": "word"})],
    )
    def post(self, _request: Request, **_: Any) -> Response:
        """Score the collection in the background; what was scored before is not scored again."""
        task = task_send(
            kind=TaskKind.SCORE,
            study_id=self.study.pk,
            actor=self.actor,
            **self.given(ScoreAsked),
        )
        return Response(TaskShape(task).data, status=status.HTTP_202_ACCEPTED)


class Pool(StudyView):
    @extend_schema(
        operation_id="study_pool",
        request=PoolAsked,
        responses={202: TaskShape},
        examples=[example({"cutoff": 500, "rank_cutoff": 10})],
    )
    def post(self, _request: Request, **_: Any) -> Response:
        """Pool the queries of the study's runs in the background."""
        terms = {"name": free_pool_name(self.study), **self.given(PoolAsked)}
        task = task_send(kind=TaskKind.POOL, study_id=self.study.pk, actor=self.actor, **terms)
        return Response(TaskShape(task).data, status=status.HTTP_202_ACCEPTED)
