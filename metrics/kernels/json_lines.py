"""Finding docno and text in JSON lines, compiled by Numba.

Only flat objects of strings, whole numbers, `true`, `false` and `null` are read here, which is what
collections are made of. Every other line is left to the definition: it reads it or says what is
wrong with it.
"""

from typing import Any

import numpy as np

from .characters import valid_utf8
from .compile import kernel
from .vector import above_ascii, below, copy_block, equals, lowest_bit, one_byte

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "4c2b2fdf3b979693", "characters": "cf8c9f1fe9343a15"}

STRING = 1
NUMBER = 2
NULL = 3
OTHER = 4
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@kernel
def skip_blanks(place: Any) -> Any:
    """The address of the first byte from `place` on that is no blank of JSON but line feeds."""
    while one_byte(place) == 0x20 or one_byte(place) == 0x09 or one_byte(place) == 0x0D:
        place += 1
    return place


@kernel
def end_of_string(place: Any, end: Any) -> Any:
    """The address of the quote that ends the string at `place`, and whether it has escapes.

    The address is 0 where the string has no end, a control character, or is not UTF-8.
    """
    start, escaped, foreign = place, False, False
    while place < end:
        quotes = equals(place, np.uint8(0x22))
        escapes = equals(place, np.uint8(0x5C))
        stop = lowest_bit(quotes | escapes)
        within = ~(_ALL << np.uint64(stop)) if stop < 64 else _ALL
        if below(place, np.uint8(0x20)) & within:
            return 0, escaped
        if above_ascii(place) & within:
            foreign = True
        place += stop
        if stop == 64:
            continue
        if one_byte(place) == 0x22:
            if place >= end or (foreign and not valid_utf8(start, place)):
                return 0, escaped
            return place, escaped
        escaped = True
        if not 0x20 <= one_byte(place + 1) < 0x80:
            return 0, escaped
        place += 2
    return 0, escaped


@kernel
def hexadecimal(place: Any) -> Any:
    """The number of the four hexadecimal digits at `place`, or -1."""
    number = 0
    for i in range(4):
        byte = one_byte(place + i)
        if 0x30 <= byte <= 0x39:
            digit = byte - 0x30
        elif 0x41 <= byte & 0xDF <= 0x46:
            digit = (byte & 0xDF) - 0x37
        else:
            return -1
        number = number * 16 + digit
    return number


@kernel
def put(point: Any, buffer: Any, at: Any) -> Any:
    """Write a code point as UTF-8; gives the place behind it."""
    if point < 0x80:
        buffer[at] = point
        return at + 1
    if point < 0x800:
        buffer[at] = 0xC0 | (point >> 6)
    else:
        if point < 0x10000:
            buffer[at] = 0xE0 | (point >> 12)
        else:
            buffer[at] = 0xF0 | (point >> 18)
            at += 1
            buffer[at] = 0x80 | ((point >> 12) & 0x3F)
        at += 1
        buffer[at] = 0x80 | ((point >> 6) & 0x3F)
    buffer[at + 1] = 0x80 | (point & 0x3F)
    return at + 2


@kernel
def unescaped(place: Any, end: Any, buffer: Any, at: Any) -> Any:
    """Copy the string [place, end) to `buffer[at:]` without its escapes.

    Gives the place behind it, -1 for an escape that JSON does not have or half a surrogate pair.
    """
    while place < end:
        byte = one_byte(place)
        place += 1
        if byte != 0x5C:
            buffer[at] = byte
            at += 1
            continue
        kind = one_byte(place)
        place += 1
        if kind == 0x75:
            point = hexadecimal(place)
            place += 4
            if 0xD800 <= point < 0xDC00 and one_byte(place) == 0x5C and one_byte(place + 1) == 0x75:
                low = hexadecimal(place + 2)
                place += 6
                if not 0xDC00 <= low < 0xE000:
                    return -1
                point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00)
            elif point < 0 or 0xD800 <= point < 0xE000:
                return -1
            if place > end:
                return -1
            at = put(point, buffer, at)
            continue
        if kind in (0x22, 0x5C, 0x2F):
            byte = kind
        elif kind == 0x6E:
            byte = 0x0A
        elif kind == 0x74:
            byte = 0x09
        elif kind == 0x72:
            byte = 0x0D
        elif kind == 0x62:
            byte = 0x08
        elif kind == 0x66:
            byte = 0x0C
        else:
            return -1
        buffer[at] = byte
        at += 1
    return at


@kernel
def key_of(place: Any, end: Any, keys: Any, key_ends: Any) -> Any:
    """The number of the field that the string [place, end) names, or -1."""
    begin = 0
    for key in range(len(key_ends)):
        stop = key_ends[key]
        if stop - begin == end - place:
            same = True
            for i in range(stop - begin):
                same = same and one_byte(place + i) == keys[begin + i]
            if same:
                return key
        begin = stop
    return -1


@kernel
def end_of_literal(place: Any) -> Any:
    """The kind of the number or word at `place` and the address behind it; kind 0 for others."""
    first = one_byte(place)
    if first == 0x6E and one_byte(place + 1) == 0x75 and one_byte(place + 2) == 0x6C:
        return (NULL, place + 4) if one_byte(place + 3) == 0x6C else (0, place)
    if first == 0x74 and one_byte(place + 1) == 0x72 and one_byte(place + 2) == 0x75:
        return (OTHER, place + 4) if one_byte(place + 3) == 0x65 else (0, place)
    if first == 0x66 and one_byte(place + 1) == 0x61 and one_byte(place + 2) == 0x6C:
        same = one_byte(place + 3) == 0x73 and one_byte(place + 4) == 0x65
        return (OTHER, place + 5) if same else (0, place)
    start = place
    while 0x30 <= one_byte(place) <= 0x39:
        place += 1
    size = place - start
    if size == 0 or size > 18 or (first == 0x30 and size > 1):
        return 0, place
    return NUMBER, place


@kernel
def read_object(place: Any, end: Any, keys: Any, key_ends: Any, kinds: Any, values: Any) -> Any:
    """Read the line [place, end) as a flat object.

    For each field k of `keys`: `kinds[k]` is what it holds (0: it is not there), `values[k]` the
    addresses where its value begins and ends, and whether it has escapes. False where the line is
    left to the definition.
    """
    kinds[:] = 0
    place = skip_blanks(place)
    if one_byte(place) != 0x7B:
        return False
    while True:
        place = skip_blanks(place + 1)
        if one_byte(place) != 0x22:
            return False
        stop, escaped = end_of_string(place + 1, end)
        if stop == 0 or escaped:
            return False
        key = key_of(place + 1, stop, keys, key_ends)
        place = skip_blanks(stop + 1)
        if one_byte(place) != 0x3A:
            return False
        place = skip_blanks(place + 1)
        if one_byte(place) == 0x22:
            start, kind = place + 1, STRING
            stop, escaped = end_of_string(start, end)
            # Whether the escapes of a field that nobody asked for are right is not looked at here.
            if stop == 0 or (escaped and key < 0):
                return False
            place = stop + 1
        else:
            start, escaped = place, False
            kind, stop = end_of_literal(place)
            if kind == 0:
                return False
            place = stop
        if key >= 0:
            if kinds[key]:
                return False
            kinds[key] = kind
            values[key, 0], values[key, 1], values[key, 2] = start, stop, escaped
        place = skip_blanks(place)
        if one_byte(place) == 0x7D:
            return skip_blanks(place + 1) == end
        if one_byte(place) != 0x2C:
            return False


@kernel
def first_field(kinds: Any, first: Any, stop: Any) -> Any:
    """The first field from `first` to before `stop` that is there, or -1."""
    for key in range(first, stop):
        if kinds[key]:
            return key
    return -1


@kernel
def has_blank(buffer: Any, begin: Any, end: Any) -> Any:
    """Return whether a blank or a control character stands among the bytes [begin, end)."""
    blank = False
    for place in range(begin, end):
        blank |= buffer[place] <= 0x20
    return blank


@kernel
def split_json(
    buffer: Any, newline_offsets: Any, keys: Any, key_ends: Any, n_ids: Any, out: Any, spans: Any
) -> Any:
    """Find docno and text of the lines of `buffer` that end at `newline_offsets`; write `out`.

    `out` has room for `metrics.texts.scan.reading.PADDING` more bytes than `buffer` has.
    `keys` are the fields: first `n_ids` names of the docno, then those of the text, last the title.
    `spans` gets four rows of places in `out`: where docnos begin and end, where texts begin and
    end; -1 first for a line that is left to the definition. Gives how much of `out` is filled.
    """
    address, target, title = buffer.ctypes.data, out.ctypes.data, len(key_ends) - 1
    kinds = np.zeros(len(key_ends), dtype=np.int64)
    values = np.zeros((len(key_ends), 3), dtype=np.int64)
    line, at = 0, 0
    for i in range(len(newline_offsets)):
        place, end = address + line, address + newline_offsets[i]
        line = newline_offsets[i] + 1
        spans[0, i] = -1
        spans[1, i] = spans[2, i] = spans[3, i] = at
        if not read_object(place, end, keys, key_ends, kinds, values):
            continue
        docno, text = first_field(kinds, 0, n_ids), first_field(kinds, n_ids, title)
        if docno < 0 or text < 0 or kinds[docno] > NUMBER or kinds[text] != STRING:
            continue
        if kinds[title] == NUMBER or kinds[title] == OTHER or values[docno, 0] == values[docno, 1]:
            continue
        begin = at
        at = stop = unescaped(values[docno, 0], values[docno, 1], out, at)
        if has_blank(out, begin, stop):
            at = -1
        if at >= 0:
            # What is no letter keeps the docno and the first token of the text apart.
            out[at] = 0x09
            at += 1
        start = at
        if at >= 0 and kinds[title] == STRING and values[title, 0] < values[title, 1]:
            at = unescaped(values[title, 0], values[title, 1], out, at)
            if at >= 0:
                out[at] = 0x20
                at += 1
        if at >= 0:
            if values[text, 2]:
                at = unescaped(values[text, 0], values[text, 1], out, at)
            else:
                source, size = values[text, 0], values[text, 1] - values[text, 0]
                # Up to 63 bytes too many: what comes next is written over them.
                for done in range(0, size, 64):
                    copy_block(target + at + done, source + done)
                at += size
        # Escapes of other fields of the same names are right or the definition says they are not.
        for key in range(len(kinds)):
            used = key in (docno, text, title)
            if at >= 0 and kinds[key] == STRING and values[key, 2] and not used:
                at = -1
        if at < 0:
            at = begin
            continue
        spans[0, i], spans[1, i], spans[2, i], spans[3, i] = begin, stop, start, at
        out[at] = 0x0A
        at += 1
    return at
