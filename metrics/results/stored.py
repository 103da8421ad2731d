"""Results read back from the file that `write_per_query` makes, only those that are asked for."""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InputError
from ..measures import PerQuery
from .evaluation import Result
from .scored_runs import ScoredRuns


class ResultKey(NamedTuple):
    """Which result a row group of the file holds."""

    run: str
    measure: str
    magnitude: str
    cutoff: int
    n_docs_missing: int


@dataclass(frozen=True)
class StoredResults:
    """What a file of results holds; values are read when they are asked for.

    `keys` are in the order of the file, and `provenance` says what the results were made from.
    """

    path: Path
    keys: tuple[ResultKey, ...]
    provenance: dict[str, Any]

    @cached_property
    def qids(self) -> tuple[str, ...]:
        """The queries, the same for every result."""
        if not self.keys:
            return ()
        with _opened(self.path) as file:
            if not file.num_row_groups:
                return ()
            return tuple(file.read_row_group(0, columns=["qid"]).column(0).to_pylist())

    def read(self, selected: Callable[[ResultKey], bool] = lambda _key: True) -> ScoredRuns:
        """The results whose key is selected, without the two sides of their values."""
        places = [place for place, key in enumerate(self.keys) if selected(key)]
        return ScoredRuns(self._results(places), (), self.provenance)

    def _results(self, places: Sequence[int]) -> list[Result]:
        n = len(self.qids)
        values = np.empty(0)
        if n and places:
            with _opened(self.path) as file:
                column = file.read_row_groups(places, columns=["value"]).column(0)
                values = column.to_numpy().astype(np.float64)
        found = []
        for number, place in enumerate(places):
            run, measure, magnitude, cutoff, missing = self.keys[place]
            per_query = PerQuery(values[number * n : (number + 1) * n])
            found.append(Result(run, measure, magnitude, cutoff, self.qids, per_query, missing))
        return found


def open_results(path: str | Path) -> StoredResults:
    """Open a file of results; `InputError` for one that `write_per_query` did not make."""
    with _opened(Path(path)) as file:
        metadata = file.metadata.metadata or {}
        try:
            keys = tuple(ResultKey(*key) for key in json.loads(metadata[b"fairpool.results"]))
            provenance = json.loads(metadata[b"fairpool.provenance"])
        except (KeyError, ValueError, TypeError):
            raise InputError("is no file of results per query.", path=path) from None
    return StoredResults(Path(path), keys, provenance)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except FileNotFoundError:
        raise InputError("no such file.", path=path) from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"is damaged ({error}).", path=path) from error
