"""The inner loops of the scan, compiled by Numba, without the interpreter lock.

Group words are one to three of a hundred tokens, so no text is ever split into tokens. For each
block of 64 bytes a bit mask says where tokens begin; counting its bits counts the tokens. Where the
first three letters may begin a group word is found for all 64 bytes at once; the few tokens that
pass are compared exactly afterwards, see `resolve`.

All buffers are uint8 arrays with `metrics.scan.reading.PADDING` readable bytes behind what is
scanned; a passage is a span [start, end) of one, and the byte behind it is no letter.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

from metrics.scan.vector import (
    VECTOR,
    above_ascii,
    ascii_words,
    bit_count,
    eight_bytes,
    equals,
    four_bytes,
    likely_beginnings,
    lowest_bit,
    one_byte,
)

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "f4802f1ed57d8ee3"}

FILTER_BITS = 14
# What the table of code points says; see metrics.scan.tables.
IS_WORD = 1
NEEDS_DEFINITION = 2
# What a passage needs after the scan.
EXACT = 1
INVALID = 2
# Marked tokens that a block seldom exceeds: a fixed number of steps is one the processor foresees.
USUAL_TOKENS = 2 if VECTOR else 12

_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE = np.uint64(1)

_F = TypeVar("_F", bound=Callable[..., Any])


def kernel(function: _F) -> _F:
    """Compile without the interpreter lock, kept on disk where the disk lets us."""
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:
        # Neither the installation nor the user's cache folder can be written.
        return njit(**options)(function)  # type: ignore[no-any-return]


# -- characters outside ASCII ---------------------------------------------------------------------


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
    """Whether the bytes from one address to another are UTF-8."""
    while place < end:
        point, size = decode(place, end)
        if point < 0:
            return False
        place += size
    return True


@kernel
def foreign(classes: Any, place: Any, high: Any, begin: Any, end: Any) -> Any:
    """The characters outside ASCII that begin in the block at address `place`, not before `begin`.

    Gives the block's bits of word characters and of last bytes of the apostrophe U+2019, those bits
    of both that fall into the next block, where the next character begins, and what the passage
    needs.
    """
    words, words_after = np.uint64(0), np.uint64(0)
    curly, curly_after = np.uint64(0), np.uint64(0)
    needs = 0
    if begin > place:
        high &= _ALL << np.uint64(min(begin - place, 63))
    while high:
        bit = lowest_bit(high)
        point, size = decode(place + bit, end)
        if point < 0:
            return words, words_after, curly, curly_after, end, INVALID
        kind = one_byte(classes + point)
        needs |= EXACT if kind & NEEDS_DEFINITION else 0
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
    return words, words_after, curly, curly_after, begin, needs


# -- marking the tokens that may be group words ---------------------------------------------------


@kernel
def beginning(three_letters: Any) -> Any:
    """Where the filter keeps the first three letters of a token, without their case."""
    folded = (three_letters & np.uint64(0xFFFFFF)) | np.uint64(0x202020)
    return (folded * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - FILTER_BITS)


@kernel
def mark(
    buffer: Any, starts: Any, ends: Any, words: Any, likely: Any, may_begin: Any, classes: Any,
    marked: Any, n_tokens: Any, needs: Any,
) -> Any:  # fmt: skip
    """Count the tokens of passages and mark those that may be group words.

    `words` says which tokens: words, or what stands between single spaces. `marked` gets the places
    of the tokens, in order; gives their number.
    """
    address, classes_at, likely_at = buffer.ctypes.data, classes.ctypes.data, likely.ctypes.data
    zero = np.uint64(0)
    count = 0
    for i in range(len(starts)):
        place, end = address + starts[i], address + ends[i]
        tokens, need, next_character = 0, 0, place
        # A passage begins as if a space stood before it.
        old_token, old_straight, old_curly, token_after, curly_after = zero, zero, zero, zero, zero
        while place < end:
            left = end - place
            inside = _ALL if left >= 64 else (_ONE << np.uint64(left)) - _ONE
            high = above_ascii(place) & inside
            if words:
                token = ascii_words(place) | token_after
                straight, curly = equals(place, np.uint8(0x27)), curly_after
                token_after, curly_after = zero, zero
            else:
                token = ~equals(place, np.uint8(0x20))
                straight, curly = zero, zero
            if high:
                more, token_after, more_curly, curly_after, next_character, found = foreign(
                    classes_at, place, high, next_character, end
                )
                token |= more
                curly |= more_curly
                need |= found
            token &= inside
            begins = token & ~((token << _ONE) | (old_token >> np.uint64(63)))
            if words:
                # An apostrophe between two word characters joins them: "she's" is one token.
                joined = ((straight << _ONE) | (old_straight >> np.uint64(63))) & (
                    (token << np.uint64(2)) | (old_token >> np.uint64(62))
                )
                joined |= ((curly << _ONE) | (old_curly >> np.uint64(63))) & (
                    (token << np.uint64(4)) | (old_token >> np.uint64(60))
                )
                begins &= ~joined
                old_straight, old_curly = straight, curly
            old_token = token
            tokens += bit_count(begins)
            begins &= likely_beginnings(place, likely_at)
            for _ in range(USUAL_TOKENS):
                at = place + lowest_bit(begins)
                marked[count] = at - address
                count += may_begin[beginning(four_bytes(at))] & (begins != zero)
                begins &= begins - _ONE
            while begins:
                at = place + lowest_bit(begins)
                marked[count] = at - address
                count += may_begin[beginning(four_bytes(at))]
                begins &= begins - _ONE
            place += 64
        n_tokens[i], needs[i] = tokens, need
    return count


# -- comparing them exactly -----------------------------------------------------------------------


@kernel
def ends_token(place: Any, end: Any, words: Any, classes: Any) -> Any:
    """Whether a token that reaches up to the address `place` ends there."""
    if place >= end:
        return True
    if not words:
        return one_byte(place) == 0x20
    point, _ = decode(place, end)
    return one_byte(classes + point) & IS_WORD == 0


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
def long_word(
    place: Any, end: Any, words: Any, classes: Any, entry: Any, long_words: Any, long_ends: Any
) -> Any:
    """The number of the word beyond eight bytes that the token at address `place` is, or -1.

    Words with the same first eight bytes follow each other from row `entry` of `long_ends` on. A
    row: the word's number, where its bytes begin and end in `long_words`, whether one more follows.
    """
    while True:
        word, begin, stop, more = long_ends[entry]
        size = stop - begin
        same = place + size <= end
        for i in range(8, size if same else 0):
            byte = one_byte(place + i)
            if 0x41 <= byte <= 0x5A:
                byte |= 0x20
            same = same and byte == long_words[begin + i]
        if same and ends_token(place + size, end, words, classes):
            return word
        if not more:
            return -1
        entry += 1


@kernel
def letters_of(place: Any, length: Any) -> Any:
    """The first bytes of the token at the address `place`, at most eight, in lower case."""
    unused = np.uint64(64 - 8 * min(max(length, 1), 8))
    return lower_case(eight_bytes(place)) & (_ALL >> unused)


@kernel
def narrow(buffer: Any, words: Any, marked: Any, count: Any, slot_length: Any) -> Any:
    """Keep those of the first `count` marked tokens whose place in the table of words is taken.

    No branch depends on the text here, so that the processor never guesses wrong; what is kept is
    compared exactly afterwards. Gives their number.
    """
    address = buffer.ctypes.data
    kept = 0
    for m in range(count):
        place = address + marked[m]
        if words:
            stops = ~ascii_words(place)
        else:
            # A token that goes on behind a line end in it is no word of a lexicon anyway.
            stops = equals(place, np.uint8(0x20)) | equals(place, np.uint8(0x0A))
            stops |= equals(place, np.uint8(0x0D))
        length = min(lowest_bit(stops), 9)
        slot = slot_of(letters_of(place, length), length, len(slot_length))
        marked[kept] = marked[m]
        kept += slot_length[slot] != 0
    return kept


@kernel
def resolve(
    buffer: Any, ends: Any, words: Any, classes: Any, marked: Any, n_marked: Any,
    slot_letters: Any, slot_length: Any, slot_word: Any, long_words: Any, long_ends: Any,
    group_of: Any, logarithms: Any, needs: Any, tc: Any, tf: Any,
) -> None:  # fmt: skip
    """Compare the marked tokens with the words of the lexicon; sum up counts and logarithms.

    A word of up to eight bytes is found in a table by its bytes and length, a longer one by its
    first eight, with the length 9: then -2 - `slot_word` is its first row in `long_ends`. Words are
    numbered in the order in which the definition adds their logarithms.
    """
    counts = np.zeros(len(group_of), dtype=np.int64)
    present = np.empty(len(group_of), dtype=np.int64)
    address, classes_at = buffer.ctypes.data, classes.ctypes.data
    n_slots = len(slot_word)
    m = 0
    for i in range(len(ends)):
        n_present = 0
        end = address + ends[i]
        while m < n_marked and marked[m] < ends[i]:
            place = address + marked[m]
            m += 1
            stops = ~ascii_words(place) if words else equals(place, np.uint8(0x20))
            length = min(lowest_bit(stops), end - place, 9)
            letters = letters_of(place, length)
            slot = slot_of(letters, length, n_slots)
            while slot_length[slot] and (
                slot_length[slot] != length or slot_letters[slot] != letters
            ):
                slot = (slot + 1) & (n_slots - 1)
            word = slot_word[slot]
            if word == -1:
                continue
            if word < -1:
                word = long_word(place, end, words, classes_at, -2 - word, long_words, long_ends)
            elif not ends_token(place + length, end, words, classes_at):
                continue
            if word < 0:
                continue
            if counts[word] == 0:
                at = n_present
                while at > 0 and present[at - 1] > word:
                    present[at] = present[at - 1]
                    at -= 1
                present[at] = word
                n_present += 1
            counts[word] += 1
        for p in range(n_present):
            word = present[p]
            group, count = group_of[word], counts[word]
            counts[word] = 0
            tc[group, i] += count
            if count < len(logarithms):
                tf[group, i] += logarithms[count]
            else:
                needs[i] |= EXACT


# -- lines ----------------------------------------------------------------------------------------


@kernel
def find_lines(buffer: Any, size: Any, feeds: Any) -> Any:
    r"""The places of the bytes `\n` among the first `size`; gives their number."""
    address = buffer.ctypes.data
    count = 0
    for place in range(0, size, 64):
        found = equals(address + place, np.uint8(0x0A))
        if size - place < 64:
            found &= (_ONE << np.uint64(size - place)) - _ONE
        # Most blocks have at most one line end: a fixed step is one the processor foresees.
        feeds[count] = place + lowest_bit(found)
        count += found != np.uint64(0)
        found &= found - _ONE
        while found:
            feeds[count] = place + lowest_bit(found)
            found &= found - _ONE
            count += 1
    return count


@kernel
def split_tsv(buffer: Any, feeds: Any, spans: Any) -> Any:
    """Split lines `docno<TAB>text` that end at `feeds`.

    `spans` gets four rows: where docnos begin and end, where texts begin and end. Gives the number
    of lines before the first without a tab or without a docno.
    """
    address = buffer.ctypes.data
    line = 0
    for i in range(len(feeds)):
        feed = feeds[i]
        tab = line
        while tab <= feed:
            tabs = equals(address + tab, np.uint8(0x09))
            if tabs:
                tab += lowest_bit(tabs)
                break
            tab += 64
        if tab >= feed or tab == line:
            return i
        spans[0, i], spans[1, i], spans[2, i] = line, tab, tab + 1
        spans[3, i] = feed - (buffer[feed - 1] == 0x0D)
        line = feed + 1
    return len(feeds)


@kernel
def copy_docnos(buffer: Any, begins: Any, stops: Any, offsets: Any, data: Any, needs: Any) -> None:
    """Join the docnos [begins[i], stops[i]) in `data`, docno i from `offsets[i]` on."""
    address = buffer.ctypes.data
    at = 0
    for i in range(len(begins)):
        offsets[i] = at
        seen = 0
        for place in range(begins[i], stops[i]):
            byte = buffer[place]
            data[at] = byte
            seen |= byte
            at += 1
        if seen >= 0x80 and not valid_utf8(address + begins[i], address + stops[i]):
            needs[i] = INVALID
    offsets[len(begins)] = at


@kernel
def ascending_numbers(offsets: Any, data: Any) -> Any:
    """The first and last docno where all are whole numbers that grow, else (-1, -1)."""
    first, last = np.int64(-1), np.int64(-1)
    for i in range(len(offsets) - 1):
        size = offsets[i + 1] - offsets[i]
        if size == 0 or size > 18 or (data[offsets[i]] == 0x30 and size > 1):
            return np.int64(-1), np.int64(-1)
        number = np.int64(0)
        for place in range(offsets[i], offsets[i + 1]):
            digit = np.int64(data[place]) - 0x30
            if not 0 <= digit <= 9:
                return np.int64(-1), np.int64(-1)
            number = 10 * number + digit
        if number <= last:
            return np.int64(-1), np.int64(-1)
        first = number if i == 0 else first
        last = number
    return first, last


@kernel
def digest_docnos(offsets: Any, data: Any, digests: Any) -> None:
    """128 bits for each docno, eight bytes of it at a time; `data` has readable bytes behind it."""
    address = data.ctypes.data
    for i in range(len(offsets) - 1):
        place, left = address + offsets[i], np.int64(offsets[i + 1] - offsets[i])
        one, two = np.uint64(left), np.uint64(left) ^ np.uint64(0xD1B54A32D192ED03)
        while left > 0:
            letters = eight_bytes(place)
            if left < 8:
                letters &= (_ONE << np.uint64(8 * left)) - _ONE
            one = (one ^ letters) * np.uint64(0x9E3779B97F4A7C15)
            one ^= one >> np.uint64(32)
            two = (two + letters) * np.uint64(0xBF58476D1CE4E5B9)
            two ^= two >> np.uint64(29)
            place += 8
            left -= 8
        digests[i, 0] = one * np.uint64(0x94D049BB133111EB)
        digests[i, 1] = two * np.uint64(0xD6E8FEB86659FD93)
