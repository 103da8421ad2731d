"""Pooled queries that are new to a study: those in no batch yet."""

from collections.abc import Iterable

from django.db.models import Count, Exists, OuterRef

from annotation.models import Batch, BatchQuery, Study
from annotation.schemes import Scheme
from pooling.models import PooledQuery


def queries_asked(*, study: Study, scheme: Scheme) -> set[tuple[str, str, str]]:
    """Id and texts of each query of an earlier batch of the study that asks the same questions.

    Schemes are identified by the names of their questions, whatever their texts.
    """
    names = [question.name for question in scheme.questions]
    same = [
        batch.pk
        for batch in Batch.objects.filter(study=study, removed_at=None)
        if [question.name for question in batch.scheme.questions] == names
    ]
    queries = BatchQuery.objects.filter(batch__in=same)
    return set(queries.values_list("qid", "text", "passage"))


def new_queries_counts(*, pools: Iterable[int]) -> dict[int, int]:
    """Count, for each pool, the queries in no batch of its study, in one statement."""
    batched = BatchQuery.objects.filter(
        batch__study=OuterRef("pool__belongs__study"),
        batch__removed_at=None,
        qid=OuterRef("qid"),
        text=OuterRef("text"),
        passage=OuterRef("passage"),
    )
    counted = (
        PooledQuery.objects.filter(~Exists(batched), pool__in=list(pools))
        .order_by()
        .values_list("pool")
        .annotate(n=Count("pk"))
    )
    return dict(counted)
