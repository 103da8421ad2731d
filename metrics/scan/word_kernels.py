"""Comparing tokens with the words of a lexicon exactly, and adding up what they count for."""

from typing import Any

import numpy as np

from metrics.kernel import kernel
from metrics.scan.character_kernels import IS_WORD, decode
from metrics.scan.token_kernels import length_of, letters_of, slot_of
from metrics.scan.vector import eight_bytes, one_byte

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {
    "vector": "f8f191da3b80185a",
    "character_kernels": "7b0c51788d38d666",
    "token_kernels": "b1c1cb81c0de0dc9",
}


@kernel
def ends_token(place: Any, end: Any, words: Any, classes: Any) -> Any:
    """Whether a token that reaches up to the address `place` ends there."""
    if place >= end:
        return place == end
    if not words:
        return one_byte(place) == 0x20
    point, _ = decode(place, end)
    return one_byte(classes + point) & IS_WORD == 0


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
def find_slot(place: Any, words: Any, slot_letters: Any, slot_length: Any, n_slots: Any) -> Any:
    """Where the token at the address `place` stands in a table of words, and its length there.

    The tables are given by their addresses. A word of up to eight bytes is found by its bytes and
    length, a longer one by its first eight with the length `token_kernels.LONG`.
    """
    length = length_of(place, words)
    letters = letters_of(place, length)
    slot = slot_of(letters, length, n_slots)
    while one_byte(slot_length + slot) and (
        one_byte(slot_length + slot) != length or eight_bytes(slot_letters + 8 * slot) != letters
    ):
        slot = (slot + 1) & (n_slots - 1)
    return slot, length


@kernel
def resolve(
    buffer: Any, starts: Any, ends: Any, words: Any, classes: Any, marked: Any, n_marked: Any,
    slot_letters: Any, slot_length: Any, slot_word: Any, long_words: Any, long_ends: Any,
    group_of: Any, logarithms: Any, needs_definition: Any, tc: Any, tf: Any,
) -> None:  # fmt: skip
    """Compare the marked tokens with the words of the lexicon; sum up counts and logarithms.

    Words are numbered in the order in which the definition adds their logarithms; -2 - `slot_word`
    is the first row in `long_ends` of words beyond eight bytes.
    """
    counts = np.zeros(len(group_of), dtype=np.int64)
    present = np.empty(len(group_of), dtype=np.int64)
    address, classes_at = buffer.ctypes.data, classes.ctypes.data
    slot_letters_at, slot_length_at = slot_letters.ctypes.data, slot_length.ctypes.data
    n_slots = len(slot_word)
    m = 0
    for i in range(len(ends)):
        n_present = 0
        start, end = address + starts[i], address + ends[i]
        while m < n_marked and marked[m] < ends[i]:
            place = address + marked[m]
            m += 1
            slot, length = find_slot(place, words, slot_letters_at, slot_length_at, n_slots)
            word = slot_word[slot]
            # Not in a docno, and behind a space where tokens stand between spaces.
            if place < start or (not words and place > start and one_byte(place - 1) != 0x20):
                continue
            if word < -1:
                word = long_word(place, end, words, classes_at, -2 - word, long_words, long_ends)
            elif word >= 0 and not ends_token(place + length, end, words, classes_at):
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
                needs_definition[i] = True
