"""The files that task pages are made of, and what their texts go through."""

import html
import re
from functools import cache
from pathlib import Path
from string import Template

_TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "task"
# Characters that HTML or XML forbid, or that only steer a terminal.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\u202a-\u202e\u2066-\u2069]"
    "|["
    + "".join(chr(plane << 16 | low) for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def printable(text: str) -> str:
    """`text` on one line, without characters that a page may not hold, or that turn text around."""
    return " ".join(_UNPRINTABLE.sub("", text).split())


def escaped(text: str) -> str:
    return html.escape(printable(text))


def within_plane(page: str) -> str:
    return page if page.isascii() else _BEYOND_BMP.sub(lambda match: f"&#{ord(match[0])};", page)


@cache
def script(name: str) -> str:
    """The script without indentation and lines of comment: a page of Amazon's has 64 KiB."""
    lines = (line.strip() for line in read(name).splitlines())
    return "\n".join(["", *(line for line in lines if line and not line.startswith("//")), ""])


@cache
def style(name: str) -> str:
    """The style sheet without comments and the space between its parts, for the same reason."""
    text = " ".join(_COMMENT.sub("", read(name)).split())
    for loose in (" { ", "; } ", " } ", "; ", ": "):
        text = text.replace(loose, loose.replace(" ", ""))
    return text


@cache
def template(name: str) -> Template:
    return Template(read(name).rstrip("\n"))


@cache
def read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
