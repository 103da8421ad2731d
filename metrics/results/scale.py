"""Scale of a value: the worst, the best, and the mean over random orders.

A value says little without its range: .33 and .35 are alike where the worst is .31. Random orders
are of the same documents, each query's own list.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..io.strings import strings
from ..measures.base import Ends
from ..runs.run import Run

SCALE_COLUMNS = ("floor", "ideal", "random")
#: Random orders of each list: the mean over queries and orders has a spread of a few percent.
ORDERS_DRAWN = 20


@dataclass(frozen=True)
class Scale:
    """`floor`, the worst, and `ideal`, the best value that a ranking can have; `random`.

    None where a measure has no such value; `random` is the mean over `ORDERS_DRAWN` random orders.
    """

    floor: float | None
    ideal: float | None
    random: float | None

    def row(self) -> dict[str, float | None]:
        """The columns `SCALE_COLUMNS`."""
        return {"floor": self.floor, "ideal": self.ideal, "random": self.random}


def shuffled(run: Run, seed: tuple[int, int]) -> Run:
    """The run with the documents of each query in a random order, the same for equal seeds."""
    lengths = np.diff(run.offsets)
    queries = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((np.random.default_rng(seed).random(len(queries)), queries))
    ranks = np.arange(len(queries)) - np.repeat(run.offsets[:-1], lengths) + 1
    return replace(
        run,
        docnos=strings(run.docnos.take(order).tolist()),
        scores=-ranks.astype(np.float64),
        ranks=ranks,
        lines=run.lines[order],
    )


def scale_of(bounds: Ends, drawn: Sequence[float | None]) -> Scale:
    """The scale of a value, from its bounds and the values of random orders."""
    known = [value for value in drawn if value is not None]
    floor, ideal = (_finite(bound) for bound in bounds)
    return Scale(floor, ideal, math.fsum(known) / len(known) if known else None)


def _finite(bound: float | None) -> float | None:
    return bound if bound is not None and math.isfinite(bound) else None
