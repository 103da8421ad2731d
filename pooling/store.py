"""Writing pools."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from metrics.errors import InputError
from metrics.vocabulary import LONGEST_ID
from pooling import models
from pooling.items import check_texts
from pooling.pool import Pool
from pooling.queries import pool_name_is_free

_ROWS_AT_ONCE = 5_000


@transaction.atomic
def pool_build(
    *,
    name: str,
    pool: Pool,
    texts: Mapping[str, str],
    inputs: dict[str, Any],
    summary: dict[str, Any],
    magnitude: str = "",
    rank_cutoff: int = 1,
    biases: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
    passages: Mapping[str, str] = MappingProxyType({}),
) -> models.Pool:
    """Store a pool with the text and the places of its queries, whole or not at all.

    `biases[qid][run]` are the RaB of its queries in the runs, where they are known. In a pool of
    pairs all ids are those of pairs, and `passages` has the texts of their passages.
    """
    if not name.strip() or not name.isprintable() or "/" in name:
        raise InputError(
            f"{name!r} is not a name for a pool.",
            remedy="Use printable characters without a slash.",
        )
    if not pool_name_is_free(name):
        raise InputError(f"a pool named {name!r} exists.", remedy="Choose another name.")
    _check_lengths(pool, texts, passages)
    stored = models.Pool(
        name=name,
        of_pairs=pool.of_pairs,
        cutoff=pool.cutoff,
        rank_cutoff=rank_cutoff,
        magnitude=magnitude,
        inputs=inputs,
        summary=summary,
    )
    try:
        stored.full_clean()
    except ValidationError as error:
        raise InputError(f"the pool cannot be stored: {' '.join(error.messages)}") from error
    stored.save()
    queries = models.PooledQuery.objects.bulk_create(
        (
            models.PooledQuery(
                pool=stored,
                qid=query.qid,
                text=texts[query.qid],
                passage=passages[query.qid] if pool.of_pairs else "",
                best_rank=query.best_rank,
                biases=biases.get(query.qid, {}),
            )
            for query in pool.queries
        ),
        batch_size=_ROWS_AT_ONCE,
    )
    models.ListPlace.objects.bulk_create(
        (
            models.ListPlace(
                query=row,
                run=place.run,
                direction=place.direction,
                rank=place.rank,
                bias=place.bias,
            )
            for row, query in zip(queries, pool.queries, strict=True)
            for place in query.places
        ),
        batch_size=_ROWS_AT_ONCE,
    )
    return stored


def _check_lengths(pool: Pool, texts: Mapping[str, str], passages: Mapping[str, str]) -> None:
    """Check ids and texts: bulk inserts do not validate, and SQLite accepts what is too long."""
    for query in pool.queries:
        if len(query.qid) > LONGEST_ID:
            raise InputError(
                f"the query id {query.qid[:40]!r}... has more than {LONGEST_ID} characters.",
                remedy="Use shorter ids in the queries and the runs.",
            )
        check_texts(query.qid, texts[query.qid], passages.get(query.qid, ""))
