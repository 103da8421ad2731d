"""Lines of TSV to docnos and texts."""

from typing import Any

import numpy as np

from .compile import kernel
from .vector import below, eight_bytes, equals, lowest_bit, one_byte, put_eight_bytes

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "4c2b2fdf3b979693", "characters": "cf8c9f1fe9343a15"}

_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE = np.uint64(1)
_TENS = np.array([10**power for power in range(9)])


@kernel
def find_lines(buffer: Any, size: Any, newline_offsets: Any) -> Any:
    r"""The places of the bytes `\n` among the first `size`; gives their number."""
    address = buffer.ctypes.data
    count = 0
    for place in range(0, size, 64):
        newlines = equals(address + place, np.uint8(0x0A))
        if size - place < 64:
            newlines &= (_ONE << np.uint64(size - place)) - _ONE
        while newlines:
            newline_offsets[count] = place + lowest_bit(newlines)
            newlines &= newlines - _ONE
            count += 1
    return count


@kernel
def split_tsv(buffer: Any, newline_offsets: Any, spans: Any) -> Any:
    """Split lines `docno<TAB>text` that end at `newline_offsets`.

    `spans` gets four rows: where docnos begin and end, where texts begin and end. Gives the number
    of lines before the first without a tab, without a docno or with a blank in it, or a control
    character.
    """
    address = buffer.ctypes.data
    line = 0
    for i in range(len(newline_offsets)):
        feed = newline_offsets[i]
        tab, blanks = line, np.uint64(0)
        while tab <= feed:
            tabs = equals(address + tab, np.uint8(0x09))
            # Where there is no tab, this is all ones: every blank counts.
            before_tab = (tabs ^ (tabs - _ONE)) >> np.uint64(tabs != 0)
            blanks |= below(address + tab, np.uint8(0x21)) & before_tab
            if tabs:
                tab += lowest_bit(tabs)
                break
            tab += 64
        if tab >= feed or tab == line or blanks:
            return i
        spans[0, i], spans[1, i], spans[2, i] = line, tab, tab + 1
        spans[3, i] = feed - (buffer[feed - 1] == 0x0D)
        line = feed + 1
    return len(newline_offsets)


@kernel
def number_of(letters: Any, size: Any) -> Any:
    """The whole number that the first `size` of eight bytes write in digits, else -1."""
    # Moved to the end, behind zeros; then two, four, eight digits are joined.
    digits = letters ^ np.uint64(0x3030303030303030)
    digits <<= np.uint64(8 * (8 - size))
    if (digits | (digits + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080):
        return np.int64(-1)
    pairs = (digits * np.uint64(10 * 256 + 1)) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100 * 65536 + 1)) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    return np.int64((fours * np.uint64(10000 * 4294967296 + 1)) >> np.uint64(32))


@kernel
def copy_docnos(buffer: Any, begins: Any, stops: Any, offsets: Any, data: Any, digests: Any) -> Any:
    """Join the docnos [begins[i], stops[i]) in `data`, docno i from `offsets[i]` on.

    `digests[i]` gets the 128 bits of `metrics.texts.duplicates.digest`. Up to seven bytes behind
    the last docno are written to. Gives the first and last docno where all are whole numbers that
    grow, without zeros before them and of at most 16 digits, else (-1, -1).
    """
    address, target = buffer.ctypes.data, data.ctypes.data
    at = 0
    first, last, ascending = np.int64(-1), np.int64(-1), True
    for i in range(len(begins)):
        offsets[i] = at
        place, size = address + begins[i], stops[i] - begins[i]
        ascending = ascending and size <= 16 and (size == 1 or one_byte(place) != 0x30)
        number = np.int64(0)
        first_digest = np.uint64(size)
        second_digest = first_digest ^ np.uint64(0xD1B54A32D192ED03)
        for done in range(0, size, 8):
            letters, length = eight_bytes(place + done), min(size - done, 8)
            put_eight_bytes(target + at + done, letters)
            part = number_of(letters, length)
            ascending = ascending and part >= 0
            number = number * _TENS[length] + part
            letters &= _ALL >> np.uint64(64 - 8 * length)
            first_digest = (first_digest ^ letters) * np.uint64(0x9E3779B97F4A7C15)
            first_digest ^= first_digest >> np.uint64(32)
            second_digest = (second_digest + letters) * np.uint64(0xBF58476D1CE4E5B9)
            second_digest ^= second_digest >> np.uint64(29)
        digests[i, 0] = first_digest * np.uint64(0x94D049BB133111EB)
        digests[i, 1] = second_digest * np.uint64(0xD6E8FEB86659FD93)
        ascending = ascending and number > last
        first = number if i == 0 else first
        last = number
        at += size
    offsets[len(begins)] = at
    return (first, last) if ascending else (np.int64(-1), np.int64(-1))
