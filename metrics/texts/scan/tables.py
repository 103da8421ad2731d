"""The tables of the kernels, made once per lexicon and tokenizer from the readable definitions."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ...kernels.characters import IS_WORD, NEEDS_DEFINITION
from ...kernels.tokens import FILTER_BITS, LONG, beginning, slot_of
from ...vocabulary import Tokenizer
from ..lexicon import Lexicon
from ..magnitude import log_table
from ..tokens import tokenize

_WORD = re.compile(r"\w+")
_SHORT = 8  # bytes that are compared at once
_LETTERS_END = 0x40000  # no letter lies beyond, and a test looks
_DOTTED_I = "\u0130"  # the one character that lower-cases to two
_SIGMA = "\u03a3"  # lower-cases by what stands after it


@dataclass(frozen=True, eq=False)
class Tables:
    """See the parameters of the same names in `metrics.kernels.marks`."""

    words: bool
    joins: bool
    likely: NDArray[np.uint8]
    may_begin: NDArray[np.uint8]
    classes: NDArray[np.uint8]
    slot_letters: NDArray[np.uint64]
    slot_length: NDArray[np.uint8]
    slot_word: NDArray[np.int64]
    word_length: NDArray[np.int32]
    long_words: NDArray[np.uint8]
    long_ends: NDArray[np.int64]
    group_of: NDArray[np.int64]
    logarithms: NDArray[np.float64]
    n_groups: int


@lru_cache(maxsize=8)
def tables_of(lexicon: Lexicon, tokenizer: Tokenizer) -> Tables:
    """The tables for a lexicon. Words that the tokenizer never makes are left out."""
    numbered = [(w, g) for g, words in enumerate(lexicon.words) for w in words]
    ascii_words = {
        word.encode(): number
        for number, (word, _) in enumerate(numbered)
        if word.isascii() and tokenize(word, tokenizer) == [word]
    }
    beginnings = _beginnings(ascii_words, tokenizer)
    long_words, long_ends, long_entries = _long_words(ascii_words)
    slot_letters, slot_length, slot_word = _slots(ascii_words, long_entries)
    return Tables(
        words=tokenizer == "word",
        joins=tokenizer == "word",
        likely=_likely(beginnings),
        may_begin=_filter(beginnings),
        classes=_classes(lexicon),
        slot_letters=slot_letters,
        slot_length=slot_length,
        slot_word=slot_word,
        word_length=np.array([len(word.encode()) for word, _ in numbered], dtype=np.int32),
        long_words=long_words,
        long_ends=long_ends,
        group_of=np.array([group for _, group in numbered], dtype=np.int64),
        logarithms=log_table(),
        n_groups=len(lexicon.groups),
    )


def _beginnings(words: dict[bytes, int], tokenizer: Tokenizer) -> list[bytes]:
    """The three bytes that a token may begin with to be a word, whatever follows a short one."""
    ends = b" \n\r\0" if tokenizer == "whitespace" else bytes(_not_ascii_word())
    long = sorted({word[:3] for word in words if len(word) > 2})
    short = {
        bytes((*word, *tail))
        for word in words
        if len(word) < 3
        for tail in _tails(3 - len(word), ends)
    }
    return long + sorted(short)


def _filter(beginnings: list[bytes]) -> NDArray[np.uint8]:
    """1 where three bytes may begin a word."""
    may_begin = np.zeros(1 << FILTER_BITS, dtype=np.uint8)
    for letters in beginnings:
        may_begin[beginning(np.uint64(int.from_bytes(letters, "little")))] = 1
    return may_begin


def _likely(beginnings: list[bytes]) -> NDArray[np.uint8]:
    """The tables of `likely_beginnings`, shape (3 letters, 2 halves, 16), bit b for bucket b.

    Beginnings that stand together in the sorted list share a bucket: the more alike they are, the
    fewer others pass. Those of short words come last and have a bucket of their own.
    """
    tables = np.zeros((3, 2, 16), dtype=np.uint8)
    short = [letters for letters in beginnings if not letters.isalnum()]
    long = [letters for letters in beginnings if letters.isalnum()]
    for place, letters in enumerate(long + short):
        bucket = 7 if place >= len(long) else 7 * place // len(long)
        for i, byte in enumerate(letters):
            for either in {byte, ord(chr(byte).upper()) if byte < 128 else byte}:
                tables[i, 0, either & 0x0F] |= 1 << bucket
                tables[i, 1, either >> 4] |= 1 << bucket
    return tables


def _tails(missing: int, ends: bytes) -> list[tuple[int, ...]]:
    if missing == 1:
        return [(end,) for end in ends]
    return [(end, after) for end in ends for after in range(256)]


def _not_ascii_word() -> list[int]:
    return [byte for byte in range(256) if byte >= 0x80 or not _WORD.match(chr(byte))]


def _long_words(
    words: dict[bytes, int],
) -> tuple[NDArray[np.uint8], NDArray[np.int64], dict[bytes, int]]:
    """The words beyond eight bytes, and the first row of those that begin with the same eight."""
    rows: list[tuple[int, int, int, int]] = []
    entries: dict[bytes, int] = {}
    joined = b""
    long = sorted(word for word in words if len(word) > _SHORT)
    for word, following in zip_longest(long, long[1:], fillvalue=b""):
        entries.setdefault(word[:_SHORT], len(rows))
        more = following[:_SHORT] == word[:_SHORT]
        rows.append((words[word], len(joined), len(joined) + len(word), int(more)))
        joined += word
    return (
        np.frombuffer(joined + bytes(_SHORT), dtype=np.uint8),  # read eight at a time
        np.array(rows, dtype=np.int64).reshape(-1, 4),
        entries,
    )


def _slots(
    words: dict[bytes, int], long_entries: dict[bytes, int]
) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.int64]]:
    """The hash table of `word_of`: letters, length and word of each slot."""
    keys = [(word, len(word), number) for word, number in words.items() if len(word) <= _SHORT]
    keys += [(start, LONG, -2 - entry) for start, entry in long_entries.items()]
    n_slots = 1 << (8 * len(keys)).bit_length()
    slot_letters = np.zeros(n_slots, dtype=np.uint64)
    slot_length = np.zeros(n_slots, dtype=np.uint8)
    slot_word = np.full(n_slots, -1, dtype=np.int64)
    for bytes_, length, number in keys:
        letters = np.uint64(int.from_bytes(bytes_, "little"))
        slot = int(slot_of(letters, length, n_slots))
        while slot_length[slot]:
            slot = (slot + 1) % n_slots
        slot_letters[slot], slot_length[slot], slot_word[slot] = letters, length, number
    return slot_letters, slot_length, slot_word


def _classes(lexicon: Lexicon) -> NDArray[np.uint8]:
    """For each code point, whether it is a word character in lower case, and what is ambiguous.

    A passage that holds a character which may become a letter of the lexicon is left to the
    definition.
    """
    lowered, is_word = _lowered()
    beyond_ascii = {ord(c) for words in lexicon.words for word in words for c in word} - set(
        range(128)
    )
    ambiguous = np.isin(lowered, list(beyond_ascii)) | (lowered < 128)
    if beyond_ascii & {ord("σ"), ord("ς")}:
        ambiguous[ord(_SIGMA)] = True
    ambiguous[:128] = False
    return np.where(is_word, IS_WORD, 0).astype(np.uint8) | np.where(
        ambiguous, NEEDS_DEFINITION, 0
    ).astype(np.uint8)


@cache
def _lowered() -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Of each code point, its lower case ("i" for "İ") and whether that is a word character."""
    every = "".join(map(chr, range(_LETTERS_END))).replace(_DOTTED_I, "i")
    small = every.lower()
    is_word = np.zeros(0x110000, dtype=np.bool_)
    for match in _WORD.finditer(small):
        is_word[match.start() : match.end()] = True
    points = np.arange(0x110000, dtype=np.uint32)
    points[:_LETTERS_END] = np.frombuffer(
        small.encode("utf-32-le", "surrogatepass"), dtype=np.uint32
    )
    return points, is_word
