"""What a run is once it has been read, and what is said about its oddities."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from metrics.errors import InputError

Order = Literal["default", "trec_eval", "rank"]
NoticeKind = Literal["conflict", "repeated", "gap"]
ORDERS: tuple[Order, ...] = get_args(Order)

# A pool names its lists `run:direction:place`, joined by `|`; a command takes `NAME=PATH`.
_NAME = re.compile(r"[^\s:|=]{1,100}")


@dataclass(frozen=True)
class Notice:
    """Something odd in a run that has a rule and so is no error: what, how often, and where.

    `lines` are the first few places, counted from 1.
    """

    kind: NoticeKind
    message: str
    count: int
    path: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        first, *more = self.lines
        others = f" Also lines {', '.join(str(line) for line in more)}." if more else ""
        return f"{self.path}:{first}: {self.message}{others}"


@dataclass(frozen=True, eq=False)
class Run:
    """Ranked documents of queries, as columns; the best document of a query first.

    `qids` are sorted as text. Rows `offsets[i]:offsets[i + 1]` belong to `qids[i]`.
    `docnos` (N,), `scores` (N,) and `ranks` (N,; the file's rank column) are aligned, and so is
    `lines` (N,), where in the file each row stands, counted from 1. `order` is the rule that
    ranked them; `sha256` is of the file's bytes as they lie on disk.
    """

    name: str
    qids: tuple[str, ...]
    offsets: NDArray[np.int64]
    docnos: pa.StringArray
    scores: NDArray[np.float64]
    ranks: NDArray[np.int64]
    lines: NDArray[np.int64]
    order: Order = "default"
    path: str = ""
    sha256: str = ""
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.qids)

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Where in `qids` each query stands."""
        return {qid: index for index, qid in enumerate(self.qids)}

    def documents(self, qid: str) -> list[str]:
        """The documents of a query, best first; none for a query that the run does not have."""
        if qid not in self.place_of:
            return []
        start, stop = self.offsets[self.place_of[qid] :][:2].tolist()
        found: list[str] = self.docnos.slice(start, stop - start).to_pylist()
        return found


def check_run_name(name: str) -> str:
    """The name, when it can stand in tables, file names of lists and options."""
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"{name!r} cannot name a run.",
            remedy="Use 1 to 100 characters without blanks, ':', '|' and '='.",
        )
    return name
