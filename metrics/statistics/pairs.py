"""Figures of judged pairs of query and document, for all queries like those of the pool."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .figure import Figure, student, too_few, withheld
from .samples import Sample


def of_population(
    figure: Figure, sample: Sample, queries: NDArray[np.int64], n_queries: int
) -> Figure:
    """The mean over pairs, with an interval for all queries that those of the pool are a sample of.

    `figure`: of the pool, by `mean`; `sample`: its pairs, drawn one by one; `queries`: the place of
    each pair's query among `n_queries`. Pairs of a query are not draws of their own: the variance
    is that of what each query adds to the estimate, which holds how pairs were drawn and how
    queries differ.
    """
    inverse = np.zeros(sample.pool)
    inverse[sample.rows] = 1 / (
        np.ones(sample.n) if sample.chances is None else sample.chances[sample.rows]
    )
    off = np.zeros(sample.pool)
    off[sample.rows] = sample.outcomes - figure.weight * sample.belief[sample.rows]
    total = inverse.sum()
    middle = float((inverse * off).sum() / total)
    added = figure.weight * sample.belief + middle
    added += inverse * (off - middle) * (sample.pool / total)
    by_query = np.bincount(queries, added, minlength=n_queries) * n_queries / sample.pool
    variance = float(by_query.var(ddof=1)) / n_queries if n_queries > 1 else np.nan
    drawn = off[sample.rows]
    is_tuned = figure.weight > 0
    fitted = (sample.n - 1) / (sample.n - 2) if is_tuned else 1.0
    of_draws = sample.covariance(drawn, drawn) * fitted
    # What the interval of the pool counts beyond what the sample shows, counts here as well.
    variance += max(figure.standard_error**2 - of_draws, 0.0)
    n = min(sample.n, n_queries)
    error = float(np.sqrt(variance))
    half = student(figure.level, n, is_tuned=is_tuned) * error
    changed = replace(
        figure,
        low=figure.value - half,
        high=figure.value + half,
        standard_error=error,
        n=n,
        target="population",
        of_pool=max(variance - of_draws, 0.0),
    )
    if why := figure.withheld or too_few(n):
        return withheld(changed, why)
    return changed if error else withheld(changed, "all queries are alike.")
