"""Results per query in a Parquet file, of which only selected ones are read."""

import contextlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need
from ..io.files import replacing
from ..io.missing import no_such_file
from ..measures import PerQuery
from ..measures.sides import SHOWN
from .evaluation import Result
from .population import Population
from .scored_runs import ScoredRuns

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_VALUES = ("run", "qid", "measure", "magnitude", "cutoff", "value")
_KEYS = ("run", "measure", "magnitude", "cutoff")
_POSITIVE = "positive"


class ResultKey(NamedTuple):
    """Which result a row group of the file holds.

    `population` is its place among the populations of the file; -1 in a file of version 1.0.
    """

    run: str
    measure: str
    magnitude: str
    cutoff: int
    n_docs_missing: int
    positive: str = ""
    population: int = -1

    @classmethod
    def of(cls, result: Result, populations: Sequence[Population | None]) -> Self:
        own = {name: getattr(result, name) for name in cls._fields[:-1]}
        return cls(**own, population=populations.index(result.population))


@dataclass(frozen=True)
class StoredResults:
    """The results in a file; values are read when they are asked for.

    `keys` are in the order of the file, and `provenance` says what the results were made from.
    `footer` says where in the file each of them is: it is read once, not with every part.
    """

    path: Path
    keys: tuple[ResultKey, ...]
    provenance: dict[str, Any]
    populations: tuple[Population | None, ...]
    footer: "pq.FileMetaData" = field(repr=False, compare=False)

    @cached_property
    def qids(self) -> tuple[str, ...]:
        """The queries, the same for every result."""
        if not self.keys:
            return ()
        with _opened(self.path, self.footer) as file:
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
            with _opened(self.path, self.footer) as file:
                column = file.read_row_groups(places, columns=["value"]).column(0)
            # Arrow's own `to_numpy` loads Pandas, which would stay in a web process.
            values = import_module("..io.columns", __package__).number_column(column)
        results = []
        for number, place in enumerate(places):
            run, measure, magnitude, cutoff, missing, positive, of = self.keys[place]
            results.append(
                Result(
                    run,
                    measure,
                    magnitude,
                    cutoff,
                    self.qids,
                    PerQuery(values[number * n : (number + 1) * n]),
                    missing,
                    population=None if of < 0 else self.populations[of],
                    positive=positive,
                )
            )
        return results


def value_columns(scored: ScoredRuns) -> tuple[str, ...]:
    """The columns of values per query: those of the sides are named by their groups."""
    sides = dict.fromkeys(side for result in scored.results for side in result.per_query.sides)
    return (*_VALUES, *map(_column, sides or SHOWN), _POSITIVE)


def _column(side: str) -> str:
    return f"side_{side}" if side in (*_VALUES, _POSITIVE) else side


def value_rows(scored: ScoredRuns) -> list[dict[str, Any]]:
    """The values of each population as rows of `value_columns`, None where one is undefined."""
    empty = dict.fromkeys(value_columns(scored))
    rows = []
    for result in scored.results:
        measured, sides = frozenset(result.measured), result.per_query.sides
        columns = {
            "value": result.per_query.value,
            **{_column(name): sides[name] for name in sides},
        }
        key = {name: getattr(result, name) for name in (*_KEYS, _POSITIVE)}
        rows += [
            empty
            | key
            | {"qid": qid}
            | {name: _defined(values, place) for name, values in columns.items()}
            for place, qid in enumerate(result.qids)
            if qid in measured
        ]
    return rows


def _defined(values: NDArray[np.float64], place: int) -> float | None:
    value = float(values[place])
    return value if math.isfinite(value) else None


def write_per_query(scored: ScoredRuns, path: str | Path) -> None:
    """A Parquet file of `run, qid, measure, magnitude, cutoff, value`, two sides and `positive`.

    Undefined values are null, and so are the sides of a measure that has none. The provenance
    stands in the file's metadata under `fairpool.provenance`. Each row group holds one result,
    so that some can be read without the others; `fairpool.results` names them in that order.
    """
    pa = need("pyarrow")
    names = value_columns(scored)
    parts = [
        pa.table([*_per_query_columns(result, names[len(_VALUES) : -1])], names=names)
        for result in scored.results
    ]
    populations = list(dict.fromkeys(result.population for result in scored.results))
    keys = [ResultKey.of(result, populations) for result in scored.results]
    metadata = {
        "fairpool.provenance": json.dumps(scored.provenance, ensure_ascii=False, sort_keys=True),
        "fairpool.results": json.dumps(keys),
        "fairpool.populations": json.dumps([of and (of.of, of.qids) for of in populations]),
    }
    group = max((len(result.qids) for result in scored.results), default=0)
    with replacing(path) as temporary:
        table = pa.concat_tables(parts).replace_schema_metadata(metadata)
        need("pyarrow.parquet").write_table(table, temporary, row_group_size=max(group, 1))


def _per_query_columns(result: Result, names: Sequence[str]) -> "list[pa.Array]":
    pa = need("pyarrow")
    n = len(result.qids)
    values = result.per_query.sides
    sides = {_column(side): values[side] for side in values}
    return [
        pa.repeat(pa.scalar(result.run), n),
        pa.array(result.qids, type=pa.string()),
        pa.repeat(pa.scalar(result.measure), n),
        pa.repeat(pa.scalar(result.magnitude), n),
        pa.repeat(pa.scalar(result.cutoff, type=pa.int32()), n),
        *(_nullable(values, n) for values in (result.per_query.value, *map(sides.get, names))),
        pa.repeat(pa.scalar(result.positive), n),
    ]


def _nullable(values: NDArray[np.float64] | None, n: int) -> Any:
    pa = need("pyarrow")
    if values is None:
        return pa.nulls(n, type=pa.float64())
    return pa.array(values, mask=np.isnan(values))


def open_results(path: str | Path) -> StoredResults:
    """Open a file of results; `InputError` for one that `write_per_query` did not make."""
    with _opened(Path(path)) as file:
        footer = file.metadata
        metadata = footer.metadata or {}
        try:
            keys = tuple(ResultKey(*key) for key in json.loads(metadata[b"fairpool.results"]))
            provenance = json.loads(metadata[b"fairpool.provenance"])
            stored = json.loads(metadata.get(b"fairpool.populations", b"[]"))
            populations = tuple(of and Population(of[0], tuple(of[1])) for of in stored)
        except (KeyError, ValueError, TypeError):
            raise InputError("is not a file of results per query.", path=path) from None
    return StoredResults(Path(path), keys, provenance, populations, footer)


@contextlib.contextmanager
def _opened(path: Path, footer: "pq.FileMetaData | None" = None) -> "Iterator[pq.ParquetFile]":
    pa = need("pyarrow")
    try:
        with need("pyarrow.parquet").ParquetFile(path, metadata=footer) as file:
            yield file
    except FileNotFoundError:
        raise no_such_file(path) from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"is damaged ({error}).", path=path) from error
