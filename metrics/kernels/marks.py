"""One pass over a block of text: line ends, tokens, and the words of a lexicon.

Group words are one to three of a hundred tokens, so no token is ever made. For each 64 bytes a bit
mask says where tokens begin; counting its bits counts the tokens. Where three letters may begin a
word of the lexicon is looked up for all 64 places at once; what passes goes through a hash table of
whole words, and what passes that is compared exactly, see `metrics.kernels.words`.

A buffer is an array of uint8 with `metrics.texts.scan.reading.PADDING` readable bytes behind what
is scanned.
"""

from typing import Any

import numpy as np

from .characters import foreign
from .compile import kernel
from .vector import (
    above_ascii,
    ascii_words,
    bit_count,
    equals,
    likely_beginnings,
    lowest_bit,
)
from .words import find_words

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {
    "vector": "4c2b2fdf3b979693",
    "characters": "cf8c9f1fe9343a15",
    "tokens": "61a4029250ec951c",
    "words": "767cf7fd5c493a01",
}

# Likely words are looked at while the text that they stand in is still in the nearest caches.
_AT_ONCE = 1 << 10

_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@kernel
def mark(
    buffer: Any, size: Any, words: Any, joins: Any, likely: Any, classes: Any, may_begin: Any,
    slot_letters: Any, slot_length: Any, slot_word: Any, word_length: Any,
    long_words: Any, long_ends: Any,
    newline_offsets: Any, begins: Any, before: Any, places: Any, matches: Any, ambiguous: Any,
) -> Any:  # fmt: skip
    r"""Find line ends, tokens and words among the first `size` bytes, 64 at a time.

    `words` says which tokens: words, or what stands between single spaces; `joins`, whether an
    apostrophe between two words makes one of them. `newline_offsets` gets the places of line ends,
    `begins` the bits where tokens begin, of each 64 bytes, and `before` how many begin before them;
    `places` and `matches` the words of the lexicon, see `find_words`; `ambiguous` the places of
    characters that need the definition. A word behind a tab or a line feed may be found, but is not
    in `begins` unless the tokens are words.

    Gives how many entries of `newline_offsets`, `matches` and `ambiguous` were filled, and the
    place of the first byte that is not UTF-8, or `size`.
    """
    address, classes_at, likely_at = buffer.ctypes.data, classes.ctypes.data, likely.ctypes.data
    end, next_character, invalid = address + size, address, size
    n_newlines, n_likely, n_matches, n_ambiguous, n_tokens = 0, 0, 0, 0, 0
    likely_bits = np.empty(_AT_ONCE, dtype=np.uint64)
    likely_blocks = np.empty(_AT_ONCE, dtype=np.int32)
    candidates = np.empty(64 * _AT_ONCE, dtype=np.int32)
    old_token = _ZERO if words else _ALL
    old_gap = _ALL
    old_straight, old_curly, token_after, curly_after = _ZERO, _ZERO, _ZERO, _ZERO
    n_blocks = (size + 63) >> 6
    for block in range(n_blocks):
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
                    ambiguous[n_ambiguous] = 64 * block + lowest_bit(odd)
                    n_ambiguous += 1
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
        if n_likely == _AT_ONCE or block == n_blocks - 1:
            n_matches = find_words(
                address, size, words, classes_at, may_begin,
                likely_bits, likely_blocks, n_likely, candidates,
                slot_letters, slot_length, slot_word, word_length, long_words, long_ends,
                places, matches, n_matches,
            )  # fmt: skip
            n_likely = 0
        newline_offsets[n_newlines] = 64 * block + lowest_bit(feed)
        n_newlines += feed != _ZERO
        feed &= feed - _ONE
        while feed:
            newline_offsets[n_newlines] = 64 * block + lowest_bit(feed)
            feed &= feed - _ONE
            n_newlines += 1
    return n_newlines, n_matches, n_ambiguous, invalid
