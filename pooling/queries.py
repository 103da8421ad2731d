"""Reading stored pools."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from metrics.errors import InputError
from pooling.models import Direction, ListPlace, Pool, PooledQuery
from pooling.pool import ties_in_words


def pool_named(name: str) -> Pool:
    """The pool of this name; `InputError` naming those that exist when there is none."""
    try:
        return Pool.objects.get(name=name)
    except Pool.DoesNotExist:
        known = ", ".join(Pool.objects.values_list("name", flat=True)[:10]) or "none"
        raise InputError(f"no pool is named {name!r}.", remedy=f"There is: {known}.") from None


def pool_name_is_free(name: str) -> bool:
    return not Pool.objects.filter(name=name).exists()


def pool_list(*, pools: QuerySet[Pool] | None = None) -> QuerySet[Pool]:
    """Every pool or those of `pools`, the latest first, with `n_queries` and `n_batches`."""
    return (
        (Pool.objects.all() if pools is None else pools)
        .annotate(
            n_queries=Count("queries", distinct=True),
            n_batches=Count("batches", distinct=True, filter=Q(batches__removed_at=None)),
        )
        .order_by("-created_at", "name")
    )


@dataclass(frozen=True)
class RunShare:
    """Contribution of one run to the pool: queries of its two lists, and those of no other run."""

    run: str
    n_female: int
    n_male: int
    n_unique: int


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
    `n_tied_zeros` of these a bias of zero; `ties` says so in words.
    """

    pool: Pool
    n_queries: int
    runs: list[RunShare]
    lists: list[str]
    overlap: list[list[OverlapCell]]
    n_tied_at_cut: int
    n_tied_zeros: int
    ties: str

    @property
    def label_width(self) -> int:
        """Room in pixels for the names of the lists beside the picture."""
        return min(210, 20 + 7 * max(map(len, self.lists), default=0))


def pool_page(*, pool: Pool) -> PoolPage:
    """Which run brought what; the statements do not depend on the number of queries."""
    sizes = pool.summary["list_sizes"]
    unique = pool.summary.get("unique_to_run", {})
    return PoolPage(
        pool=pool,
        n_queries=pool.queries.count(),
        runs=[
            RunShare(
                run,
                sizes.get(f"{run}:{Direction.FEMALE}", 0),
                sizes.get(f"{run}:{Direction.MALE}", 0),
                unique.get(run, 0),
            )
            for run in sorted({name.rpartition(":")[0] for name in sizes})
        ],
        lists=sorted(sizes),
        overlap=_overlap(sizes, pool),
        n_tied_at_cut=pool.summary.get("n_tied_at_cut", 0),
        n_tied_zeros=pool.summary.get("n_tied_zeros", 0),
        ties=ties_in_words(pool.summary),
    )


def _overlap(sizes: dict[str, int], pool: Pool) -> list[list[OverlapCell]]:
    """The stored overlap, which names each pair once, as a full square."""
    stored = pool.summary.get("overlap", {})
    square = []
    for first in sorted(sizes):
        row = []
        for second in sorted(sizes):
            a, b = sorted((first, second))
            shared = sizes[first] if a == b else stored.get(a, {}).get(b, 0)
            row.append(OverlapCell(first, second, shared, shared / pool.cutoff))
        square.append(row)
    return square


def pooled_queries(
    *, pool: Pool, run: str = "", direction: str = "", text: str = ""
) -> QuerySet[PooledQuery]:
    """The pool's queries with their places at hand, best place first."""
    queries = PooledQuery.objects.filter(pool=pool)
    if run:
        listed = ListPlace.objects.filter(query__pool=pool, run=run)
        listed = listed.filter(direction=direction) if direction else listed
        queries = queries.filter(pk__in=listed.values("query"))
    if text:
        queries = queries.filter(Q(qid=text) | Q(text__icontains=text))
    return queries.prefetch_related("places").order_by("best_rank", "qid")
