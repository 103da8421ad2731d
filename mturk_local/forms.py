"""`QuestionForm` and `AnswerKey`: forms described in XML, what they ask and how they are scored.

Pure. Content comes from requesters; only its text is used, and pictures over HTTPS.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element  # noqa: TID251 - the type only, nothing is parsed

from bs4 import BeautifulSoup
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring

from mturk_local.answers import AnswerError, answer_document, answer_values, xml_text
from mturk_local.errors import ParameterError

_MULTIPLE_STYLES = frozenset({"checkbox", "list", "multichooser"})


_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
#: The elements of an AnswerKey that hold a number; those of a score's sum are not 0.
_NUMBERS = {
    **dict.fromkeys(["AnswerScore", "DefaultScore", "QualificationValue"], _INTEGER),
    **dict.fromkeys(["InclusiveLowerBound", "InclusiveUpperBound"], _INTEGER),
    "OutOfRangeQualificationValue": _INTEGER,
    "MaximumSummedScore": re.compile(r"\+?0*[1-9][0-9]{0,8}"),
    "SummedScoreMultiplier": re.compile(r"[+-]?([0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9})"),
}
#: Required elements of the mappings from a sum to a qualification's value.
_NEEDED = {
    "PercentageMapping": {"MaximumSummedScore"},
    "ScaleMapping": {"SummedScoreMultiplier"},
    "SummedScoreRange": {"InclusiveLowerBound", "InclusiveUpperBound", "QualificationValue"},
}


class Part(NamedTuple):
    """A piece of content: `kind` is title, text, item or picture."""

    kind: str
    text: str
    url: str = ""


class FormQuestion(NamedTuple):
    """One question. Without `selections` it takes free text over `lines` lines."""

    identifier: str
    name: str
    required: bool
    content: list[Part]
    selections: list[tuple[str, str]]
    multiple: bool
    lines: int
    default: str


class Form(NamedTuple):
    """Overviews and questions in their order: each item is a list of parts, or a question."""

    items: list[list[Part] | FormQuestion]

    @property
    def questions(self) -> list[FormQuestion]:
        return [item for item in self.items if isinstance(item, FormQuestion)]


def form_parse(xml: str) -> Form:
    """Parse a `QuestionForm`; for a broken one, raise Amazon's error."""
    root = _root(xml, "QuestionForm")
    items: list[list[Part] | FormQuestion] = []
    for child in root:
        if child.tag == "Overview":
            items.append(_content(child))
        elif child.tag == "Question":
            items.append(_question(child))
        else:
            raise _broken(f"unexpected element {child.tag!r}")
    form = Form(items)
    names = [question.identifier for question in form.questions]
    if not names or len(names) != len(set(names)):
        raise _broken("a QuestionForm needs questions, each with its own QuestionIdentifier")
    return form


def answer_of(form: Form, posted: Mapping[str, Sequence[str]]) -> str:
    """Return the `QuestionFormAnswers` of a filled-in form; refuse impossible answers.

    `posted` maps the identifiers of questions to the values sent.
    """
    answers = []
    for question in form.questions:
        values = [value for value in posted.get(question.identifier, []) if value]
        allowed = {identifier for identifier, _ in question.selections}
        if question.required and not values:
            raise AnswerError(f"Please answer: {question.name or question.identifier}")
        if question.selections and not set(values) <= allowed:
            raise AnswerError(f"This is not a choice of: {question.name or question.identifier}")
        if len(values) > 1 and not question.multiple:
            raise AnswerError(f"Only one answer is possible: {question.identifier}")
        tag = "SelectionIdentifier" if question.selections else "FreeText"
        inner = "".join(f"<{tag}>{xml_text(value)}</{tag}>" for value in values)
        answers.append(
            f"<Answer><QuestionIdentifier>{xml_text(question.identifier)}</QuestionIdentifier>"
            f"{inner}</Answer>"
        )
    return answer_document("".join(answers))


def key_check(xml: str, form: Form) -> None:
    """Refuse an `AnswerKey` that does not fit `form`, or that cannot score any answer."""
    known = {question.identifier for question in form.questions}
    key = _root(xml, "AnswerKey")
    for question in key.iterfind("Question"):
        if _text(question, "QuestionIdentifier") not in known:
            raise _broken("the AnswerKey names a question that the Test does not have")
    for element in key.iter():
        pattern = _NUMBERS.get(element.tag)
        if pattern and not pattern.fullmatch((element.text or "").strip()):
            raise _broken(f"{element.tag} is not a number that a score can be")
    for element in key.iter():
        lacking = _NEEDED.get(element.tag, set()) - {child.tag for child in element}
        if lacking:
            raise _broken(f"{element.tag} lacks {', '.join(sorted(lacking))}")


def score_of(key_xml: str, answer_xml: str) -> int:
    """Score an answer by an `AnswerKey`."""
    key = _root(key_xml, "AnswerKey")
    answers = answer_values(answer_xml)
    total = sum(
        _question_score(question, answers.get(_text(question, "QuestionIdentifier"), ""))
        for question in key.iterfind("Question")
    )
    return _mapped(key.find("QualificationValueMapping"), total)


def _question_score(question: Element, answer: str) -> int:
    chosen = set(filter(None, answer.split("|")))
    for option in question.iterfind("AnswerOption"):
        if {item.text or "" for item in option.iterfind("SelectionIdentifier")} == chosen:
            return int(_text(option, "AnswerScore") or 0)
    return int(_text(question, "DefaultScore") or 0)


def _mapped(mapping: Element | None, total: int) -> int:
    if mapping is None:
        return total
    if (percentage := mapping.find("PercentageMapping")) is not None:
        return 100 * total // int(_text(percentage, "MaximumSummedScore"))
    if (scale := mapping.find("ScaleMapping")) is not None:
        return int(total * float(_text(scale, "SummedScoreMultiplier")))
    ranges = mapping.find("RangeMapping")
    if ranges is None:
        return total
    for span in ranges.iterfind("SummedScoreRange"):
        low, high = _text(span, "InclusiveLowerBound"), _text(span, "InclusiveUpperBound")
        if int(low) <= total <= int(high):
            return int(_text(span, "QualificationValue"))
    return int(_text(ranges, "OutOfRangeQualificationValue") or 0)


def _question(element: Element) -> FormQuestion:
    content = element.find("QuestionContent")
    answer = element.find("AnswerSpecification")
    identifier = _text(element, "QuestionIdentifier")
    if content is None or answer is None or not identifier:
        raise _broken(
            "a Question needs a QuestionIdentifier, QuestionContent and AnswerSpecification"
        )
    free, choice = answer.find("FreeTextAnswer"), answer.find("SelectionAnswer")
    if free is None and choice is None:
        raise _broken("an AnswerSpecification must be a FreeTextAnswer or a SelectionAnswer")
    selections = [] if choice is None else choice.findall("Selections/Selection")
    style = "" if choice is None else _text(choice, "StyleSuggestion")
    most = "" if choice is None else _text(choice, "MaxSelectionCount")
    return FormQuestion(
        identifier=identifier,
        name=_text(element, "DisplayName"),
        required=_text(element, "IsRequired").lower() in {"true", "1"},
        content=_content(content),
        selections=[
            (_text(item, "SelectionIdentifier"), _selection_text(item)) for item in selections
        ],
        multiple=style in _MULTIPLE_STYLES or (most.isdecimal() and int(most) > 1),
        lines=int(_text(free, "NumberOfLinesSuggestion") or 1) if free is not None else 0,
        default=_text(free, "DefaultText") if free is not None else "",
    )


def _content(element: Element) -> list[Part]:
    parts = []
    for child in element:
        if child.tag == "Title":
            parts.append(Part("title", child.text or ""))
        elif child.tag == "List":
            parts += [Part("item", item.text or "") for item in child]
        elif child.tag == "Binary":
            parts.append(_picture(child))
        else:
            parts.append(Part("text", _plain(child)))
    return parts


def _picture(element: Element) -> Part:
    url = _text(element, "DataURL")
    safe = url if urlsplit(url).scheme == "https" else ""
    return Part("picture" if safe else "text", _text(element, "AltText"), safe)


def _selection_text(selection: Element) -> str:
    for child in selection:
        if child.tag != "SelectionIdentifier":
            return _plain(child)
    return ""


def _plain(element: Element) -> str:
    """The text of `Text`, or of the HTML in `FormattedContent`."""
    text = element.text or ""
    if element.tag == "FormattedContent":
        return BeautifulSoup(text, "html.parser").get_text(" ", strip=True)
    return text


def _text(element: Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _root(xml: str, name: str) -> Element:
    """The root element, with names freed of their namespace, of which versions differ."""
    try:
        root: Element = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise _broken(str(error)) from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != name:
        raise _broken(f"{name} is expected, not {root.tag!r}")
    return root


def _broken(details: str) -> ParameterError:
    return ParameterError(
        "There was an error parsing the XML question or answer data in your request. Please make "
        "sure the data is well-formed and validates against the appropriate schema. "
        f"Details: {details}"
    )
