"""The rows of each query of a run in order, compiled by Numba; they hold no interpreter lock.

They do what `metrics.runs.definition` says of ties, gaps and duplicates.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compile import kernel

# The orders, as in `metrics.runs.run.ORDERS`.
DEFAULT, TREC_EVAL, RANK = 0, 1, 2


@kernel
def _docno_before(buffer: NDArray[np.uint8], a: int, a_length: int, b: int, b_length: int) -> Any:
    """Return whether text a comes after b (so that a, descending, comes first), and equality."""
    for at in range(min(a_length, b_length)):
        if buffer[a + at] != buffer[b + at]:
            return buffer[a + at] > buffer[b + at], False
    return a_length > b_length, a_length == b_length


@kernel
def _before(
    order: int,
    buffer: NDArray[np.uint8],
    docno_start: NDArray[np.int64],
    docno_length: NDArray[np.int64],
    rank: NDArray[np.int64],
    score: NDArray[np.float64],
    a: int,
    b: int,
) -> Any:
    """Return whether row a stands strictly above row b."""
    if order == RANK and rank[a] != rank[b]:
        return rank[a] < rank[b]
    if order == TREC_EVAL:
        # trec_eval keeps scores in single precision.
        if np.float32(score[a]) != np.float32(score[b]):
            return np.float32(score[a]) > np.float32(score[b])
    elif score[a] != score[b]:
        return score[a] > score[b]
    if order == DEFAULT and rank[a] != rank[b]:
        return rank[a] < rank[b]
    above, equal = _docno_before(
        buffer, docno_start[a], docno_length[a], docno_start[b], docno_length[b]
    )
    if equal:
        return rank[a] < rank[b]
    return above


@kernel
def _sort(
    order: int,
    buffer: NDArray[np.uint8],
    docno_start: NDArray[np.int64],
    docno_length: NDArray[np.int64],
    rank: NDArray[np.int64],
    score: NDArray[np.float64],
    rows: NDArray[np.int64],
    scratch: NDArray[np.int64],
) -> None:
    """Sort `rows` in place; rows of which none stands above the other keep their order."""
    n = len(rows)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            left, right = low, middle
            for place in range(low, high):
                if left < middle and (
                    right >= high
                    or not _before(
                        order, buffer, docno_start, docno_length, rank, score,
                        rows[right], rows[left],
                    )
                ):  # fmt: skip
                    scratch[place] = rows[left]
                    left += 1
                else:
                    scratch[place] = rows[right]
                    right += 1
        rows[:] = scratch[:n]
        width *= 2


@kernel
def _gap(rank: NDArray[np.int64], line: NDArray[np.int64], rows: NDArray[np.int64]) -> Any:
    """The first line of the rank after the first gap, or 0."""
    ranks = np.sort(rank[rows])
    before = 0
    for value in ranks:
        if value > before + 1:
            first = np.int64(0)
            for row in rows:
                if rank[row] == value and (first == 0 or line[row] < first):
                    first = line[row]
            return first
        before = value
    return 0


@kernel
def select(
    order: int,
    depth: int,
    ties: bool,
    buffer: NDArray[np.uint8],
    docno_start: NDArray[np.int64],
    docno_length: NDArray[np.int64],
    docno_hash: NDArray[np.uint64],
    rank: NDArray[np.int64],
    score: NDArray[np.float64],
    line: NDArray[np.int64],
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    kept: NDArray[np.int64],
    n_kept: NDArray[np.int64],
    conflicts: NDArray[np.int64],
    gaps: NDArray[np.int64],
    duplicates: NDArray[np.int64],
) -> Any:
    """Rank the rows of each query, `rows[starts[i]:stops[i]]`, and keep the first `depth`.

    With `ties` also those whose score, in single precision, is that of the last that was kept.
    `kept` gets the rows that are kept, query by query, `n_kept` their number for each query;
    `conflicts`, `gaps` and `duplicates` get lines, as `metrics.runs.anomalies` describes. Returns
    how many entries of `kept`, `conflicts`, `gaps` and `duplicates` were filled.
    """
    longest = 1
    for query in range(len(starts)):
        longest = max(longest, stops[query] - starts[query])
    # A size at which most documents find an empty slot at once.
    size = 4
    while size < 8 * longest:
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.zeros(size, dtype=np.int64)
    scratch = np.empty(longest, dtype=np.int64)
    total = n_conflicts = n_gaps = n_duplicates = 0
    for query in range(len(starts)):
        start, stop = starts[query], stops[query]
        # Are the rows in order already, and do their ranks rise by one?
        sorted_, rising, even = True, True, stop > start and rank[rows[start]] <= 1
        for at in range(start + 1, stop):
            a, b = rows[at - 1], rows[at]
            rising = rising and rank[a] <= rank[b]
            even = even and rank[b] - rank[a] <= 1
            if not (score[a] > score[b] or (score[a] == score[b] and rank[a] < rank[b])):
                sorted_ = False
                break
        if not sorted_:
            _sort(
                DEFAULT, buffer, docno_start, docno_length, rank, score,
                rows[start:stop], scratch,
            )  # fmt: skip
        if not (sorted_ and rising):
            for at in range(start + 1, stop):
                a, b = rows[at - 1], rows[at]
                if score[a] > score[b] and rank[a] > rank[b]:
                    conflicts[n_conflicts] = line[b]
                    n_conflicts += 1
                    break
        if not (sorted_ and rising and even):
            gap = _gap(rank, line, rows[start:stop])
            if gap > 0:
                gaps[n_gaps] = gap
                n_gaps += 1
        if order != DEFAULT:
            _sort(
                order, buffer, docno_start, docno_length, rank, score,
                rows[start:stop], scratch,
            )  # fmt: skip
        # Keeps each document once, by a hash table of rows; a slot's high bits are its query.
        n_found, this_query = 0, np.int64(query + 1) << 32
        for at in range(start, stop):
            row = rows[at]
            place = (docno_hash[row] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & mask
            repeated = False
            while slots[place] >= this_query:
                other = slots[place] - this_query
                if (
                    docno_hash[other] == docno_hash[row]
                    and _docno_before(
                        buffer, docno_start[other], docno_length[other],
                        docno_start[row], docno_length[row],
                    )[1]
                ):  # fmt: skip
                    repeated = True
                    break
                place = (place + np.uint64(1)) & mask
            if repeated:
                duplicates[n_duplicates] = line[row]
                n_duplicates += 1
                continue
            slots[place] = this_query + row
            if n_found < depth or (
                ties and np.float32(score[row]) == np.float32(score[kept[total - 1]])
            ):
                kept[total] = row
                total += 1
                n_found += 1
        n_kept[query] = n_found
    return total, n_conflicts, n_gaps, n_duplicates
