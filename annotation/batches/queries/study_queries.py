"""Which pooled queries are new to a study: those that no batch has put to annotators yet."""

from collections.abc import Iterable

from django.db.models import Count, Exists, OuterRef

from annotation.models import BatchQuery, Study
from pooling.models import PooledQuery


def queries_in_batches(*, study: Study) -> set[tuple[str, str]]:
    """Id and text of each query of an earlier batch of the study."""
    batched = BatchQuery.objects.filter(batch__study=study, batch__removed_at=None)
    return set(batched.values_list("qid", "text"))


def new_queries_counts(*, pools: Iterable[int]) -> dict[int, int]:
    """How many queries of each of these pools are in no batch of its study: one statement."""
    batched = BatchQuery.objects.filter(
        batch__study=OuterRef("pool__belongs__study"),
        batch__removed_at=None,
        qid=OuterRef("qid"),
        text=OuterRef("text"),
    )
    counted = (
        PooledQuery.objects.filter(~Exists(batched), pool__in=list(pools))
        .order_by()
        .values_list("pool")
        .annotate(n=Count("pk"))
    )
    return dict(counted)
