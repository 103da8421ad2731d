"""Codes of options: made of what somebody typed, checked, and read again, all by one rule.

A code stands in files, in addresses and on the pages that annotators answer on; on the way there
and back blanks may be squeezed and letters composed. So two texts are the same code if they are
the same on one line (`one_line`), and a code that is made here is on one line already.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import count

from metrics.io.lines import one_line
from metrics.vocabulary import TIE

#: Characters of the name of a question, and of the code of an option.
LONGEST_NAME = 40
#: Characters of a scheme as text.
LONGEST_SCHEME = 200_000
#: In place of a code: every option.
ALL = "all"
#: Words that files and commands have for something else than an option: no code is made of them.
RESERVED = frozenset({TIE, ALL})
CODE_WORDS = (
    f"Use up to {LONGEST_NAME} letters, digits, blanks and any of _ . + / -, as in other, and "
    "begin with a letter or digit."
)

_BETWEEN = "_.+/-"
_NEGATIVE = re.compile("-[0-9]+")


def is_code(text: str) -> bool:
    """Return whether an option may have the code `text`: letters and digits of any script.

    Marks that belong to a letter are part of it. Several blanks are allowed since codes of 1.0
    have them.
    """
    if _NEGATIVE.fullmatch(text):
        return len(text) <= LONGEST_NAME
    is_begun = bool(text) and (_is_letter(text[0]) or text[0] == "_")
    is_within = all(
        character in f"{_BETWEEN} " or _is_letter(character) or _is_mark(character)
        for character in text
    )
    return is_begun and is_within and len(text) <= LONGEST_NAME and text == text.strip()


def code_of(text: str) -> str:
    """A code made of `text`; "" where it has neither a letter nor a digit."""
    kept, before = "", ""
    for character in unicodedata.normalize("NFC", text).replace("\N{MINUS SIGN}", "-"):
        is_within_word = _is_mark(character) and _is_word(before)
        is_part = _is_letter(character) or character in _BETWEEN or is_within_word
        if is_part or unicodedata.category(character) != "Cf":  # such as a joiner within a word
            kept, before = kept + (character if is_part else " "), character
    line = one_line(kept)
    if not _NEGATIVE.fullmatch(line):
        line = line.lstrip(" .+/-")
    return line[:LONGEST_NAME].rstrip(" ./-")


def option_codes(typed: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The code of each option: as typed, else made of its label, else its number.

    A code that another option has, or that is reserved, gets a number.
    """
    made = [code_of(label) or str(number) for number, label in enumerate(labels, 1)]
    return distinct([code.strip() for code in typed], made, RESERVED)


def distinct(
    typed: Sequence[str], made: Sequence[str], reserved: Collection[str] = ()
) -> list[str]:
    """Names as typed, else the made ones, with a number where that is taken."""
    taken = {*reserved, *(name for name in typed if name)}
    names = []
    for name, free in zip(typed, made, strict=True):
        names.append(name or _free(free, taken))
        taken.add(names[-1])
    return names


def _free(name: str, taken: Collection[str]) -> str:
    numbered = (f"{name[: LONGEST_NAME - 1 - len(str(n))]}_{n}" for n in count(2))
    return name if name not in taken else next(new for new in numbered if new not in taken)


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _is_word(before: str) -> bool:
    return bool(before) and (_is_letter(before) or _is_mark(before))
