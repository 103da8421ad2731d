"""Pools: what the lists of the runs brought, and how they overlap."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.api.access import ApiView, PoolView
from annotation.api.schema import listing
from annotation.core.access import pool_study, pools_open_to
from annotation.models import Study
from annotation.vocabulary import Action
from pooling.models import Direction, ListPlace, Pool, PooledQuery
from pooling.selectors import OverlapCell, RunShare, pool_list, pool_page, pooled_queries

_POOL = {
    "number": 1,
    "name": "top500",
    "study": 1,
    "cutoff": 500,
    "rank_cutoff": 10,
    "magnitude": "tf",
    "created_at": "2026-11-21T09:00:00Z",
    "archived_at": None,
}


class PoolSerializer(serializers.ModelSerializer[Pool]):
    """A pool: the first `cutoff` queries of each list, sorted by RaB at `rank_cutoff`."""

    number = serializers.IntegerField(source="pk", read_only=True)
    study = serializers.SerializerMethodField()

    class Meta:
        model = Pool
        fields: tuple[str, ...] = (
            "number",
            "name",
            "study",
            "cutoff",
            "rank_cutoff",
            "magnitude",
            "created_at",
            "archived_at",
        )

    def get_study(self, pool: Pool) -> int | None:
        study = pool_study(pool)
        return study.pk if isinstance(study, Study) else None


class PoolRowSerializer(PoolSerializer):
    """A pool with what was made of it."""

    n_queries = serializers.IntegerField()
    n_batches = serializers.IntegerField()

    class Meta(PoolSerializer.Meta):
        fields: tuple[str, ...] = (*PoolSerializer.Meta.fields, "n_queries", "n_batches")


class RunShareSerializer(DataclassSerializer[RunShare]):
    class Meta:
        dataclass = RunShare


class OverlapSerializer(DataclassSerializer[OverlapCell]):
    class Meta:
        dataclass = OverlapCell


class PoolDetailSerializer(serializers.Serializer[Any]):
    """A pool in numbers; `overlap` is a square of `lists` by `lists`."""

    pool = PoolSerializer()
    n_queries = serializers.IntegerField()
    runs = RunShareSerializer(many=True)
    lists = serializers.ListField(child=serializers.CharField())
    overlap = serializers.ListField(child=OverlapSerializer(many=True))


class PlaceSerializer(serializers.ModelSerializer[ListPlace]):
    """Where a query stood (from 1) in one run's list, and the bias that put it there."""

    place = serializers.IntegerField(source="rank", read_only=True)

    class Meta:
        model = ListPlace
        fields = ("run", "direction", "place", "bias")


class PooledQuerySerializer(serializers.ModelSerializer[PooledQuery]):
    number = serializers.IntegerField(source="pk", read_only=True)
    places = PlaceSerializer(many=True)

    class Meta:
        model = PooledQuery
        fields = ("number", "qid", "text", "best_rank", "places")


class PooledQueryFilter(serializers.Serializer[Any]):
    run = serializers.CharField(default="", help_text="Only what this run brought.")
    direction = serializers.ChoiceField(
        choices=Direction.choices, default="", help_text="Only of this list of the run."
    )
    text = serializers.CharField(default="", help_text="Occurs in the query, or is its id.")


@listing("pools")
class Pools(ApiView, generics.ListAPIView[Pool]):
    """The pools that you may see, the latest first."""

    serializer_class = PoolRowSerializer
    queryset = Pool.objects.none()
    filterset_fields = ("name", "belongs__study")

    def get_queryset(self) -> QuerySet[Pool]:
        opened = pools_open_to(user=self.request.user, action=Action.VIEW)
        return pool_list(pools=opened).select_related("belongs__study")


class PoolDetail(PoolView):
    @extend_schema(operation_id="pool", responses=PoolDetailSerializer)
    def get(self, _request: Request, **_: Any) -> Response:
        """What each run brought to the pool, and how the lists overlap."""
        return Response(PoolDetailSerializer(pool_page(pool=self.pool)).data)


@listing("pool_queries", parameters=[PooledQueryFilter])
class PoolQueries(PoolView, generics.ListAPIView[PooledQuery]):
    """The pooled queries with their places in the lists, best place first."""

    serializer_class = PooledQuerySerializer
    queryset = PooledQuery.objects.none()

    def get_queryset(self) -> QuerySet[PooledQuery]:
        return pooled_queries(pool=self.pool, **self.query_parameters(PooledQueryFilter))
