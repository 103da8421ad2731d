"""Comparing likely tokens with the words of a lexicon, and adding up what they count for."""

from typing import Any

import numpy as np

from .characters import IS_WORD, decode
from .compile import kernel
from .tokens import beginning, length_of, letters_of, lower_case, slot_of
from .vector import eight_bytes, four_bytes, lowest_bit, one_byte

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {
    "vector": "4c2b2fdf3b979693",
    "characters": "cf8c9f1fe9343a15",
    "tokens": "61a4029250ec951c",
}

# Bits beside the number of a word: is there a space before or behind it? At the ends of a text none
# is needed, but only the caller knows where texts begin and end.
BEHIND_SPACE, BEFORE_SPACE = 1, 2
NUMBER = 2  # the bits that a number is shifted by

_ONE = np.uint64(1)


@kernel
def ends_token(place: Any, end: Any, words: Any, classes: Any) -> Any:
    """Return whether a token, or its text, ends before the address `place`."""
    byte = one_byte(place)
    if not words:
        return byte in (0x20, 0x0A, 0x0D)
    if byte < 0x80:
        return one_byte(classes + byte) & IS_WORD == 0
    point, _ = decode(place, end)
    return point < 0 or one_byte(classes + point) & IS_WORD == 0


@kernel
def long_word(
    place: Any, end: Any, words: Any, classes: Any, entry: Any, long_words: Any, long_ends: Any
) -> Any:
    """The number of the word beyond eight bytes that the token at address `place` is, or -1.

    Words with the same first eight bytes follow each other from row `entry` of `long_ends` on. A
    row: the word's number, where its bytes begin and end behind the address `long_words`, whether
    one more follows.
    """
    while True:
        word, begin, stop, more = long_ends[entry]
        size = stop - begin
        same = place + size <= end
        for done in range(8, size, 8):
            letters = lower_case(eight_bytes(place + done))
            others = letters ^ eight_bytes(long_words + begin + done)
            same = same and others << np.uint64(8 * max(0, 8 - (size - done))) == 0
        if same and ends_token(place + size, end, words, classes):
            return word
        if not more:
            return -1
        entry += 1


@kernel
def find_words(
    address: Any, size: Any, words: Any, classes: Any, may_begin: Any,
    likely_bits: Any, likely_blocks: Any, n_likely: Any, candidates: Any,
    slot_letters: Any, slot_length: Any, slot_word: Any, word_length: Any,
    long_words: Any, long_ends: Any, places: Any, matches: Any, n_matches: Any,
) -> Any:  # fmt: skip
    """Add the likely tokens that are words to the `n_matches` entries of `places` and `matches`.

    A place counts from `address`, where `size` bytes of text begin; an entry of `matches` is the
    number of a word with `BEHIND_SPACE` and `BEFORE_SPACE`. -2 - `slot_word` is the first row in
    `long_ends` of words beyond eight bytes. Gives how many entries there are now.

    Three filters follow each other: first letters, place in the table of words, equality. Each
    always writes a candidate and only sometimes advances, so that the processor has few branches to
    predict.
    """
    n_slots, end, long_words_at = len(slot_word), address + size, long_words.ctypes.data
    n_begins = 0
    for k in range(n_likely):
        bits, first = likely_bits[k], 64 * np.int64(likely_blocks[k])
        while bits:
            place = first + lowest_bit(bits)
            bits &= bits - _ONE
            candidates[n_begins] = place
            n_begins += may_begin[beginning(four_bytes(address + place))]
    n_kept = 0
    for k in range(n_begins):
        place = address + candidates[k]
        length = length_of(place, words)
        slot = slot_of(letters_of(place, length), length, n_slots)
        candidates[n_kept] = candidates[k]
        n_kept += slot_length[slot] != 0
    for k in range(n_kept):
        place = address + candidates[k]
        length = length_of(place, words)
        letters = letters_of(place, length)
        slot = slot_of(letters, length, n_slots)
        while slot_length[slot] and (slot_length[slot] != length or slot_letters[slot] != letters):
            slot = (slot + 1) & (n_slots - 1)
        word = slot_word[slot]
        if word < -1:
            word = long_word(place, end, words, classes, -2 - word, long_words_at, long_ends)
        elif not ends_token(place + length, end, words, classes):
            word = -1
        around = 0
        if not words and word >= 0:
            around = BEHIND_SPACE * (place > address and one_byte(place - 1) == 0x20)
            around |= BEFORE_SPACE * (one_byte(place + word_length[word]) == 0x20)
        places[n_matches], matches[n_matches] = candidates[k], (word << NUMBER) | around
        n_matches += word >= 0
    return n_matches


@kernel
def _sort_by_group_and_count(present: Any, n_present: Any, group_of: Any, counts: Any) -> None:
    """Sort the first `n_present` words; there are few, and a text without words is left alone."""
    for p in range(1, n_present):
        word, at = present[p], p
        group, count = group_of[word], counts[word]
        while at > 0:
            before = present[at - 1]
            if (group_of[before], counts[before]) <= (group, count):
                break
            present[at] = before
            at -= 1
        present[at] = word


@kernel
def add_up(
    starts: Any, ends: Any, words: Any, places: Any, matches: Any, n_matches: Any,
    word_length: Any, group_of: Any, logarithms: Any, needs_definition: Any, tc: Any, tf: Any,
) -> None:  # fmt: skip
    """Sum up counts and logarithms of the words that `find_words` found, for each text.

    Text i is [starts[i], ends[i]). As in the definition, a group's logarithms are added from the
    smallest number of occurrences on, each times the words that occur so often.
    """
    counts = np.zeros(len(group_of), dtype=np.int64)
    present = np.empty(len(group_of), dtype=np.int64)
    m = 0
    for i in range(len(ends)):
        n_present = 0
        start, end = starts[i], ends[i]
        while m < n_matches and places[m] < end:
            place, word, around = places[m], matches[m] >> NUMBER, matches[m]
            m += 1
            # Skips words in a docno and, if tokens are separated by spaces, words without them.
            if place < start or not (
                words
                or (
                    (place == start or around & BEHIND_SPACE)
                    and (place + word_length[word] == end or around & BEFORE_SPACE)
                )
            ):
                continue
            if counts[word] == 0:
                present[n_present] = word
                n_present += 1
            counts[word] += 1
        _sort_by_group_and_count(present, n_present, group_of, counts)
        first = 0
        while first < n_present:
            group, count = group_of[present[first]], counts[present[first]]
            behind = first
            while behind < n_present and (
                group_of[present[behind]] == group and counts[present[behind]] == count
            ):
                behind += 1
            n_words = behind - first
            tc[group, i] += n_words * count
            if count < len(logarithms):
                tf[group, i] += n_words * logarithms[count]
            else:
                needs_definition[i] = True
            first = behind
        for p in range(n_present):
            counts[present[p]] = 0
