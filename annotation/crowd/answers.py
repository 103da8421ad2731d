"""Parser of an assignment's `Answer`: XML in either of its serialisations, to (name, value) pairs.

Answers are hostile. Entities, DTDs and external references are refused, and nothing is guessed.
"""

import json
import re
from typing import Any
from xml.etree.ElementTree import Element, ParseError  # noqa: TID251 - types only

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_VALUES = {"FreeText", "SelectionIdentifier", "OtherSelectionText", "UploadedFileKey"}
#: The one field into which Amazon's form element folds all others, as JSON.
_FOLDED = "taskAnswers"


class UnreadableAnswerError(Exception):
    """The answer does not follow the service's documentation."""


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with its members in order, repeated names included."""


def read_fields(answer: str) -> list[tuple[str, str]]:
    """Return the fields of a submitted page, in the order of the XML.

    An empty answer has none. A field with several values comes once for each of them.
    """
    if not answer.strip():
        return []
    # The text is decoded already: the declared encoding does not apply any more.
    body = _DECLARATION.sub("", answer)
    try:
        root = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise UnreadableAnswerError(f"the XML cannot be read ({error})") from error
    fields: list[tuple[str, str]] = []
    for answered in root:
        name, values = _one_answer(answered)
        if name == _FOLDED:
            fields += [pair for value in values for pair in _unfold(value)]
        else:
            fields += [(name, value) for value in values]
    return fields


def storable(text: str) -> str:
    """Remove what no database takes: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _one_answer(answered: Element) -> tuple[str, list[str]]:
    names = [_text(child) for child in answered if _local(child) == "QuestionIdentifier"]
    if _local(answered) != "Answer" or len(names) != 1:
        raise UnreadableAnswerError("an element is not an Answer with one QuestionIdentifier")
    return names[0], [_text(child) for child in answered if _local(child) in _VALUES]


def _unfold(value: str) -> list[tuple[str, str]]:
    try:
        folded = json.loads(value, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswerError(f"{_FOLDED} is not JSON ({error})") from error
    forms = [folded] if isinstance(folded, _Pairs) else folded
    if not isinstance(forms, list) or not all(isinstance(form, _Pairs) for form in forms):
        raise UnreadableAnswerError(f"{_FOLDED} is not a list of objects")
    return [pair for form in forms for name, held in form for pair in _held(name, held)]


def _held(name: str, held: object) -> list[tuple[str, str]]:
    """A text, a classifier's `{"label": text}`, or radio buttons `{"n": true, "f": false}`."""
    if isinstance(held, str):
        return [(name, held)]
    if isinstance(held, _Pairs):
        if [key for key, _ in held] == ["label"] and isinstance(held[0][1], str):
            return [(name, held[0][1])]
        if all(isinstance(on, bool) for _, on in held):
            return [(name, key) for key, on in held if on]
    raise UnreadableAnswerError(f"{_FOLDED} holds something else than a choice for {name!r}")


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: Element) -> str:
    return "".join(element.itertext())
