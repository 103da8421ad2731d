"""The vote table: label by worker and query. The one input of this package."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class VoteTable:
    """Votes as integer codes into three vocabularies; any votes may be missing.

    `query`, `worker` and `label` have one entry per vote. `queries` may name queries without a
    vote, `labels` may name labels that nobody gave; their order is the order of every result.
    A worker votes on a query once: which of repeated votes counts is decided before, where the
    votes come from. `hits`, where known, numbers the HIT that each of `queries` was first in: its
    queries have the same workers.
    """

    query: Codes
    worker: Codes
    label: Codes
    queries: tuple[str, ...]
    workers: tuple[str, ...]
    labels: tuple[str, ...]
    hits: Codes | None = None

    def __post_init__(self) -> None:
        sizes = {len(self.query), len(self.worker), len(self.label)}
        if len(sizes) != 1:
            raise InputError(f"the columns of the vote table differ in length: {sorted(sizes)}.")
        for name, codes, names in (
            ("query", self.query, self.queries),
            ("worker", self.worker, self.workers),
            ("label", self.label, self.labels),
        ):
            if len(codes) and not (codes.min() >= 0 and codes.max() < len(names)):
                raise InputError(f"a {name} code of the vote table is outside its vocabulary.")
        self._check_one_vote_per_query_and_worker()

    def _check_one_vote_per_query_and_worker(self) -> None:
        place = np.sort(self.query.astype(np.int64) * max(len(self.workers), 1) + self.worker)
        repeated = place[1:][place[1:] == place[:-1]]
        if repeated.size:
            query, worker = divmod(int(repeated[0]), len(self.workers))
            raise InputError(
                f"worker {self.workers[worker]!r} voted more than once on query "
                f"{self.queries[query]!r}.",
                remedy="Decide first which vote counts.",
            )

    @classmethod
    def of(
        cls,
        query: Iterable[object],
        worker: Iterable[object],
        label: Iterable[object],
        *,
        labels: Sequence[str] | None = None,
        queries: Sequence[str] | None = None,
    ) -> Self:
        """A table from three columns of equal length, read as text.

        Without `labels` the vocabulary is the labels that occur, sorted; without `queries` it is
        the queries in order of their first vote. A missing entry (None or NaN) is an error: leave
        the whole vote out.
        """
        columns = [
            _as_text(name, column)
            for name, column in (("query", query), ("worker", worker), ("label", label))
        ]
        known_labels = tuple(sorted(set(columns[2]))) if labels is None else tuple(labels)
        known_queries = tuple(dict.fromkeys(columns[0])) if queries is None else tuple(queries)
        workers = tuple(dict.fromkeys(columns[1]))
        return cls(
            query=_codes("query", columns[0], known_queries),
            worker=_codes("worker", columns[1], workers),
            label=_codes("label", columns[2], known_labels),
            queries=known_queries,
            workers=workers,
            labels=known_labels,
        )

    @classmethod
    def from_frame(cls, frame: "pd.DataFrame", *, labels: Sequence[str] | None = None) -> Self:
        """A table from a data frame with the columns `query`, `worker` and `label`."""
        missing = [name for name in ("query", "worker", "label") if name not in frame]
        if missing:
            raise InputError(f"the vote table has no column {', '.join(missing)}.")
        return cls.of(frame["query"], frame["worker"], frame["label"], labels=labels)

    def __len__(self) -> int:
        return len(self.query)

    def counts(self) -> Counts:
        """Votes of each query for each label, shape (queries, labels)."""
        size = len(self.queries) * len(self.labels)
        cell = self.query.astype(np.int64) * len(self.labels) + self.label
        return np.bincount(cell, minlength=size).reshape(len(self.queries), len(self.labels))

    def kept(self, mask: npt.NDArray[np.bool_]) -> Self:
        """The votes where `mask` (one entry per vote) is true, with the same vocabularies."""
        return type(self)(
            query=self.query[mask],
            worker=self.worker[mask],
            label=self.label[mask],
            queries=self.queries,
            workers=self.workers,
            labels=self.labels,
            hits=self.hits,
        )


def _as_text(name: str, column: Iterable[object]) -> list[str]:
    values: list[Any] = list(column)
    for place, value in enumerate(values):
        # NaN is the one value that differs from itself.
        if value is None or value != value:  # noqa: PLR0124 - see above
            raise InputError(f"vote {place + 1} has no {name}.", remedy="Leave the vote out.")
    return [value if type(value) is str else str(value) for value in values]


def _codes(name: str, values: list[str], vocabulary: tuple[str, ...]) -> Codes:
    place = {value: code for code, value in enumerate(vocabulary)}
    if len(place) != len(vocabulary):
        raise InputError(f"the {name} vocabulary names something twice.")
    try:
        return np.fromiter(map(place.__getitem__, values), dtype=np.int32, count=len(values))
    except KeyError as error:
        raise InputError(
            f"{name} {error.args[0]!r} is not one of the known: {', '.join(vocabulary[:10])}"
            f"{' ...' if len(vocabulary) > 10 else ''}."  # noqa: PLR2004 - a readable line
        ) from None
