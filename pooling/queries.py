"""Reading stored pools."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from metrics.errors import InputError
from metrics.io.pair_ids import pair_id
from pooling.items import run_and_direction
from pooling.models import ListPlace, Pool, PooledQuery, group_in_words
from pooling.pairs import remarks_on_pairs
from pooling.pool import ties_in_words


def pool_named(name: str) -> Pool:
    """The pool of this name; `InputError` naming those that exist when there is none."""
    try:
        return Pool.objects.get(name=name)
    except Pool.DoesNotExist:
        known = ", ".join(Pool.objects.values_list("name", flat=True)[:10]) or "none"
        raise InputError(f"there is no pool {name!r}.", remedy=f"Pools are {known}.") from None


def pool_name_is_free(name: str) -> bool:
    """Return whether no pool has the name: case alone tells no two names apart."""
    return not Pool.objects.filter(name__iexact=name).exists()


def pool_list(*, pools: QuerySet[Pool] | None = None) -> QuerySet[Pool]:
    """Every pool or those of `pools`, the latest first, with `n_queries` and `n_batches`."""
    # Joined beside the batches, each query would be counted once for each of them.
    queries = PooledQuery.objects.filter(pool=OuterRef("pk")).order_by().values("pool")
    return (
        (Pool.objects.all() if pools is None else pools)
        .annotate(
            n_queries=Coalesce(Subquery(queries.annotate(n=Count("pk")).values("n")), 0),
            n_batches=Count("batches", distinct=True, filter=Q(batches__removed_at=None)),
        )
        .order_by("-created_at", "name")
    )


@dataclass(frozen=True)
class RunShare:
    """Contribution of one run to the pool: queries of its lists, and those of no other run.

    `n_by_group` has the size of its list for each group; the first two are those of `f` and `m`.
    `n_listed` is the size of all its lists: of a pool of pairs the number of its pairs.
    """

    run: str
    n_female: int
    n_male: int
    n_unique: int
    n_by_group: dict[str, int]
    n_listed: int


@dataclass(frozen=True)
class OverlapCell:
    """Pooled queries that the lists in this row and column share; `share` is of the cut-off."""

    first: str
    second: str
    shared: int
    share: float


@dataclass(frozen=True)
class PoolPage:
    """A pool in numbers and as a picture: `overlap` has a row of cells for each of `lists`.

    Of the places in the lists, `n_tied_at_cut` have the bias of a query that was left out, and
    `n_tied_zeros` of these a bias of zero; `ties` says so in words. Of a pool of pairs there are
    `remarks` on its passages, and nothing of bias.
    """

    pool: Pool
    n_queries: int
    runs: list[RunShare]
    groups: list[str]
    lists: list[str]
    overlap: list[list[OverlapCell]]
    n_tied_at_cut: int
    n_tied_zeros: int
    ties: str
    remarks: list[str]

    @property
    def headings(self) -> list[tuple[str, str]]:
        """Each group with a heading for its lists."""
        return [(group, f"Most {group_in_words(group)}") for group in self.groups]

    @property
    def largest_list(self) -> int:
        """Most that two lists can share."""
        return _largest_list(self.pool)

    @property
    def positive(self) -> str:
        """The group that a positive bias leans to, in words; empty with more than two groups."""
        return positive_side(self.groups)


def pool_groups(pool: Pool) -> list[str]:
    """The groups of words that the pool was drawn by, as its lists name them."""
    return sorted({run_and_direction(name)[1] for name in pool.summary["list_sizes"]} - {""})


def positive_side(groups: Sequence[str]) -> str:
    """The group that a positive bias leans to, in words; empty with more than two groups."""
    return group_in_words(groups[1]) if len(groups) == _PAIR else ""


def pool_page(*, pool: Pool) -> PoolPage:
    """Return a pool in numbers; the number of statements does not depend on its queries."""
    sizes = pool.summary["list_sizes"]
    unique = pool.summary.get("unique_to_run", {})
    groups = pool_groups(pool)
    return PoolPage(
        pool=pool,
        n_queries=pool.queries.count(),
        runs=[
            RunShare(
                run,
                sizes.get(f"{run}:f", 0),
                sizes.get(f"{run}:m", 0),
                unique.get(run, 0),
                {group: sizes.get(f"{run}:{group}", 0) for group in groups},
                sum(size for name, size in sizes.items() if run_and_direction(name)[0] == run),
            )
            for run in sorted({run_and_direction(name)[0] for name in sizes})
        ],
        groups=groups,
        lists=sorted(sizes),
        overlap=_overlap(sizes, pool),
        n_tied_at_cut=pool.summary.get("n_tied_at_cut", 0),
        n_tied_zeros=pool.summary.get("n_tied_zeros", 0),
        ties=ties_in_words(pool.summary),
        remarks=list(remarks_on_pairs(pool.summary)),
    )


_PAIR = 2
#: Bits of a number in all databases.
_MOST_LISTS = 62


def shared_by_exactly(*, pool: Pool, most: int = 24) -> list[tuple[frozenset[str], int]]:
    """Count the queries in the most frequent combinations of lists.

    Empty for a pool of more lists than a picture can show.
    """
    if len(pool.summary["list_sizes"]) > _MOST_LISTS:
        return []
    counts = Counter(_with_masks(pool).values_list("mask", flat=True))
    named = [(lists_of_mask(pool=pool, mask=mask), count) for mask, count in counts.items()]
    return sorted(named, key=lambda pair: (-pair[1], sorted(pair[0])))[:most]


def lists_of_mask(*, pool: Pool, mask: int) -> frozenset[str]:
    """Return the lists whose bits `mask` has, in the order of their names."""
    lists = sorted(pool.summary["list_sizes"])
    return frozenset(name for place, name in enumerate(lists) if mask >> place & 1)


def mask_of_lists(*, pool: Pool, lists: frozenset[str]) -> int:
    """Return the mask of a combination of the pool's lists."""
    known = sorted(pool.summary["list_sizes"])
    return sum(1 << place for place, name in enumerate(known) if name in lists)


def _with_masks(pool: Pool) -> Any:
    """Each query of the pool by its number, with the `mask` of the lists that it stands in."""
    # The database adds up a bit for each list: rows of places are many, queries are few.
    lists = map(run_and_direction, sorted(pool.summary["list_sizes"]))
    bits = [
        When(run=run, direction=group, then=Value(1 << place))
        for place, (run, group) in enumerate(lists)
    ]
    by_query = ListPlace.objects.filter(query__pool=pool).order_by().values("query")
    return by_query.annotate(mask=Sum(Case(*bits, output_field=BigIntegerField())))


def _largest_list(pool: Pool) -> int:
    """The cut-off; of pairs, which it is for each query, the size of the longest list."""
    return max(pool.summary["list_sizes"].values(), default=0) if pool.of_pairs else pool.cutoff


def _overlap(sizes: dict[str, int], pool: Pool) -> list[list[OverlapCell]]:
    """The stored overlap, which names each pair once, as a full square."""
    stored = pool.summary.get("overlap", {})
    square, most = [], _largest_list(pool)
    for first in sorted(sizes):
        row = []
        for second in sorted(sizes):
            a, b = sorted((first, second))
            shared = sizes[first] if a == b else stored.get(a, {}).get(b, 0)
            row.append(OverlapCell(first, second, shared, shared / most if most else 0))
        square.append(row)
    return square


def pooled_queries(
    *, pool: Pool, run: str = "", direction: str = "", text: str = "", exactly: int = 0
) -> QuerySet[PooledQuery]:
    """Return the pool's queries with their places, best place first.

    `text` occurs in them, of pairs in the passage, too, or is an id. With `exactly`, only those in
    exactly the lists of this mask.
    """
    queries = PooledQuery.objects.filter(pool=pool)
    if run:
        listed = ListPlace.objects.filter(query__pool=pool, run=run)
        listed = listed.filter(direction=direction) if direction else listed
        queries = queries.filter(pk__in=listed.values("query"))
    if exactly:
        queries = queries.filter(pk__in=_with_masks(pool).filter(mask=exactly).values("query"))
    if text:
        matches = Q(qid=text) | Q(text__icontains=text)
        if pool.of_pairs:
            ids = Q(qid__startswith=pair_id(text, "")) | Q(qid__endswith=pair_id("", text))
            matches |= ids | Q(passage__icontains=text)
        queries = queries.filter(matches)
    return queries.prefetch_related("places").order_by("best_rank", "qid")
