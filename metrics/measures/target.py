"""The distribution over groups that a fair ranking would show, and distances to it."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .base import ParamInfo

EQUAL = "equal"

TARGET = ParamInfo(
    str, EQUAL, "Shares of the groups: `equal`, or for instance `f:0.4/m:0.6` (they sum to 1)."
)


def shares(target: str, groups: Sequence[str]) -> NDArray[np.float64]:
    """The target share of each group (G,), in the order of `groups`.

    >>> shares("m:0.75/f:0.25", ("f", "m"))
    array([0.25, 0.75])
    """
    if target == EQUAL:
        return np.full(len(groups), 1.0 / len(groups))
    targets: dict[str, float] = {}
    for part in target.split("/"):
        group, _, share = part.rpartition(":")
        try:
            targets[group.strip()] = float(share)
        except ValueError:
            raise _not_a_target(target, groups) from None
    values = np.array([targets.get(group, np.nan) for group in groups])
    if set(targets) != set(groups) or not check_shares(values):
        raise _not_a_target(target, groups)
    return values


def check_shares(values: NDArray[np.float64]) -> bool:
    """Return whether these are shares of a whole: none negative, and one in total."""
    return bool((values >= 0).all()) and math.isclose(float(values.sum()), 1.0, abs_tol=1e-9)


def _not_a_target(target: str, groups: Sequence[str]) -> InputError:
    example = "/".join(f"{group}:{1 / len(groups):.3g}" for group in groups)
    return InputError(
        f"{target!r} is not a target distribution over the groups {', '.join(groups)}.",
        remedy=f"Write equal, or a share of each group that sum to 1, like {example}.",
    )


def _absolute(exposures: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.abs(exposures - target).sum(axis=-1)
    return total


def _kullback_leibler(
    exposures: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """In bits; infinite where a group is shown that the target excludes."""
    with np.errstate(divide="ignore"):
        ratio = np.log2(
            np.divide(exposures, target, out=np.full(exposures.shape, np.inf), where=target > 0),
            out=np.zeros(exposures.shape),
            where=exposures > 0,
        )
    divergence: NDArray[np.float64] = np.where(exposures > 0, exposures * ratio, 0.0).sum(axis=-1)
    return np.maximum(divergence, 0.0)  # Rounding must not make a distance negative.


def _jensen_shannon(
    exposures: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    middle = (exposures + target) / 2
    return (
        _kullback_leibler(exposures, middle) + _kullback_leibler(target + 0 * exposures, middle)
    ) / 2


def worst(distance: str, target: NDArray[np.float64]) -> float:
    """The greatest distance of any shares from the target: all goes to one group."""
    return float(DISTANCES[distance](np.eye(len(target)), target).max())


Distance = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

# Each takes distributions (..., G) and the target (G,) and gives distances (...,).
DISTANCES: Mapping[str, Distance] = {
    "absolute": _absolute,
    "tv": lambda exposures, target: _absolute(exposures, target) / 2,
    "js": _jensen_shannon,
    "kl": _kullback_leibler,
}

DISTANCE = ParamInfo(
    str,
    "absolute",
    "Sum of absolute differences, total variation (half of it), "
    "Jensen-Shannon or Kullback-Leibler divergence in bits.",
    tuple(DISTANCES),
)
