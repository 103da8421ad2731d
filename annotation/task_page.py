"""The page that an annotator sees, and the reader of what it sends back.

The page is one HTML document without network access: it stands inside an `HTMLQuestion` in Amazon's
frame, and works as a plain form without JavaScript elsewhere. It shows the texts of the queries and
the categories, and nothing that could sway an annotator: no run, no earlier vote, no known answer.

Place *i* of a HIT (from 0) is the radio group `q-i`; its value is a category code.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import NamedTuple

#: Version of the fields. A page with no other field than its answers could be sent empty, which
#: Amazon refuses with an error that the annotator sees; so this one is always there.
VERSION = "1"
#: Where the form goes when its frame names no other address.
SUBMIT_URL = "https://www.mturk.com/mturk/externalSubmit"
#: Fields that belong to the frame, not to the answer.
FRAME_FIELDS = frozenset({"assignmentId", "hitId", "workerId", "turkSubmitTo"})

_TEMPLATES = Path(__file__).resolve().parent.parent / "templates" / "task"
# Characters that HTML or XML forbid, or that only steer a terminal.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
    "|["
    + "".join(chr(plane << 16 | low) for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")


class CategoryText(NamedTuple):
    """What the page says about one category."""

    name: str
    definition: str
    examples: tuple[str, ...]


#: The categories of Rekabsaz & Schedl (SIGIR 2020) with their examples, in our wording.
CATEGORIES = {
    "n": CategoryText(
        "Non-gendered",
        "Nothing in the query refers to a gender.",
        ("what is the meaning of resurrect",),
    ),
    "f": CategoryText(
        "Female",
        "At least one word or phrase refers to something female: a gendered word such as queen, "
        "a word that implies women such as pregnant, or the name of a woman.",
        ("who was oprah winfrey", "earliest pregnancy symptoms"),
    ),
    "m": CategoryText(
        "Male",
        "At least one word or phrase refers to something male: a gendered word such as king, "
        "or the name of a man such as Nelson Mandela.",
        ("who was the king of ancient rome",),
    ),
    "o": CategoryText(
        "Other or multiple genders",
        "At least one word or phrase refers to another gender, such as transgender or bigender, "
        "or the query refers to several genders.",
        ("how long was shakespeare married to anne",),
    ),
}


class AnswerError(Exception):
    """An answer that cannot be read as one category for every query of its HIT."""


def render(queries: Sequence[tuple[str, str]], *, consent: str = "") -> str:
    """The page of one HIT. `queries` are (qid, text) in the order of their places.

    `consent` is plain text that workers agree to by answering, in paragraphs between empty lines.

    The result is HTML5 whose characters all lie in the basic multilingual plane; others, which
    Amazon refuses, are written as numeric references. Texts are escaped; characters that no page
    may hold are left out.
    """
    page = _template("page.html").substitute(
        style=_read("page.css"),
        script=_read("page.js"),
        action=SUBMIT_URL,
        version=VERSION,
        number=len(queries),
        categories=_categories(),
        consent=_consent(consent),
        questions="\n".join(
            _question(place, qid, text, len(queries)) for place, (qid, text) in enumerate(queries)
        ),
    )
    return _BEYOND_BMP.sub(lambda match: f"&#{ord(match[0])};", page)


def inline_hashes() -> dict[str, str]:
    """What a content security policy must allow to show the page, by directive."""
    parts = {"script-src": "page.js", "style-src": "page.css"}
    return {directive: f"'sha256-{_digest(_read(name))}'" for directive, name in parts.items()}


def read_answer(fields: Iterable[tuple[str, str]], n_places: int) -> list[str]:
    """The category code of each place, from the (name, value) pairs of a submitted page.

    Nothing is guessed: a field that the page does not have, one that comes twice, a place without
    an answer and a value that is no category raise `AnswerError`.
    """
    values: dict[str, str] = {}
    for name, value in fields:
        if name in FRAME_FIELDS:
            continue
        if name in values:
            raise AnswerError(f"the field {name!r} comes more than once")
        values[name] = value
    version = values.pop("v", None)
    if version != VERSION:
        raise AnswerError(f"the page's version is {version!r} instead of {VERSION!r}")
    expected = [f"q-{place}" for place in range(n_places)]
    unknown = sorted(values.keys() - set(expected))
    if unknown:
        raise AnswerError(f"the page has no field {unknown[0]!r}")
    return [_category(name, values.get(name, "")) for name in expected]


def _category(name: str, value: str) -> str:
    if not value:
        raise AnswerError(f"{name} has no answer")
    if value not in CATEGORIES:
        raise AnswerError(f"{name} has the answer {value!r}, which is no category")
    return value


def printable(text: str) -> str:
    """`text` on one line, without characters that a page may not hold."""
    return " ".join(_UNPRINTABLE.sub("", text).split())


def _question(place: int, qid: str, text: str, number: int) -> str:
    return _template("question.html").substitute(
        qid=_escaped(qid),
        ordinal=place + 1,
        number=number,
        text=_escaped(text),
        choices=_choices(place),
    )


@cache
def _choices(place: int) -> str:
    """The same on every HIT: a preview renders hundreds to check them."""
    choice = _template("choice.html")
    return "\n".join(
        choice.substitute(place=place, code=code, name=category.name)
        for code, category in CATEGORIES.items()
    )


@cache
def _categories() -> str:
    category = _template("category.html")
    return "\n".join(
        category.substitute(
            name=html.escape(said.name),
            definition=html.escape(said.definition),
            examples=" ".join(f"<q>{html.escape(example)}</q>" for example in said.examples),
        )
        for said in CATEGORIES.values()
    )


def _consent(text: str) -> str:
    paragraphs = [_escaped(part) for part in re.split(r"\n\s*\n", text) if printable(part)]
    if not paragraphs:
        return ""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f'<section class="consent" aria-label="About this study">{body}</section>\n'


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _escaped(text: str) -> str:
    return html.escape(printable(text))


@cache
def _template(name: str) -> Template:
    return Template(_read(name).rstrip("\n"))


@cache
def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
