"""The `Question` of a HIT: checked on arrival, parsed for display. Pure."""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element  # noqa: TID251 - the type only, nothing is parsed

from bs4 import BeautifulSoup
from bs4.exceptions import ParserRejectedMarkup
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring

from mturk_local.errors import ParameterError, RequestError

_SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
_HTML = f"{{{_SCHEMAS}2011-11-11/HTMLQuestion.xsd}}"
_EXTERNAL = f"{{{_SCHEMAS}2006-07-14/ExternalQuestion.xsd}}"
#: Amazon allows 65,535; whoever stays here may put more on a page.
MOST_BYTES = 262_144
#: Number of parsed questions in the cache: many people see the same ones at a time.
_REMEMBERED = 256
_HEIGHT = re.compile("[0-9]{1,9}")
#: Names and addresses; what else may stand there is percent-encoded or punycode.
_HOST = re.compile(r"[A-Za-z0-9._~%-]+|[0-9A-Fa-f:.]+")
#: Characters that no URL contains.
_UNSAFE = re.compile(r"[\x00-\x20\x7f<>\"\\]")
_LANGUAGE = re.compile(r"""<html\b[^>]*\blang=["']?([A-Za-z-]{2,12})""", re.IGNORECASE)
#: The error for a page without its wrapper, with the remedy.
_RAW_HTML = re.compile(
    r"\s*(<!doctype html|<(?!htmlquestion)(html|head|body|form|div|p|script|crowd-)\b)",
    re.IGNORECASE,
)
_WRAP = (
    ". The Question is a page of HTML as it is: put it into <HTMLContent><![CDATA[...]]>"
    "</HTMLContent> of an <HTMLQuestion>, with <FrameHeight>0</FrameHeight> after it"
)
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Question(NamedTuple):
    """The content that a worker is shown: `kind` is `html`, `external` or `form`.

    `content` is the HTML, the URL, or the XML of the form; `frame_height` 0 lets the page decide.
    """

    kind: str
    content: str
    frame_height: int


def question_language(question: Question) -> str:
    """Return the declared language of an HTML page; "" without one."""
    language = _LANGUAGE.search(question.content[:1_000]) if question.kind == "html" else None
    return language[1].lower() if language else ""


@lru_cache(maxsize=_REMEMBERED)
def question_parse(xml: str) -> Question:
    """Parse the question of `xml`; raise Amazon's error for an invalid one."""
    if len(xml.encode()) > MOST_BYTES:
        raise RequestError(
            f"The Question is {len(xml.encode())} bytes long; at most {MOST_BYTES} are allowed.",
            turk_code="QuestionTooLong",
        )
    if any(character > "\uffff" for character in xml):
        raise ParameterError("The value  is not valid for the parameter QuestionXML.")
    try:
        root = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise _unparsable(f"{error}{_WRAP if _RAW_HTML.match(xml) else ''}") from None
    if root.tag == f"{_HTML}HTMLQuestion":
        return _framed(root, _HTML, "HTMLContent", "html")
    if root.tag == f"{_EXTERNAL}ExternalQuestion":
        return _framed(root, _EXTERNAL, "ExternalURL", "external")
    if root.tag.endswith("/QuestionForm.xsd}QuestionForm") and root.tag.startswith(f"{{{_SCHEMAS}"):
        return Question("form", xml, 0)
    raise _unparsable(f"unknown element {root.tag!r}{_WRAP if _RAW_HTML.match(xml) else ''}")


def _framed(root: Element, namespace: str, member: str, kind: str) -> Question:
    if [child.tag for child in root] != [f"{namespace}{member}", f"{namespace}FrameHeight"]:
        raise _unparsable(f"{member} and FrameHeight are expected, in this order")
    content, height = (child.text or "" for child in root)
    if not content.strip():
        raise _unparsable(f"{member} is empty")
    if not _HEIGHT.fullmatch(height.strip()):
        raise _unparsable(f"FrameHeight {height!r} is not a number")
    return Question(kind, content.strip() if kind == "external" else content, int(height))


def check_html(content: str) -> None:
    """Refuse, on arrival, a page that cannot be completed for a worker; few are so broken.

    A page of crowd elements alone is refused, too: its form comes from a script of Amazon's, so
    that nobody could submit an answer here.
    """
    try:
        page = BeautifulSoup(content, "html.parser")
    except ParserRejectedMarkup as error:
        raise ParameterError(
            f"There was an error parsing the HTML5 data in your request. Details: {error}"
        ) from None
    if page.find("crowd-form") and not page.find("form"):
        raise ParameterError(
            "The HTML has a <crowd-form>, which a script of Amazon's makes a form of; there is no "
            "such script here. Write a <form> that posts to /mturk/externalSubmit, with HTML's own "
            "controls."
        )


def check_external_url(url: str, *, allow_loopback: bool) -> None:
    """External pages come over HTTPS; in development, where allowed, also over HTTP from here."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError as error:
        raise ParameterError(f"The ExternalURL {url!r} is not a URL ({error}).") from None
    local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if parts.scheme != "https" and not (allow_loopback and local):
        raise ParameterError(f"The ExternalURL {url!r} must begin with https://.")
    if not parts.hostname or not _HOST.fullmatch(parts.hostname) or _UNSAFE.search(url):
        raise ParameterError(f"The ExternalURL {url!r} is not a URL.")


def _unparsable(details: str) -> ParameterError:
    return ParameterError(
        "There was an error parsing the XML question or answer data in your request. Please make "
        "sure the data is well-formed and validates against the appropriate schema. "
        f"Details: {details}"
    )
