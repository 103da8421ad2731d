"""Samples drawn from pools: their queries, designs, and the biases of every query of a pool."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.models import DrawnSample
from pooling.models import Pool, PooledQuery

#: Fewest labels for a useful interval.
LEAST_DRAWN = 10


@dataclass(frozen=True)
class SampleRow:
    """A sample with the number of its queries, those of samples that it continues included."""

    sample: DrawnSample
    n_queries: int
    n_in_all: int


def pool_samples(*, pool: Pool) -> list[SampleRow]:
    """The samples drawn from a pool that are not removed, the first one first."""
    rows = DrawnSample.objects.filter(parent=pool, pool__removed_at=None)
    return [sample_row(sample) for sample in rows.select_related("pool").order_by("pk")]


def sample_row(sample: DrawnSample) -> SampleRow:
    return SampleRow(sample, sample.pool.queries.count(), len(drawn_ids(sample)))


def drawn_ids(sample: DrawnSample) -> frozenset[str]:
    """The ids of its queries, and of those of the samples that it continues."""
    drawn = PooledQuery.objects.filter(pool__drawn__in=sample.parts)
    return frozenset(drawn.values_list("qid", flat=True))


def biases_of(queries: Sequence[PooledQuery]) -> dict[str, NDArray[np.float64]]:
    """The bias of each query in each run; NaN where it is undefined."""
    runs = {run for query in queries for run in query.biases}
    return {
        run: np.array([query.biases.get(run, np.nan) for query in queries]) for run in sorted(runs)
    }
