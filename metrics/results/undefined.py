"""Values of ir_measures that a mean leaves out, since a measure is undefined for a query."""

from typing import Self

from ir_measures.measures import base


class Undefined(float):
    """NaN that a mean leaves out.

    PyTerrier adds up the values of all queries and divides by their number: the sum of floats and
    undefined values is a `_Sum`, which divides by the number of the others.
    """

    def __new__(cls) -> Self:
        return super().__new__(cls, "nan")

    def __add__(self, other: float) -> "_Sum":
        return _Sum(0.0, 1) + other

    __radd__ = __add__


class _Sum(float):
    """A sum, and the number of undefined values left out."""

    left_out: int

    def __new__(cls, value: float, left_out: int) -> Self:
        total = super().__new__(cls, value)
        total.left_out = left_out
        return total

    def __add__(self, other: float) -> "_Sum":
        if isinstance(other, Undefined):
            return _Sum(float(self), self.left_out + 1)
        return _Sum(float(self) + float(other), self.left_out)

    __radd__ = __add__

    def __truediv__(self, count: float) -> float:
        rest = count - self.left_out
        return float(self) / rest if rest else float("nan")


class Mean(base.MeanAgg):
    """The mean over the queries on which a measure is defined; NaN without any."""

    def add(self, value: float) -> None:
        if not isinstance(value, Undefined):
            super().add(value)
