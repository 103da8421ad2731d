"""Pools of queries, or of pairs of query and passage, with the origin of each."""

from django.db import models
from django.db.models import Q

from metrics.io.pair_ids import split_pair_id
from metrics.vocabulary import LONGEST_ID, LONGEST_OWN_NAME
from pooling.items import item_noun, list_name
from pooling.removable import Removable


class Pool(Removable):
    """The union of the first `cutoff` queries of each list: of each run, one for each group.

    A pool of pairs is the union of the first `cutoff` passages of each run for each query.
    """

    noun = what = "pool"

    name = models.CharField(max_length=LONGEST_OWN_NAME)
    of_pairs = models.BooleanField(
        default=False, db_default=False, help_text="Has pairs of query and passage, not queries."
    )
    cutoff = models.PositiveIntegerField(
        help_text="Queries taken from the top of each list; of pairs, passages of each query."
    )
    rank_cutoff = models.PositiveIntegerField(
        default=1, help_text="t of the RaB_t that sorts the lists; of pairs, 1."
    )
    magnitude = models.CharField(max_length=10, blank=True)
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

    @property
    def item_noun(self) -> str:
        """Noun of what the pool has."""
        return item_noun(of_pairs=self.of_pairs)


class PooledQuery(models.Model):
    """A query of the pool, or a pair; its places in the lists are its provenance."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="queries")
    qid = models.CharField(max_length=LONGEST_ID, help_text="Of a pair, its `pair_id`.")
    text = models.TextField()
    passage = models.TextField(blank=True, db_default="", help_text="Text of a pair's passage.")
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

    @property
    def docno(self) -> str:
        """Id of the pair's passage; empty of a query."""
        return split_pair_id(self.qid)[1] if self.passage else ""

    @property
    def query_id(self) -> str:
        """Id of the query, of a pair of its query alone."""
        return split_pair_id(self.qid)[0] if self.passage else self.qid


_GENDERS = {"f": "female", "m": "male"}


def group_in_words(group: str) -> str:
    """Name of a group for people: a word list calls female and male ones `f` and `m`."""
    return _GENDERS.get(group, group)


class ListPlace(models.Model):
    """A pooled query's rank (from 1) in one run's list, and the bias that put it there.

    A pair's rank is that of the passage in the run's ranking for the query.
    """

    query = models.ForeignKey(PooledQuery, on_delete=models.CASCADE, related_name="places")
    run = models.CharField(max_length=LONGEST_OWN_NAME)
    direction = models.CharField(
        max_length=31,
        blank=True,
        help_text="Group of words that the list is biased towards; empty of pairs.",
    )
    rank = models.PositiveIntegerField()
    bias = models.FloatField(
        null=True,
        help_text="RaB of the query in this run; positive is male, or the later one of two other "
        "groups. Of more groups, the bias towards that of the list. None of pairs.",
    )

    class Meta:
        ordering = ("run", "direction", "rank")
        constraints = [
            models.UniqueConstraint(
                fields=["query", "run", "direction"], name="one_place_per_query_and_list"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.list_name}:{self.rank}"

    @property
    def list_name(self) -> str:
        return list_name(self.run, self.direction)

    @property
    def list_in_words(self) -> str:
        return f"Most {group_in_words(self.direction)} first"
