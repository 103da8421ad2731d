"""The inner loops of reading a run, compiled by Numba; they hold no interpreter lock.

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
from .vector import eight_bytes, lowest_bit, one_byte, put_eight_bytes

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "f8f191da3b80185a"}

# What `parse` stopped at.
END, ODD_LINE = 0, 1

# Where `parse` keeps its state between two calls.
POSITION, LINE, ROWS, SEGMENTS, PREFIX, PREFIX_LENGTH, STATE_SIZE = 0, 1, 2, 3, 4, 5, 6

# The orders, as in `metrics.runs.run.ORDERS`.
DEFAULT, TREC_EVAL, RANK = 0, 1, 2

WORD = 8
HASH_START, HASH_FACTOR = 5381, 0x9E3779B97F4A7C15

# The bytes below which lines are understood: all in UTF-8, else none beyond ASCII.
ANY_BYTE, ASCII = 256, 128

_TAB, _NEWLINE, _RETURN, _BLANK = 9, 10, 13, 32
_PLUS, _MINUS, _DOT, _ZERO, _NINE, _UPPER_E, _LOWER_E = 43, 45, 46, 48, 57, 69, 101
_MOST_DIGITS = 18
_MOST_DIGITS_OF_EXPONENT = 4
# Powers of ten up to this one are exact as doubles, and so are whole numbers up to 2**53.
_EXACT_POWER = 22
_EXACT_WHOLE = 1 << 53
# Powers of ten as sums of two doubles, down to where halves of a product could vanish.
_LEAST_POWER = -250
_POWERS = np.array([float(10**power) for power in range(1 - _LEAST_POWER)])
_REST_OF_POWERS = np.array([float(10**k - int(float(10**k))) for k in range(1 - _LEAST_POWER)])
_SPLITTER = float((1 << 27) + 1)


@kernel
def quotient(whole: int, power: int) -> tuple[float, bool]:
    """The double nearest to whole / 10**power, and whether that is certain.

    `whole` has up to 18 digits, `power` is at most 250. The quotient is computed with twice the
    digits of a double (Dekker 1971); it is certain when rounding gives the same double at both
    ends of an interval that is wider than the error of that computation.
    """
    divisor = _POWERS[power]
    high = float(whole)
    if whole <= _EXACT_WHOLE and power <= _EXACT_POWER:
        return high / divisor, True
    low = float(whole - np.int64(high))
    first = high / divisor
    # The error of the product first * divisor, exactly.
    product = first * divisor
    split = _SPLITTER * first
    first_high = split - (split - first)
    first_low = first - first_high
    split = _SPLITTER * divisor
    divisor_high = split - (split - divisor)
    divisor_low = divisor - divisor_high
    error = first_low * divisor_low - (
        ((product - first_high * divisor_high) - first_low * divisor_high)
        - first_high * divisor_low
    )
    rest = ((high - product) - error) + (low - first * _REST_OF_POWERS[power])
    second = rest / divisor
    doubt = abs(first) * 1e-28
    return first + second, first + (second - doubt) == first + (second + doubt)


@kernel
def _equal(a: Any, b: Any, length: Any) -> Any:
    """Whether `length` bytes at two addresses are equal; up to seven more bytes are read."""
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
def _digits(place: Any, value: Any) -> Any:
    """`value` with the digits at `place` appended (wrong beyond 18), and where they end."""
    digit = np.int64(one_byte(place)) - _ZERO
    while digit >= 0 and digit <= 9:
        value = value * 10 + digit
        place += 1
        digit = np.int64(one_byte(place)) - _ZERO
    return value, place


@kernel
def _zeros_end(place: Any) -> Any:
    while one_byte(place) == _ZERO:
        place += 1
    return place


@kernel
def _exponent(place: Any) -> Any:
    """The exponent at `place` (0 where there is none) and where it ends; 0: not understood."""
    if one_byte(place) != _LOWER_E and one_byte(place) != _UPPER_E:
        return 0, place
    place += 1
    negative = one_byte(place) == _MINUS
    if negative or one_byte(place) == _PLUS:
        place += 1
    value, end = _digits(place, 0)
    if end == place or end - place > _MOST_DIGITS_OF_EXPONENT:
        return 0, 0
    return -value if negative else value, end


@kernel
def _score(place: Any) -> Any:
    """The number at `place`, as `float` reads it, and where it ends; 0: not understood."""
    negative = one_byte(place) == _MINUS
    if negative or one_byte(place) == _PLUS:
        place += 1
    # Zeros before the first digit that counts do not count.
    counting = _zeros_end(place)
    value, end = _digits(counting, 0)
    any_digit, n_counting = end > place, end - counting
    exponent = 0
    if one_byte(end) == _DOT:
        place = end + 1
        counting = place if n_counting else _zeros_end(place)
        value, end = _digits(counting, value)
        any_digit, n_counting = any_digit or end > place, n_counting + end - counting
        exponent = place - end
    power, end = _exponent(end)
    exponent += power
    if end == 0 or not any_digit or n_counting > _MOST_DIGITS:
        return 0.0, 0
    if exponent >= _LEAST_POWER and exponent <= 0:
        result, certain = quotient(value, -exponent)
    else:
        result = float(value) * _POWERS[min(max(exponent, 0), _EXACT_POWER)]
        certain = value == 0 or (
            exponent > 0 and exponent <= _EXACT_POWER and value <= _EXACT_WHOLE
        )
    return -result if negative else result, end if certain else 0


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
        digits = _blanks_end(docno_end)
        this_rank, digits_end = _digits(digits, 0)
        decimal = _blanks_end(digits_end)
        if (
            docno_end == docno
            or digits == docno_end
            or digits_end == digits
            or digits_end - digits > _MOST_DIGITS
            or decimal == digits_end
        ):
            status = ODD_LINE
            break
        this_score, decimal_end = _score(decimal)
        if decimal_end == 0:
            status = ODD_LINE
            break
        tag = _blanks_end(decimal_end)
        tag_end = _word_end(tag, limit)
        end = _line_end(tag_end)
        if tag == decimal_end or tag_end == tag or end == 0:
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
def _docno_before(buffer: NDArray[np.uint8], a: int, a_length: int, b: int, b_length: int) -> Any:
    """Whether text a comes after text b (so that a, descending, comes first), and equality."""
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
    """Whether row a stands strictly above row b."""
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
    # So large that most documents find their slot empty, at once.
    size = 4
    while size < 8 * longest:
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.zeros(size, dtype=np.int64)
    scratch = np.empty(longest, dtype=np.int64)
    total = n_conflicts = n_gaps = n_duplicates = 0
    for query in range(len(starts)):
        start, stop = starts[query], stops[query]
        # Is it in order as it stands, and do the ranks rise by one?
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
        # Each document once: a hash table of rows, which stand behind the query that filled a slot.
        found, this_query = 0, np.int64(query + 1) << 32
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
            if found < depth or (
                ties and np.float32(score[row]) == np.float32(score[kept[total - 1]])
            ):
                kept[total] = row
                total += 1
                found += 1
        n_kept[query] = found
    return total, n_conflicts, n_gaps, n_duplicates


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
