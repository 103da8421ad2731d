"""The results of a study, by key."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..results.evaluation import Result
from ..statistics.significance import mean_interval
from ..vocabulary import LEVEL
from .formats.layout import Value

#: Note beside every mean.
MEANS_NOTE = (
    "Means describe these queries: those of a pool were chosen for extreme values and do not "
    "represent others."
)

_Key = tuple[str, str, str, int]


@dataclass(frozen=True, eq=False)
class Results:
    """Results of a report; `paired` maps a model to the run of its randomly initialised twin."""

    all: Sequence[Result]
    paired: dict[str, str]
    baseline: str = ""

    def __post_init__(self) -> None:
        for name in (*self.paired, *self.paired.values(), *filter(None, [self.baseline])):
            if name not in self.runs:
                raise InputError(
                    f"no run is named {name!r}.", remedy=f"The runs are {', '.join(self.runs)}."
                )

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Every run, in the order in which they were given."""
        return tuple(dict.fromkeys(result.run for result in self.all))

    @cached_property
    def models(self) -> tuple[str, ...]:
        """All runs but the randomly initialised twins."""
        twins = set(self.paired.values())
        return tuple(run for run in self.runs if run not in twins)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(result.measure for result in self.all))

    @cached_property
    def magnitudes(self) -> tuple[str, ...]:
        """The magnitudes that the bias was measured with."""
        return tuple(dict.fromkeys(r.magnitude for r in self.all if r.measure == "RaB"))

    @cached_property
    def cutoffs(self) -> tuple[int, ...]:
        """The cut-offs that the bias was measured at."""
        return tuple(dict.fromkeys(r.cutoff for r in self.all if r.measure == "RaB"))

    @cached_property
    def _index(self) -> dict[_Key, Result]:
        return {(r.run, r.measure, r.magnitude, r.cutoff): r for r in self.all}

    def find(self, run: str, measure: str, cutoff: int, magnitude: str = "") -> Result | None:
        return self._index.get((run, measure, magnitude, cutoff))

    def value(self, run: str, measure: str, cutoff: int, magnitude: str = "") -> float | None:
        """The mean over the queries; None where it was not measured or is undefined."""
        result = self.find(run, measure, cutoff, magnitude)
        return None if result is None else result.value

    def interval(
        self, run: str, measure: str, cutoff: int, magnitude: str = "", together: int = 1
    ) -> tuple[float, float] | None:
        """Student's interval of the mean over queries, or one of so many that hold `together`."""
        values = self.per_query(run, measure, cutoff, magnitude)
        return None if values is None else ends_of_mean(values, 1 - (1 - LEVEL) / together)

    def change(self, run: str, measure: str, cutoff: int, magnitude: str = "") -> float | None:
        """The value of the randomly initialised twin minus that of the run; None without a twin."""
        if run not in self.paired:
            return None
        trained = self.value(run, measure, cutoff, magnitude)
        twin = self.value(self.paired[run], measure, cutoff, magnitude)
        return None if trained is None or twin is None else twin - trained

    def per_query(
        self, run: str, measure: str, cutoff: int, magnitude: str = ""
    ) -> NDArray[np.float64] | None:
        """The value of each query as it is compared (`Result.compared`), NaN where undefined."""
        result = self.find(run, measure, cutoff, magnitude)
        return None if result is None else result.compared


def ends_of_mean(values: NDArray[np.float64], level: float = LEVEL) -> tuple[float, float] | None:
    """The interval of the mean over queries; None where it has none."""
    interval = mean_interval(values, level=level)
    return None if interval.low is None or interval.high is None else (interval.low, interval.high)


def magnitude_title(name: str) -> str:
    """A magnitude as the tables of the field write it."""
    return {"tf": "TF", "bool": "Bool"}.get(name, name)


def counted(values: Iterable[Value]) -> list[float]:
    """The numbers among the values."""
    return [value for value in values if isinstance(value, int | float)]
