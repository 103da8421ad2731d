"""Pools of queries, with the origin of each query."""

from django.db import models
from django.db.models import Q

from pooling.removable import Removable

QID_MAX_LENGTH = 200


class Pool(Removable):
    """The union of the first `cutoff` queries of each list: of each run, one for each group."""

    noun = what = "pool"

    name = models.CharField(max_length=100)
    cutoff = models.PositiveIntegerField(help_text="Queries taken from the top of each list.")
    rank_cutoff = models.PositiveIntegerField(help_text="t of the RaB_t that sorts the lists.")
    magnitude = models.CharField(max_length=10)
    inputs = models.JSONField(
        default=dict, help_text="Names and digests of magnitudes, queries and runs; versions."
    )
    summary = models.JSONField(default=dict, help_text="What build_pool --json prints.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "name")
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=Q(removed_at=None), name="one_pool_per_name"
            ),
            models.CheckConstraint(
                condition=Q(cutoff__gte=1) & Q(rank_cutoff__gte=1), name="pool_cutoffs_positive"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PooledQuery(models.Model):
    """A query of the pool; its places in the lists are its provenance."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="queries")
    qid = models.CharField(max_length=QID_MAX_LENGTH)
    text = models.TextField()
    best_rank = models.PositiveIntegerField(help_text="Best place over all lists, from 1.")
    biases = models.JSONField(
        default=dict,
        db_default={},
        help_text="RaB in each run, by its name, or the bias in each list of more than two groups; "
        "left out where it is undefined.",
    )

    class Meta:
        ordering = ("qid",)
        constraints = [
            models.UniqueConstraint(fields=["pool", "qid"], name="one_pooled_query_per_qid"),
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.text}"


_GENDERS = {"f": "female", "m": "male"}


def group_in_words(group: str) -> str:
    """Name of a group for people: a word list calls female and male ones `f` and `m`."""
    return _GENDERS.get(group, group)


class ListPlace(models.Model):
    """A pooled query's rank (from 1) in one run's list, and the bias that put it there."""

    query = models.ForeignKey(PooledQuery, on_delete=models.CASCADE, related_name="places")
    run = models.CharField(max_length=100)
    direction = models.CharField(
        max_length=31, help_text="Group of words that the list is biased towards."
    )
    rank = models.PositiveIntegerField()
    bias = models.FloatField(
        help_text="RaB of the query in this run; positive is male, or the later one of two other "
        "groups. Of more groups, the bias towards that of the list."
    )

    class Meta:
        ordering = ("run", "direction", "rank")
        constraints = [
            models.UniqueConstraint(
                fields=["query", "run", "direction"], name="one_place_per_query_and_list"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run}:{self.direction}:{self.rank}"

    @property
    def list_in_words(self) -> str:
        return f"Most {group_in_words(self.direction)} first"
