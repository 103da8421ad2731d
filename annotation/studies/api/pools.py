"""Pools: the contributions of the runs' lists, and their overlap."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import generics, serializers

from annotation.api.access import ApiView, PoolView, as_problems
from annotation.api.schema import listing, reading
from annotation.api.serializers import NumberedSerializer, PairFields, RowSerializer
from annotation.core.access import pools_open_to
from annotation.core.names_sent import chosen
from annotation.vocabulary import Action
from pooling.models import ListPlace, Pool, PooledQuery
from pooling.queries import OverlapCell, RunShare, pool_groups, pool_list, pool_page, pooled_queries

_POOL = {
    "number": 1,
    "name": "top500",
    "study": 1,
    "of_pairs": False,
    "cutoff": 500,
    "rank_cutoff": 10,
    "magnitude": "tf",
    "created_at": "2026-11-21T09:00:00Z",
    "archived_at": None,
}


class PoolSerializer(NumberedSerializer[Pool]):
    """A pool: the first `cutoff` queries of each list, sorted by RaB at `rank_cutoff`.

    One `of_pairs` has the first `cutoff` passages of each run for each query, and no magnitude.
    """

    study = serializers.IntegerField(source="belongs.study_id", read_only=True)

    class Meta:
        model = Pool
        fields: tuple[str, ...] = (
            "number",
            "name",
            "study",
            "of_pairs",
            "cutoff",
            "rank_cutoff",
            "magnitude",
            "created_at",
            "archived_at",
        )


class PoolRowSerializer(PoolSerializer):
    """A pool with its batches and samples."""

    n_queries = serializers.IntegerField()
    n_batches = serializers.IntegerField()

    class Meta(PoolSerializer.Meta):
        fields: tuple[str, ...] = (*PoolSerializer.Meta.fields, "n_queries", "n_batches")


class PoolDetailSerializer(serializers.Serializer[Any]):
    """A pool in numbers; `overlap` is a square of `lists` by `lists`.

    Nothing but the order of ids put `n_tied_at_cut` places into the lists, `n_tied_zeros` of them
    between queries with a bias of zero; `ties` says so in words, or is empty. Of a pool of pairs
    the lists are its runs, and `remarks` tell about its passages.
    """

    pool = PoolSerializer()
    n_queries = serializers.IntegerField()
    runs = RowSerializer[RunShare](dataclass=RunShare, many=True)
    groups = serializers.ListField(child=serializers.CharField())
    lists = serializers.ListField(child=serializers.CharField())
    overlap = serializers.ListField(
        child=RowSerializer[OverlapCell](dataclass=OverlapCell, many=True)
    )
    n_tied_at_cut = serializers.IntegerField()
    n_tied_zeros = serializers.IntegerField()
    ties = serializers.CharField()
    remarks = serializers.ListField(child=serializers.CharField())


class PlaceSerializer(serializers.ModelSerializer[ListPlace]):
    """Where a query stood (from 1) in one run's list, and the bias that put it there.

    Of a pair, the rank of its passage; the direction is empty, and the bias null.
    """

    place = serializers.IntegerField(source="rank", read_only=True)

    class Meta:
        model = ListPlace
        fields = ("run", "direction", "place", "bias")


class PooledQuerySerializer(PairFields, NumberedSerializer[PooledQuery]):
    """A query, or a pair, whose `qid` is both ids with a blank between."""

    places = PlaceSerializer(many=True)

    class Meta:
        model = PooledQuery
        fields = ("number", "qid", "docno", "text", "passage", "best_rank", "places")


class PooledQueryFilter(serializers.Serializer[Any]):
    run = serializers.CharField(default="", help_text="Only what this run brought.")
    direction = serializers.CharField(
        default="", max_length=31, help_text="Only of the list of this group: f, m or another one."
    )
    text = serializers.CharField(
        default="", help_text="Occurs in the query or its passage, or is an id."
    )


@listing("pools", PoolRowSerializer, Pool)
class Pools(ApiView, generics.ListAPIView[Pool]):
    """The pools that you may see, the latest first."""

    filterset_fields = ("name", "belongs__study")

    def get_queryset(self) -> QuerySet[Pool]:
        opened = pools_open_to(user=self.request.user, action=Action.VIEW)
        return pool_list(pools=opened).select_related("belongs__study")


class PoolDetail(PoolView):
    @reading("pool", PoolDetailSerializer)
    def get(self, **_: Any) -> Any:
        """Contribution of each run to the pool, and overlap of the lists."""
        return pool_page(pool=self.pool)


@listing("pool_queries", PooledQuerySerializer, PooledQuery, parameters=[PooledQueryFilter])
class PoolQueries(PoolView, generics.ListAPIView[PooledQuery]):
    """The pooled queries with their places in the lists, best place first."""

    def get_queryset(self) -> QuerySet[PooledQuery]:
        filters = self.query_parameters()
        with as_problems():
            chosen(filters, "direction", pool_groups(self.pool))
        return pooled_queries(pool=self.pool, **filters)
