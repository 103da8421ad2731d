"""Finding the tokens of a block of text that may be words of a lexicon, without splitting it.

Group words are one to three of a hundred tokens, so no token is ever made. For each 64 bytes a bit
mask says where tokens begin; counting its bits counts the tokens. Where three letters may begin a
word of the lexicon is looked up for all 64 places at once; what passes goes through a hash table of
whole words, and what passes that is compared exactly, see `metrics.scan.word_kernels`.

A buffer is an array of uint8 with `metrics.scan.reading.PADDING` readable bytes behind what is
scanned.
"""

from typing import Any

import numpy as np

from metrics.kernel import kernel
from metrics.scan.character_kernels import foreign
from metrics.scan.vector import (
    above_ascii,
    ascii_words,
    ascii_words_of_16,
    bit_count,
    eight_bytes,
    equals,
    equals_of_16,
    four_bytes,
    likely_beginnings,
    lowest_bit,
)

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "f8f191da3b80185a", "character_kernels": "7b0c51788d38d666"}

FILTER_BITS = 14
LONG = 9  # the length of a token beyond eight bytes

_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@kernel
def mark(
    buffer: Any, size: Any, words: Any, joins: Any, likely: Any, classes: Any,
    feeds: Any, begins: Any, before: Any, likely_bits: Any, likely_blocks: Any, delicate: Any,
) -> Any:  # fmt: skip
    r"""Find line ends and tokens among the first `size` bytes, 64 at a time.

    `words` says which tokens: words, or what stands between single spaces; `joins`, whether an
    apostrophe between two words makes one of them. `feeds` gets the places
    of the bytes `\n`; `begins` the bits where tokens begin, of each 64 bytes, and `before` how many
    begin before them; `likely_bits` the bits of those that may be words of the lexicon, of the 64
    bytes `likely_blocks` that have any; `delicate` the places of characters that need the
    definition. What stands behind a tab or a line feed is taken for the beginning of a token in
    `likely_bits`, but not in `begins` unless it is a word.

    Gives how many entries of `feeds`, `likely_bits` and `delicate` were filled, and the place of
    the first byte that is not UTF-8, or `size`.
    """
    address, classes_at, likely_at = buffer.ctypes.data, classes.ctypes.data, likely.ctypes.data
    end, next_character, invalid = address + size, address, size
    n_feeds, n_likely, n_delicate, n_tokens = 0, 0, 0, 0
    old_token = _ZERO if words else _ALL
    old_gap = _ALL
    old_straight, old_curly, token_after, curly_after = _ZERO, _ZERO, _ZERO, _ZERO
    for block in range((size + 63) >> 6):
        place = address + 64 * block
        left = end - place
        inside = _ALL if left >= 64 else (_ONE << np.uint64(left)) - _ONE
        high = above_ascii(place) & inside
        feed = equals(place, np.uint8(0x0A)) & inside
        if words:
            token = ascii_words(place) | token_after
            straight, curly = equals(place, np.uint8(0x27)), curly_after
            token_after, curly_after = _ZERO, _ZERO
        else:
            token = ~equals(place, np.uint8(0x20))
            straight, curly = _ZERO, _ZERO
        if high and invalid == size:
            more, token_after, more_curly, curly_after, odd, next_character = foreign(
                classes_at, place, high, next_character, end
            )
            token |= more
            curly |= more_curly
            if next_character == 0:
                invalid = 64 * block + lowest_bit(odd)
            else:
                while odd:
                    delicate[n_delicate] = 64 * block + lowest_bit(odd)
                    n_delicate += 1
                    odd &= odd - _ONE
        token &= inside
        starts = token & ~((token << _ONE) | (old_token >> np.uint64(63)))
        may_start = starts
        if words and joins:
            # An apostrophe between two word characters joins them: "she's" is one token.
            joined = ((straight << _ONE) | (old_straight >> np.uint64(63))) & (
                (token << np.uint64(2)) | (old_token >> np.uint64(62))
            )
            joined |= ((curly << _ONE) | (old_curly >> np.uint64(63))) & (
                (token << np.uint64(4)) | (old_token >> np.uint64(60))
            )
            starts &= ~joined
            old_straight, old_curly = straight, curly
            may_start = starts
        elif not words:
            gap = ~token | feed | equals(place, np.uint8(0x09))
            may_start = token & ((gap << _ONE) | (old_gap >> np.uint64(63)))
            old_gap = gap
        old_token = token
        begins[block], before[block] = starts, n_tokens
        n_tokens += bit_count(starts)
        may_start &= likely_beginnings(place, likely_at)
        # Written always and kept sometimes: the processor has nothing to foresee.
        likely_bits[n_likely], likely_blocks[n_likely] = may_start, block
        n_likely += may_start != _ZERO
        feeds[n_feeds] = 64 * block + lowest_bit(feed)
        n_feeds += feed != _ZERO
        feed &= feed - _ONE
        while feed:
            feeds[n_feeds] = 64 * block + lowest_bit(feed)
            feed &= feed - _ONE
            n_feeds += 1
    return n_feeds, n_likely, n_delicate, invalid


@kernel
def count_tokens(
    buffer: Any, starts: Any, ends: Any, words: Any, begins: Any, before: Any, n_tokens: Any
) -> None:
    """The tokens of the texts [starts[i], ends[i]), from what `mark` found."""
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


@kernel
def narrow(
    buffer: Any, words: Any, likely_bits: Any, likely_blocks: Any, n_likely: Any, may_begin: Any,
    slot_length: Any, marked: Any,
) -> Any:  # fmt: skip
    """The places of those likely tokens whose slot in the table of words is taken; their number.

    Each place is written always and kept sometimes, so that the processor has little to foresee.
    """
    address = buffer.ctypes.data
    count = 0
    for k in range(n_likely):
        bits, first = likely_bits[k], address + 64 * np.int64(likely_blocks[k])
        while bits:
            place = first + lowest_bit(bits)
            bits &= bits - _ONE
            marked[count] = place - address
            count += may_begin[beginning(four_bytes(place))]
    kept = 0
    for m in range(count):
        place = address + marked[m]
        length = length_of(place, words)
        slot = slot_of(letters_of(place, length), length, len(slot_length))
        marked[kept] = marked[m]
        kept += slot_length[slot] != 0
    return kept
