"""The inner loops of parsing a run, compiled by Numba; they hold no interpreter lock.

They understand the usual lines of a run and hand every other line to `metrics.runs.definition`,
so that what is an error, and what an unusual line means, is said in one place.

Those that are called for every line take addresses, because an array that is passed on costs two
atomic counts of its references.
"""


# ruff: noqa: PLR1714, SIM109 - Numba is slow at chained comparisons and at `in`

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compile import kernel
from .decimals import MOST_DIGITS, decimal, digits
from .vector import eight_bytes, lowest_bit, one_byte, put_eight_bytes

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "4c2b2fdf3b979693", "decimals": "203d2085cb8eefc3"}

# What `parse` stopped at.
END, ODD_LINE = 0, 1

# Where `parse` keeps its state between two calls.
POSITION, LINE, ROWS, SEGMENTS, PREFIX, PREFIX_LENGTH, STATE_SIZE = 0, 1, 2, 3, 4, 5, 6

WORD = 8
HASH_START, HASH_FACTOR = 5381, 0x9E3779B97F4A7C15

# The bytes below which lines are understood: all in UTF-8, else none beyond ASCII.
ANY_BYTE, ASCII = 256, 128

_TAB, _NEWLINE, _RETURN, _BLANK = 9, 10, 13, 32


@kernel
def _equal(a: Any, b: Any, length: Any) -> Any:
    """Return whether `length` bytes at two addresses are equal; up to seven more are read."""
    at = 0
    while at + 8 <= length:
        if eight_bytes(a + at) != eight_bytes(b + at):
            return False
        at += 8
    unequal = eight_bytes(a + at) ^ eight_bytes(b + at)
    rest = np.uint64(8 * (length - at))
    return unequal & ((np.uint64(1) << rest) - np.uint64(1)) == np.uint64(0)


@kernel
def _blanks_end(place: Any) -> Any:
    """Where the blanks and tabs that begin at `place` end."""
    byte = one_byte(place)
    while byte == _BLANK or byte == _TAB:
        place += 1
        byte = one_byte(place)
    return place


@kernel
def _word_end(place: Any, limit: Any) -> Any:
    """Where the word that begins at `place` ends: at a blank, a line end, a byte from `limit`."""
    byte = one_byte(place)
    while byte > _BLANK and byte < limit:
        place += 1
        byte = one_byte(place)
    return place


@kernel
def _hashed_word_end(place: Any, limit: Any) -> Any:
    """Where the word that begins at `place` ends, as `_word_end` says, and the hash of its bytes.

    Eight bytes at a time: a byte is above a blank if adding 95 to its lower seven bits, or itself,
    sets the highest bit.
    """
    hashed = np.uint64(HASH_START)
    foreign = np.uint64(0x8080808080808080 if limit == ASCII else 0)
    while True:
        letters = eight_bytes(place)
        above = (letters & np.uint64(0x7F7F7F7F7F7F7F7F)) + np.uint64(0x5F5F5F5F5F5F5F5F) | letters
        ends = ~above & np.uint64(0x8080808080808080) | letters & foreign
        length = lowest_bit(ends) >> 3
        if length > 0:
            if length < 8:
                letters &= (np.uint64(1) << np.uint64(8 * length)) - np.uint64(1)
            hashed = (hashed ^ letters) * np.uint64(HASH_FACTOR)
            hashed ^= hashed >> np.uint64(32)
        place += length
        if length < 8:
            return place, hashed


@kernel
def _line_end(place: Any) -> Any:
    """The newline at `place`, behind blanks and a carriage return; 0 for anything else."""
    place = _blanks_end(place)
    if one_byte(place) == _RETURN and one_byte(place + 1) == _NEWLINE:
        place += 1
    return place if one_byte(place) == _NEWLINE else 0


@kernel
def parse(
    base: Any,
    stop: Any,
    limit: Any,
    state: Any,
    qid_start: Any,
    qid_length: Any,
    first_row: Any,
    docno_start: Any,
    docno_length: Any,
    docno_hash: Any,
    rank: Any,
    score: Any,
    line: Any,
) -> Any:
    """Parse the lines from byte state[POSITION] to `stop` of the buffer at address `base`.

    The last of them ends in a newline, and eight bytes behind it can be read. Each line adds a row
    to the arrays from `docno_start` to `line`; each line of another query than the line before
    begins a segment in `qid_start`, `qid_length` and `first_row`. Stops before a line that it does
    not understand; bytes from `limit` are not understood.
    """
    start, number, row = base + state[POSITION], state[LINE], state[ROWS]
    segment, prefix, prefix_length = state[SEGMENTS], base + state[PREFIX], state[PREFIX_LENGTH]
    end_of_all = base + stop
    status = END
    while start < end_of_all:
        # Most lines begin as the line before: same query, same second column, same blanks.
        same = (
            prefix_length > 0
            and start + prefix_length < end_of_all
            and _equal(start, prefix, prefix_length)
        )
        qid, docno = start, start + prefix_length
        qid_end = qid
        if not same:
            qid = _blanks_end(start)
            qid_end = _word_end(qid, limit)
            if qid_end == qid:
                end = _line_end(qid)
                if end == 0:
                    status = ODD_LINE
                    break
                start, number = end + 1, number + 1
                continue
            second = _blanks_end(qid_end)
            second_end = _word_end(second, limit)
            docno = _blanks_end(second_end)
            if second == qid_end or second_end == second or docno == second_end:
                status = ODD_LINE
                break
        docno_end, hashed = _hashed_word_end(docno, limit)
        rank_start = _blanks_end(docno_end)
        this_rank, rank_end = digits(rank_start, 0)
        score_start = _blanks_end(rank_end)
        if (
            docno_end == docno
            or rank_start == docno_end
            or rank_end == rank_start
            or rank_end - rank_start > MOST_DIGITS
            or score_start == rank_end
        ):
            status = ODD_LINE
            break
        this_score, score_end = decimal(score_start)
        if score_end == 0:
            status = ODD_LINE
            break
        tag = _blanks_end(score_end)
        tag_end = _word_end(tag, limit)
        end = _line_end(tag_end)
        if tag == score_end or tag_end == tag or end == 0:
            status = ODD_LINE
            break
        if not same:
            length = qid_end - qid
            if (
                segment == 0
                or qid_length[segment - 1] != length
                or not _equal(base + qid_start[segment - 1], qid, length)
            ):
                qid_start[segment] = qid - base
                qid_length[segment] = length
                first_row[segment] = row
                segment += 1
            prefix, prefix_length = start, docno - start
        docno_start[row] = docno - base
        docno_length[row] = docno_end - docno
        docno_hash[row] = hashed
        rank[row] = this_rank
        score[row] = this_score
        line[row] = number
        row += 1
        number += 1
        start = end + 1
    state[POSITION], state[LINE], state[ROWS] = start - base, number, row
    state[SEGMENTS], state[PREFIX], state[PREFIX_LENGTH] = segment, prefix - base, prefix_length
    return status


@kernel
def gather(
    buffer: NDArray[np.uint8],
    start: NDArray[np.int64],
    length: NDArray[np.int64],
    offsets: NDArray[np.int32],
    texts: NDArray[np.uint8],
) -> None:
    """Copy buffer[start[i]:start[i] + length[i]] to texts[offsets[i]:], for each i in its order.

    Eight bytes at a time, so that up to `WORD` bytes behind a text are read, and written behind
    the last.
    """
    size = len(buffer)
    source, target = buffer.ctypes.data, texts.ctypes.data
    for i in range(len(start)):
        if start[i] + length[i] + WORD <= size:
            for at in range(0, length[i], WORD):
                put_eight_bytes(target + offsets[i] + at, eight_bytes(source + start[i] + at))
        else:
            for at in range(length[i]):
                texts[offsets[i] + at] = buffer[start[i] + at]


@kernel
def copy_spans(
    starts: NDArray[np.int64], lengths: NDArray[np.int64], column: NDArray[Any], out: NDArray[Any]
) -> None:
    """Join column[starts[i]:starts[i] + lengths[i]] for each i."""
    at = 0
    for i in range(len(starts)):
        for row in range(starts[i], starts[i] + lengths[i]):
            out[at] = column[row]
            at += 1
