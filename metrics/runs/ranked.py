"""Runs joined with the magnitudes of a scored collection: matrices of queries x ranks."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..texts.magnitude import OF_COUNTS, magnitude
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import Missing
from . import Run

_NAMED_AT_MOST = 5
# In the place of `tf`, which the other magnitudes do not look at.
_NONE = np.empty(0)

_Number = TypeVar("_Number", np.int32, np.float64)


@dataclass(frozen=True, eq=False)
class Ranked:
    """The first `depth` ranks of each query of a run, with the group counts of their documents.

    Q queries (`qids`, sorted as text) by T = `depth` ranks.

    - `length` (Q,): how many ranks the list has, at most T; 0 for a query without any document.
    - `present` (Q, T): a document counts at this rank. False beyond the end of a short list, and
      for a skipped document.
    - `missing` (Q, T): a document stands at this rank but is not in the collection.
    - `tc[g]` (Q, T): occurrences of words of group g. `tf[g]`: sum over those words of log(1 + n).
      `n_tokens`: length of the document. All are 0 where no document is present.
      They are looked up when they are first asked for.
    - `positions` (Q, T): row of the run's columns, -1 where the list has ended.
    - `rows` (Q, T): row of the scored collection, -1 where there is none.
    """

    run: Run
    qids: tuple[str, ...]
    groups: tuple[str, ...]
    length: NDArray[np.int64]
    present: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    lengths: Callable[[], NDArray[np.int32]]
    tc: Mapping[str, NDArray[np.int32]]
    tf: Mapping[str, NDArray[np.float64]]
    positions: NDArray[np.int64]
    rows: NDArray[np.int64]

    @cached_property
    def n_tokens(self) -> NDArray[np.int32]:
        """The length of each document (Q, T)."""
        return self.lengths()

    @property
    def name(self) -> str:
        """The run's name."""
        return self.run.name

    @property
    def depth(self) -> int:
        """T, the number of ranks."""
        depth: int = self.present.shape[1]
        return depth

    def n_missing(self, cutoff: int) -> int:
        """Documents within the first `cutoff` ranks that are not in the collection."""
        return int(np.count_nonzero(self.missing[:, :cutoff]))

    def magnitude(self, name: str, group: str) -> NDArray[np.float64]:
        """Magnitude `name` of each document for `group` (Q, T); see `metrics.texts.magnitude`."""
        if group not in self.groups:
            raise InputError(
                f"the scored collection has no group {group!r}, only {', '.join(self.groups)}.",
                remedy="RaB and ARaB compare two groups of the word list: name them, as in "
                "RaB(female=a,male=b). AWRF and TExFAIR take any number of groups.",
            )
        # The default is there as it is; making the matrix of the counts would take as long again.
        if name == "tf":
            return self.tf[group]
        counts = self.tc[group]
        if name in OF_COUNTS:
            return magnitude(name, counts, counts, _NONE)
        return magnitude(name, self.n_tokens, counts, _NONE)


@contextlib.contextmanager
def magnitudes_in_background(magnitudes: Magnitudes | None) -> Iterator[None]:
    """Load the index of the scored collection, where there is one, while the block reads runs."""
    if magnitudes is None:
        yield
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        loading = pool.submit(magnitudes.find, [])
        yield
        loading.result()


def join(
    run: Run,
    magnitudes: Magnitudes | None,
    depth: int,
    missing: Missing = "error",
    queries: Iterable[str] | None = None,
) -> Ranked:
    """Look up the first `depth` documents of every query of `run` in the scored collection.

    `queries` are the queries to answer for (default: those of the run); one that the run does not
    have gets a row of length 0. A document that is not in the collection is an `InputError`
    (`missing="error"`), a document without group words (`"zero"`), or not there (`"skip"`: it
    leaves numerator and denominator, the others keep their ranks). Without `magnitudes` nothing is
    looked up: there are ranks and documents, and no groups.
    """
    # Mostly they are the run's own, which are sorted already.
    qids = run.qids if queries is None or queries == run.qids else tuple(sorted(set(queries)))
    positions = _positions(run, qids, depth)
    ranked = positions >= 0
    if magnitudes is None:
        return _unscored(run, qids, positions.T)
    rows = _rows(run, positions, ranked, magnitudes)
    absent = ranked & (rows < 0)
    if missing == "error" and absent.any():
        raise _not_in_collection(run, positions.T[absent.T], depth, magnitudes)
    return Ranked(
        run=run,
        qids=qids,
        groups=tuple(magnitudes.groups),
        length=ranked.sum(axis=0),
        present=(rows >= 0 if missing == "skip" else ranked).T,
        missing=absent.T,
        lengths=lambda: _spread(magnitudes.n_tokens, rows),
        tc=_Spread(lambda group: _spread(magnitudes.tc[group], rows), magnitudes.groups),
        tf=_Spread(lambda group: _spread(magnitudes.tf[group], rows), magnitudes.groups),
        positions=positions.T,
        rows=rows.T,
    )


def _unscored(run: Run, qids: tuple[str, ...], positions: NDArray[np.int64]) -> Ranked:
    ranked = positions >= 0
    return Ranked(
        run=run,
        qids=qids,
        groups=(),
        length=ranked.sum(axis=1),
        present=ranked,
        missing=np.zeros(ranked.shape, dtype=bool),
        lengths=lambda: np.zeros(ranked.shape, dtype=np.int32),
        tc={},
        tf={},
        positions=positions,
        rows=np.full(ranked.shape, -1, dtype=np.int64),
    )


def _positions(run: Run, qids: tuple[str, ...], depth: int) -> NDArray[np.int64]:
    """Row of the run's columns for each rank and query (T, Q), -1 where the list has ended.

    Inside `join` the ranks come first: what follows goes through the ranks one by one, for all
    queries at once, and so reads memory in its order.
    """
    if qids == run.qids:
        index = np.arange(len(qids))
    else:
        place_of = run.place_of
        index = np.array([place_of.get(qid, -1) for qid in qids], dtype=np.int64)
    starts = np.where(index >= 0, run.offsets[index], 0)
    stops = np.where(index >= 0, run.offsets[index + 1], 0)
    positions = starts + np.arange(depth)[:, None]
    positions[positions >= stops] = -1
    return positions


def _rows(
    run: Run, positions: NDArray[np.int64], ranked: NDArray[np.bool_], magnitudes: Magnitudes
) -> NDArray[np.int64]:
    """Row of the scored collection at each position (T, Q), -1 where there is none."""
    if len(run.docnos) > 2 * np.count_nonzero(ranked):
        rows = np.full(positions.shape, -1, dtype=np.int64)
        rows[ranked] = magnitudes.find(run.docnos.take(positions[ranked]))
        return rows
    # Most documents are wanted: numbers are quicker to pick than texts.
    rows = magnitudes.find(run.docnos).take(positions, mode="clip")
    rows[~ranked] = -1
    return rows


def _spread(column: NDArray[_Number], rows: NDArray[np.int64]) -> NDArray[_Number]:
    """The column's values at `rows` (T, Q) as (Q, T), 0 where the row is -1."""
    if not len(column):
        return np.zeros(rows.T.shape, dtype=column.dtype)
    matrix = column.take(rows, mode="clip")
    matrix[rows < 0] = 0
    return matrix.T


class _Spread(Mapping[str, NDArray[_Number]]):
    """The matrices of the groups, made when they are first asked for: most measures need few."""

    def __init__(self, make: Callable[[str], NDArray[_Number]], groups: tuple[str, ...]) -> None:
        self._make: Callable[[str], NDArray[_Number]] = make
        self._groups = groups
        self._made: dict[str, NDArray[_Number]] = {}

    def __getitem__(self, group: str) -> NDArray[_Number]:
        if group not in self._groups:
            raise KeyError(group)
        if group not in self._made:
            self._made[group] = self._make(group)
        return self._made[group]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)


class UnscoredDocumentsError(InputError):
    """A run has documents that are not in the scored collection, without a rule for them."""


def _not_in_collection(
    run: Run, positions: NDArray[np.int64], depth: int, magnitudes: Magnitudes
) -> InputError:
    docnos = list(dict.fromkeys(run.docnos.take(positions).tolist()))
    first = docnos[:_NAMED_AT_MOST]
    more = " and others" if len(docnos) > len(first) else ""
    score_them = "Score the collection that the run was made on"
    if magnitudes.metadata.selected_by:
        score_them = "Name this run with fairpool score --only-run, too"
    return UnscoredDocumentsError(
        f"{len(positions):,} of the documents in the first {depth} ranks of run {run.name!r} "
        f"are not in the scored collection: {', '.join(first)}{more}.",
        path=run.path or None,
        remedy=f'{score_them}, or choose missing="zero" '
        '(they count as documents without group words) or missing="skip".',
    )
