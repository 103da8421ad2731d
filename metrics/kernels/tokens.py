"""Tokens where they stand in a block of text: how many, and what a hash table knows them by."""

from typing import Any

import numpy as np

from .compile import kernel
from .vector import (
    ascii_words_of_16,
    bit_count,
    eight_bytes,
    equals_of_16,
    lowest_bit,
)

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "4c2b2fdf3b979693"}

FILTER_BITS = 14
LONG = 9  # the length of a token beyond eight bytes

_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE = np.uint64(1)


@kernel
def count_tokens(
    buffer: Any, starts: Any, ends: Any, words: Any, begins: Any, before: Any, n_tokens: Any
) -> None:
    """The tokens of the texts [starts[i], ends[i]), from what `marks.mark` found."""
    for i in range(len(starts)):
        start, end = starts[i], ends[i]
        if start == end:
            n_tokens[i] = 0
            continue
        first, last = start >> 6, (end - 1) >> 6
        # Bits below `start` of its block do not count, and those from `end` on of the last block.
        below = begins[first] & ((_ONE << np.uint64(start & 63)) - _ONE)
        within = begins[last] & (_ALL >> np.uint64(63 - ((end - 1) & 63)))
        count = before[last] - before[first] + bit_count(within) - bit_count(below)
        # To `mark` a text begins behind what is no space.
        n_tokens[i] = count + (not words and buffer[start] != 0x20)


@kernel
def beginning(three_letters: Any) -> Any:
    """Where the filter keeps the first three letters of a token, without their case."""
    folded = (three_letters & np.uint64(0xFFFFFF)) | np.uint64(0x202020)
    return (folded * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - FILTER_BITS)


@kernel
def slot_of(letters: Any, length: Any, n_slots: Any) -> Any:
    """Where the table of words keeps a token of up to eight letters, or the first eight of more."""
    mixed = (letters + np.uint64(length)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(40)) & (n_slots - 1)


@kernel
def lower_case(letters: Any) -> Any:
    """Eight bytes with the ASCII capitals among them made small, the others as they are."""
    low = letters & np.uint64(0x7F7F7F7F7F7F7F7F)
    from_a = low + np.uint64(0x3F3F3F3F3F3F3F3F)
    beyond_z = low + np.uint64(0x2525252525252525)
    capital = (from_a ^ beyond_z) & ~letters & np.uint64(0x8080808080808080)
    return letters | (capital >> np.uint64(2))


@kernel
def length_of(place: Any, words: Any) -> Any:
    """The bytes of the token at the address `place`, at most `LONG`.

    A token between spaces that goes on behind a line end in it is no word of a lexicon anyway.
    """
    if words:
        stops = ~ascii_words_of_16(place)
    else:
        stops = equals_of_16(place, np.uint8(0x20)) | equals_of_16(place, np.uint8(0x0A))
        stops |= equals_of_16(place, np.uint8(0x0D))
    return lowest_bit(stops | (_ONE << np.uint64(LONG)))


@kernel
def letters_of(place: Any, length: Any) -> Any:
    """The first bytes of the token at the address `place`, at most eight, in lower case."""
    unused = np.uint64(64 - 8 * min(max(length, 1), 8))
    return lower_case(eight_bytes(place)) & (_ALL >> unused)
