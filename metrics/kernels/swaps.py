"""Replacing words of a table by their counterparts in lines of text, compiled by Numba."""

from typing import Any

import numpy as np

from .compile import kernel
from .vector import copy_block, one_byte
from .words import NUMBER

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "4c2b2fdf3b979693", "words": "767cf7fd5c493a01"}

# The forms of a word, in the order of `metrics.texts.counterfactual.substitution`.
LOWER, TITLE, UPPER, MIXED = 0, 1, 2, 3

# What a word is replaced by: its counterpart, that only where it is capitalised, what Python says.
ALWAYS, CAPITALISED, ASK = 0, 1, 2


@kernel
def form_of(place: Any, end: Any) -> Any:
    """The letter case of the ASCII letters between two addresses."""
    n_upper = 0
    for at in range(place, end):
        n_upper += one_byte(at) & 0x20 == 0
    if n_upper == 0:
        return LOWER
    if n_upper == 1 and one_byte(place) & 0x20 == 0:
        return TITLE
    return UPPER if n_upper == end - place else MIXED


@kernel
def copy_bytes(target: Any, source: Any, size: Any) -> None:
    """Copy from one address to another; up to 63 bytes behind the target are written over."""
    for done in range(0, size, 64):
        copy_block(target + done, source + done)


@kernel
def swap(
    buffer: Any, spans: Any, places: Any, matches: Any, n_matches: Any,
    word_lengths: Any, kinds: Any, counterparts: Any, bounds: Any, left_out: Any,
    out: Any, line_ends: Any, changed: Any, undecided: Any,
) -> Any:  # fmt: skip
    """Write the lines `docno<TAB>text` of `spans` to `out` with words replaced.

    The counterpart of word w in the form f is `counterparts[bounds[w, f, 0] : bounds[w, f, 1]]`.
    `places` and `matches` are those of `words.find_words`. Lines of `left_out` are not
    written. `line_ends[i]` gets where line i ends in `out`, `changed[i]` whether a word of it was
    replaced. A word whose kind is `ASK` is written as it stands; a row of `undecided` gets its
    line, its number, its place in `buffer` and in `out`. Gives the number of those.

    `out` has room for all lines with their longest counterparts and 64 bytes more, `counterparts`
    for 64 bytes behind the last.
    """
    # Signed, so that differences of addresses are whole numbers.
    address, target = np.int64(buffer.ctypes.data), np.int64(out.ctypes.data)
    counterparts_at = np.int64(counterparts.ctypes.data)
    at, m, n_undecided = target, 0, 0
    for i in range(len(line_ends)):
        cursor, start, end = address + spans[0, i], address + spans[2, i], address + spans[3, i]
        while m < n_matches and address + places[m] < end:
            place, word = address + places[m], matches[m] >> NUMBER
            m += 1
            if place < start or left_out[i]:
                continue
            stop = place + word_lengths[word]
            form = form_of(place, stop)
            if form == MIXED or (form == LOWER and kinds[word] == CAPITALISED):
                continue
            copy_bytes(at, cursor, place - cursor)
            at += place - cursor
            cursor = place
            if kinds[word] == ASK:
                undecided[n_undecided, 0], undecided[n_undecided, 1] = i, word
                undecided[n_undecided, 2], undecided[n_undecided, 3] = place - address, at - target
                n_undecided += 1
                continue
            first, last = bounds[word, form, 0], bounds[word, form, 1]
            copy_bytes(at, counterparts_at + first, last - first)
            at += last - first
            cursor = stop
            changed[i] = True
        if not left_out[i]:
            copy_bytes(at, cursor, end - cursor)
            at += end - cursor
            out[at - target] = 0x0A
            at += 1
        line_ends[i] = at - target
    return n_undecided
