"""The fields of a submitted page as `QuestionFormAnswers`, the XML that requesters get. Pure."""

import re
from collections.abc import Sequence

from defusedxml.ElementTree import fromstring
from django.utils.html import escape

_NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2005-10-01/QuestionFormAnswers.xsd"
)
#: Largest answer in bytes; a page of a hundred queries with comments has a tenth of this.
MOST_BYTES = 262_144
#: Fields that belong to the frame, not to the answer.
FRAME_FIELDS = frozenset({"assignmentId", "hitId", "workerId", "turkSubmitTo"})
#: Characters that XML cannot hold in any form.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class AnswerError(Exception):
    """The page is not a valid answer; the text is shown to the worker."""


def answer_xml(fields: Sequence[tuple[str, str]], *, duplicates: str = "pipe") -> str:
    """One `Answer` per field name, in the order of the page, every value as `FreeText`.

    A name that comes twice is joined with `|` as in Amazon's result files (`pipe`), reduced to its
    `first` or `last` value, or refused (`strict`): the documentation contradicts itself. The text
    is ASCII; other characters are written as character references.
    """
    values: dict[str, list[str]] = {}
    for name, value in fields:
        if name not in FRAME_FIELDS:
            values.setdefault(name, []).append(value)
    if not values:
        raise AnswerError(
            "The page was sent without any field. "
            "Its author must give it at least one besides assignmentId."
        )
    answers = "".join(
        f"<Answer><QuestionIdentifier>{xml_text(name)}</QuestionIdentifier>"
        f"<FreeText>{xml_text(_one(name, texts, duplicates))}</FreeText></Answer>"
        for name, texts in values.items()
    )
    return answer_document(answers)


def answer_document(answers: str) -> str:
    """Return the document around `Answer` elements; `AnswerError` if it is too large."""
    document = (
        '<?xml version="1.0" encoding="ASCII"?>'
        f'<QuestionFormAnswers xmlns="{_NAMESPACE}">{answers}</QuestionFormAnswers>'
    )
    size = len(document.encode())
    if size > MOST_BYTES:
        raise AnswerError(f"Your answer has {size:,} bytes; at most {MOST_BYTES:,} are taken.")
    return document


def _one(name: str, texts: list[str], duplicates: str) -> str:
    if len(texts) > 1 and duplicates == "strict":
        raise AnswerError(
            f"The field {name!r} came {len(texts)} times. "
            "Mechanical Turk would keep one of them; give every field its own name."
        )
    if duplicates == "pipe":
        return "|".join(texts)
    return texts[0] if duplicates == "first" else texts[-1]


def xml_text(value: str) -> str:
    """`value` as ASCII text inside an element."""
    escaped = escape(_NOT_IN_XML.sub("", value))
    # A carriage return that is not a reference would be read back as a line feed.
    return escaped.replace("\r", "&#13;").encode("ascii", "xmlcharrefreplace").decode("ascii")


def answer_values(xml: str) -> dict[str, str]:
    """The value of each field of a stored answer; several selections are joined with `|`."""
    values = {}
    for answer in fromstring(xml, forbid_dtd=True) if xml else []:
        name, *texts = [child.text or "" for child in answer]
        values[name] = "|".join(texts)
    return values
