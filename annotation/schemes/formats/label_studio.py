"""Label Studio's labelling configuration: XML of closed questions about one text.

https://labelstud.io/tags/. Read without DTD and entities. Choices, Rating and TextArea become
questions; any other control is refused by its name and line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from xml.sax import SAXException, handler
from xml.sax.saxutils import quoteattr
from xml.sax.xmlreader import InputSource

from defusedxml.common import DefusedXmlException
from defusedxml.sax import parse

from annotation.schemes.formats.parts import (
    check_length,
    codes_of,
    n_points,
    names_of,
    points,
    scheme_of,
)
from annotation.schemes.kinds.multi import MULTI
from annotation.schemes.kinds.scale import SCALE
from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.kinds.text import TEXT
from annotation.schemes.scheme import Condition, Option, Question, Scheme
from annotation.schemes.validation import SchemeError

_DEEPEST = 20
_KINDS = {"single": SINGLE, "single-radio": SINGLE, "multiple": MULTI}
_PASSED = frozenset({"View", "Style"})
_USUAL_RATING = "5"
_SHOWN = 80
#: The name of each question, and its control, by what the file calls it.
_Names = dict[str, tuple[str, "_Tag"]]


@dataclass
class _Tag:
    """A control or a choice: its attributes and where it stands; choices have no choices."""

    name: str
    line: int
    attributes: dict[str, str]
    header: str = ""
    condition: dict[str, str] = field(default_factory=dict)
    choices: list["_Tag"] = field(default_factory=list)

    @property
    def place(self) -> str:
        return f"line {self.line}, <{self.name}>"


def read(text: str) -> Scheme:
    """The scheme of a configuration; `SchemeError` with the line and the tag."""
    content = _parsed(text)
    called = [control.attributes.get("name", "") for control in content.controls]
    named = list(zip(names_of(called), content.controls, strict=True))
    names = dict(zip(called, named, strict=True))
    questions = [_question(control, name, names) for name, control in named]
    return scheme_of(questions, "label_studio", "Imported from Label Studio")


def left_out(text: str) -> list[str]:
    """List the parts of a configuration that its scheme lacks; `SchemeError` as `read`."""
    return _parsed(text).left_out


def _parsed(text: str) -> "_Content":
    check_length(text)
    content = _Content()
    try:
        _parse(text, content)
    except DefusedXmlException:
        raise SchemeError(
            "", "the XML has a DTD or entities.", remedy="Leave the declarations out."
        ) from None
    except SAXException as error:
        line = getattr(error, "getLineNumber", lambda: 0)()
        raise SchemeError(
            f"line {line}", f"the XML cannot be read ({error.getMessage()}).", remedy="Correct it."
        ) from None
    return content


def _parse(text: str, content: handler.ContentHandler) -> None:
    """Read `text` as what it is by now, whatever encoding it says that it had."""
    source = InputSource()
    source.setEncoding("utf-8")
    source.setByteStream(BytesIO(text.encode(errors="replace")))
    parse(source, content, forbid_dtd=True)


class _Content(handler.ContentHandler):
    """Collects controls in their order, each with the header before it."""

    def __init__(self) -> None:
        super().__init__()
        self.controls: list[_Tag] = []
        self.left_out: list[str] = []
        self._open: list[_Tag] = []
        self._header = self._header_place = ""
        self._texts = 0

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - SAX's
        tag = _Tag(name, self._locator.getLineNumber(), dict(attrs))  # type: ignore[attr-defined]
        if len(self._open) > _DEEPEST:
            raise SchemeError(tag.place, "it is nested too deeply.", remedy="Unfold it.")
        self._open.append(tag)
        if name == "Header":
            self._leave_header()
            self._header, self._header_place = tag.attributes.get("value", ""), tag.place
        elif name == "Text":
            self._texts += 1
            if self._texts > 1:
                raise SchemeError(tag.place, "there is a second text.", remedy="Show one query.")
        elif name == "Choice":
            self._choice(tag)
        elif name in ("Choices", "Rating", "TextArea"):
            tag.header, self._header = self._header, ""
            views = [
                parent.attributes for parent in self._open if "visibleWhen" in parent.attributes
            ]
            tag.condition = views[-1] if views else {}
            self.controls.append(tag)
        elif name not in _PASSED:
            raise SchemeError(
                tag.place,
                "this is not a closed question about one text.",
                remedy="Ask by Choices, Rating or TextArea.",
            )

    def endElement(self, _name: str) -> None:  # noqa: N802 - SAX's
        self._open.pop()

    def endDocument(self) -> None:  # noqa: N802 - SAX's
        self._leave_header()

    def _leave_header(self) -> None:
        if self._header:
            what = f"no question follows, so its text is left out: {self._header[:_SHOWN]}"
            self.left_out.append(f"{self._header_place}: {what}")

    def _choice(self, tag: _Tag) -> None:
        outer = self._open[-2] if len(self._open) > 1 else tag
        if outer.name != "Choices":
            raise SchemeError(
                tag.place, "it is not inside Choices.", remedy="A tree of choices is not read."
            )
        outer.choices.append(tag)
        if tag.attributes.get("selected", "").lower() == "true":
            value = tag.attributes.get("value", "")[:_SHOWN]
            self.left_out.append(f"{tag.place}: {value!r} is no longer selected beforehand.")


def _question(tag: _Tag, name: str, names: _Names) -> Question:
    shared: dict[str, Any] = {
        "name": name,
        "text": tag.header or tag.attributes.get("name", ""),
        "required": tag.attributes.get("required", "false").lower() == "true",
        "cannot_tell": False,
        "shown_if": _condition(tag, names),
    }
    if tag.name == "TextArea":
        return Question(kind=TEXT, **shared)
    if tag.name == "Rating":
        number = tag.attributes.get("maxRating", _USUAL_RATING)
        shared["options"] = points(number, tag.place)
        return Question(kind=SCALE, level=SCALE.levels[0], **shared)
    choice = tag.attributes.get("choice", "single")
    if choice not in _KINDS:
        raise SchemeError(
            tag.place, f"choice is {choice[:40]!r}.", remedy=f"Known are {', '.join(_KINDS)}."
        )
    return Question(kind=_KINDS[choice], options=tuple(_options(tag)), **shared)


def _options(tag: _Tag) -> Iterator[Option]:
    """The option of each choice."""
    for choice in tag.choices:
        value = choice.attributes.get("value", "")
        if not value.strip() or "$" in value:
            wrong = f"{value[:40]!r} is not a fixed answer."
            raise SchemeError(choice.place, wrong, remedy="Write its value out.")
    texts = [choice.attributes.get("alias") or choice.attributes["value"] for choice in tag.choices]
    for code, choice in zip(codes_of(texts), tag.choices, strict=True):
        yield Option(
            code=code,
            label=choice.attributes["value"],
            definition=choice.attributes.get("hint", ""),
            key=choice.attributes.get("hotkey", ""),
        )


def _condition(tag: _Tag, names: _Names) -> Condition | None:
    if not tag.condition:
        return None
    name, about = names.get(tag.condition.get("whenTagName", ""), ("", None))
    value = tag.condition.get("whenChoiceValue", "")
    if tag.condition["visibleWhen"] != "choice-selected" or about is None or not about.choices:
        raise SchemeError(
            tag.place,
            "it is shown under a condition that is not read.",
            remedy="Show it when a choice of one control is selected.",
        )
    return Condition(question=name, any_of=_chosen(value, list(_options(about))))


def _chosen(value: str, options: Sequence[Option]) -> tuple[str, ...]:
    """The codes of the options that `value` names, between commas; of all where it names none.

    Label Studio names choices by their values here, whatever their aliases. A value may itself have
    commas.
    """
    codes = {option.label: option.code for option in options}
    parts, chosen = value.split(","), list[str]()
    while parts:
        texts = [",".join(parts[:n]).strip() for n in range(len(parts), 0, -1)]
        text = next((text for text in texts if text in codes), texts[-1])
        chosen += [codes.get(text, text)] if text else []
        parts = parts[len(parts) - texts.index(text) :]
    return tuple(chosen or codes.values())


def write(scheme: Scheme) -> str:
    """The scheme as a configuration; `SchemeError` for what Label Studio cannot ask."""
    lines = ["<View>", '  <Text name="query" value="$query"/>']
    for question in scheme.questions:
        condition = _shown(question, scheme)
        lines += [condition] if condition else []
        lines += [f"  <Header value={quoteattr(question.text)}/>", *_control(question)]
        lines += ["  </View>"] if condition else []
    return "\n".join([*lines, "</View>"]) + "\n"


def _shown(question: Question, scheme: Scheme) -> str:
    if question.shown_if is None:
        return ""
    labels = scheme.question(question.shown_if.question).labels
    values = ",".join(labels[code] for code in question.shown_if.any_of)
    name = quoteattr(question.shown_if.question)
    return (
        f'  <View visibleWhen="choice-selected" whenTagName={name} '
        f"whenChoiceValue={quoteattr(values)}>"
    )


def _control(question: Question) -> list[str]:
    about = f'name={quoteattr(question.name)} toName="query"'
    about += ' required="true"' if question.required else ""
    if not question.kind.has_options:
        return [f"  <TextArea {about}/>"]
    if question.kind.has_points:
        return [f'  <Rating {about} maxRating="{n_points(question, "Label Studio")}"/>']
    choice = "multiple" if question.kind.takes_several else "single"
    options = [f"    <Choice {_choice(option)}/>" for option in question.options]
    return [f'  <Choices {about} choice="{choice}">', *options, "  </Choices>"]


def _choice(option: Option) -> str:
    values = {"value": option.label, "alias": option.code}
    values |= {"hint": option.definition} if option.definition else {}
    values |= {"hotkey": option.key} if option.key else {}
    return " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())
