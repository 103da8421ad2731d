"""Every pair of systems with repetitions, compared over the same queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..extras import need
from .repetitions import RepeatedMean, repeated_difference
from .significance import Comparison, corrected_together, effect_size


@dataclass(frozen=True)
class RepeatedComparison(Comparison):
    """System `first` minus `second`, with queries and the repetitions of each drawn.

    `low`, `high`, `t`, `t_p` and `equivalence_p` are of both drawn, and None where `withheld` says
    why; `permutation_p` is None, for flips of queries would take the repetitions for fixed.
    `fixed_low`, `fixed_high`, `fixed_p`: of these very repetitions. `share`: the part of the
    variance that repetitions have. `effect` is that of the means over repetitions.
    """

    n_first: int = 1
    n_second: int = 1
    fixed_low: float | None = None
    fixed_high: float | None = None
    fixed_p: float | None = None
    share: float | None = None
    withheld: str = ""


def compare_repeated(
    values: Mapping[str, ArrayLike], *, baseline: str = "", margin: float | None = None
) -> list[Comparison]:
    """Every pair of systems, or every other against the `baseline`, corrected over the pairs.

    `values` maps each system to its values (Q, S), queries aligned over the systems. `margin` is
    that of `compare_all`.
    """
    if margin is not None and not margin > 0:
        raise InputError(f"the margin is {margin}.", remedy="Use a number above 0.")
    tables = {system: np.asarray(table, dtype=np.float64) for system, table in values.items()}
    pairs = list(combinations(tables, 2))
    if baseline:
        pairs = [(system, baseline) for system in tables if system != baseline]
    return corrected_together(
        [_pair(first, second, tables[first], tables[second], margin) for first, second in pairs]
    )


def _pair(
    first: str, second: str, a: np.ndarray, b: np.ndarray, margin: float | None
) -> RepeatedComparison:
    figure = repeated_difference(a, b)
    t = figure.value / figure.standard_error if figure.value and figure.standard_error else None
    return RepeatedComparison(
        first,
        second,
        figure.n,
        figure.value,
        figure.low,
        figure.high,
        t,
        figure.p,
        None,
        effect_size(a.mean(axis=1), b.mean(axis=1)),
        equivalence_p=None if margin is None else _equivalence_p(figure, margin),
        n_first=a.shape[1],
        n_second=b.shape[1],
        fixed_low=figure.fixed_low,
        fixed_high=figure.fixed_high,
        fixed_p=figure.fixed_p,
        share=figure.share,
        withheld=figure.withheld,
    )


def _equivalence_p(figure: RepeatedMean, margin: float) -> float | None:
    """The p of two one-sided tests; see `compare_all`."""
    if figure.value is None or not figure.standard_error or figure.degrees is None:
        return None
    nearest = margin - abs(figure.value)
    return float(need("scipy.special").stdtr(figure.degrees, -nearest / figure.standard_error))
