"""Characters outside ASCII, read where they stand in a buffer of bytes."""

from typing import Any

import numpy as np

from .compile import kernel
from .vector import lowest_bit, one_byte

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "4c2b2fdf3b979693"}

# Bits in the table of code points; see metrics.texts.scan.tables.
IS_WORD = 1
NEEDS_DEFINITION = 2

_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE = np.uint64(1)


@kernel
def decode(place: Any, end: Any) -> Any:
    """The code point that begins at the address `place` and its bytes; (-1, 1) if not UTF-8."""
    lead = one_byte(place)
    if lead < 0x80:
        return lead, 1
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if lead < 0xC2 or lead > 0xF4 or place + size > end:
        return -1, 1
    point = lead & (0x7F >> size)
    for i in range(1, size):
        byte = one_byte(place + i)
        if byte & 0xC0 != 0x80:
            return -1, 1
        point = (point << 6) | (byte & 0x3F)
    too_long = (size == 3 and point < 0x800) or (size == 4 and point < 0x10000)
    if too_long or point > 0x10FFFF or 0xD800 <= point < 0xE000:
        return -1, 1
    return point, size


@kernel
def valid_utf8(place: Any, end: Any) -> Any:
    """Return whether the bytes from one address to another are UTF-8."""
    while place < end:
        point, size = decode(place, end)
        if point < 0:
            return False
        place += size
    return True


@kernel
def foreign(classes: Any, place: Any, high: Any, begin: Any, end: Any) -> Any:
    """The characters outside ASCII that begin in the block at address `place`, not before `begin`.

    `high` are the bits of the bytes above ASCII. Gives the block's bits of word characters, of last
    bytes of the apostrophe U+2019 and of first bytes of characters that need the definition; the
    bits of the first two kinds that fall into the next block; and the place where the next
    character begins, or 0 after invalid UTF-8.
    """
    words, words_after = np.uint64(0), np.uint64(0)
    curly, curly_after = np.uint64(0), np.uint64(0)
    ambiguous = np.uint64(0)
    if begin > place:
        high &= _ALL << np.uint64(min(begin - place, 63))
    while high:
        bit = lowest_bit(high)
        point, size = decode(place + bit, end)
        if point < 0:
            # The caller stops at this bit.
            return words, words_after, curly, curly_after, _ONE << np.uint64(bit), 0
        kind = one_byte(classes + point)
        ambiguous |= np.uint64(kind >> 1) << np.uint64(bit)
        span = (_ONE << np.uint64(size)) - _ONE
        over = bit + size - 64
        if kind & IS_WORD:
            words |= span << np.uint64(bit)
            if over > 0:
                words_after = span >> np.uint64(size - over)
        if point == 0x2019:
            if over > 0:
                curly_after = _ONE << np.uint64(over - 1)
            else:
                curly |= _ONE << np.uint64(bit + size - 1)
        high &= ~(span << np.uint64(bit))
        begin = place + bit + size
    return words, words_after, curly, curly_after, ambiguous, begin
