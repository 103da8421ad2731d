"""RaB beyond the bias that the collection itself has."""

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..texts.magnitude_store import Magnitudes
from .base import Definition, Inputs, PerQuery, always
from .rab import RAB, TWO_SIDES
from .sides import named_sides, shown_sides


def background_bias(magnitudes: Magnitudes, magnitude: str, female: str, male: str) -> float:
    """Mean magnitude over the whole collection, male minus female: what a random list expects."""
    female, male = named_sides(female, male, magnitudes.groups)
    return magnitudes.mean_magnitude(magnitude, male) - magnitudes.mean_magnitude(magnitude, female)


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    if inputs.magnitudes is None:
        raise InputError("RaB-adjusted needs the scored collection.")
    bias = background_bias(inputs.magnitudes, **params)
    return [
        PerQuery(plain.value - bias, plain.sides)
        for plain in RAB.compute(inputs, cutoffs, **params)
    ]


RAB_ADJUSTED = Definition(
    name="RaB-adjusted",
    position=30,
    summary="RaB minus the mean bias of all documents of the collection.",
    equation="none; this one is ours",
    formula="RaB_t - (mean over the collection of mag_m - mean over the collection of mag_f)",
    example="RaB-adjusted@4",
    working=f"{RAB.working} - (2 * ln(3) - 2 * ln(2)) / 5",
    source="after [RS20], which names the bias of the collection as a limit",
    range="unbounded for tf, logtc and tc; [-2, 2] for bool and tfnorm",
    direction="0 is the collection's own bias, positive leans more male, negative more female",
    compute=_compute,
    bounds=always(None, 0.0),
    params=TWO_SIDES,
    needs=frozenset({"magnitudes", "two groups"}),
    sides=shown_sides,
)
