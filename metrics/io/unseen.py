"""Characters that nobody sees: controls, and marks that turn the direction of text around."""

import re
import unicodedata

from ..errors import InputError

#: Controls other than tabs and line feeds, and what embeds, overrides or isolates a direction.
#: Joiners, and marks of direction that stand alone, belong to words of real languages.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""`text` with the code of each unseen character in its place.

    >>> visible("a\u202eb\tc")
    'a[U+202E]b\tc'
    """
    return _UNSEEN.sub(lambda match: _code(match[0]), text)


def has_unseen(text: str) -> bool:
    r"""Return whether `text` has an unseen character besides line ends, as `\r\n` is one."""
    return _UNSEEN.search(text.replace("\r", "")) is not None


def all_visible(text: str) -> str:
    r"""`text` with the code of each character without a shape, joiners and line ends included.

    For programs that cannot be given them, as TeX.

    >>> all_visible("a\u200db")
    'a[U+200D]b'
    """
    if text.isprintable():
        return text
    return "".join(_code(sign) if _is_shapeless(sign) else sign for sign in text)


def check_visible(name: str, what: str) -> str:
    """The name; `InputError` where it has an unseen character: two names could look the same."""
    if has_unseen(name) or "\n" in name or "\r" in name:
        raise InputError(
            f"{visible(name)!r} is not a name for {what}: it has invisible characters.",
            remedy="Type the name again, without controls and marks of direction.",
        )
    return name


def _is_shapeless(sign: str) -> bool:
    return sign not in "\n\t" and unicodedata.category(sign) in {
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Cn",
        "Zl",
        "Zp",
    }


def _code(sign: str) -> str:
    return f"[U+{ord(sign):04X}]"
