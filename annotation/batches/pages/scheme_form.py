"""Conversion of a scheme to the fields of a form and back; wrong values stay on the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.schemes import About, Kind, Level
from annotation.task_page import languages

#: Upper limit of questions and options that are read from a form.
_MOST_QUESTIONS, _MOST_OPTIONS = 25, 60
_KINDS = (
    (Kind.SINGLE, "one of several options"),
    (Kind.MULTI, "several options"),
    (Kind.SCALE, "points of a scale, which are whole numbers"),
    (Kind.TEXT, "free text"),
)
_ABOUT = ((About.QUERY, "queries"), (About.PASSAGE, "passages"))
_LEVELS = (
    ("", "as usual for its kind"),
    (Level.NOMINAL, "no order"),
    (Level.ORDINAL, "an order"),
    (Level.INTERVAL, "an order with equal distances"),
)
_TRUTHS = (("true", "yes"), ("false", "no"))


@dataclass(frozen=True)
class Field:
    """One field: `rows` makes it a text area, `choices` a list to choose from."""

    name: str
    label: str
    value: str
    rows: int = 0
    choices: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class OptionFields:
    title: str
    fields: list[Field]


@dataclass(frozen=True)
class QuestionFields:
    """The fields of one question, and of its options; the last option is empty, for a new one."""

    title: str
    fields: list[Field]
    options: list[OptionFields]


@dataclass(frozen=True)
class SchemeForm:
    """The fields of a scheme; the last question is empty, for a new one."""

    fields: list[Field]
    questions: list[QuestionFields]
    subset: list[Field]


def scheme_form(values: Mapping[str, Any]) -> SchemeForm:
    """Return the form that shows a scheme's JSON values, valid or not."""
    questions = [*values.get("questions", []), {}]
    names = [(str(one["name"]), str(one["name"])) for one in questions if one.get("name")]
    subset = values.get("subset", {})
    return SchemeForm(
        fields=[
            Field("title", "Title", _text(values, "title")),
            Field(
                "language", "Language", values.get("language", "en"), 0, list(languages().items())
            ),
            Field("instructions", "Instructions", _text(values, "instructions"), 3),
            Field("content_warning", "Content warning", _text(values, "content_warning"), 2),
            Field("name", "Name, in small letters", _text(values, "name")),
            Field("source", "Source", _text(values, "source")),
            Field("about", "Judges", _text(values, "about") or About.QUERY, 0, _ABOUT),
        ],
        questions=[_question(n, one, names) for n, one in enumerate(questions)],
        subset=[
            Field("subset-words", "The mean over …", _text(subset, "words")),
            Field(
                "subset-question", "Decided by the question", _text(subset, "question"), 0, names
            ),
            Field("subset-any_of", "One of these answers (codes, by ;)", _codes(subset, "any_of")),
            Field("subset-none_of", "None of these answers", _codes(subset, "none_of")),
            Field("subset-at_least", "At least this point of a scale", _text(subset, "at_least")),
            Field("subset-at_most", "At most this point", _text(subset, "at_most")),
        ],
    )


def _question(n: int, one: Mapping[str, Any], names: list[tuple[str, str]]) -> QuestionFields:
    at, condition = f"q{n}-", one.get("shown_if", {})
    options = [*one.get("options", []), {}]
    return QuestionFields(
        _text(one, "text") or "A new question",
        [
            Field(f"{at}text", "Question", _text(one, "text"), 2),
            Field(f"{at}name", "Name, the column of its answers", _text(one, "name")),
            Field(f"{at}kind", "Answer", _text(one, "kind") or Kind.SINGLE, 0, _KINDS),
            Field(f"{at}level", "Its options have", _text(one, "level"), 0, _LEVELS),
            Field(f"{at}help", "Help", _text(one, "help"), 2),
            Field(f"{at}required", "Must be answered", _truth(one, "required"), 0, _TRUTHS),
            Field(
                f"{at}cannot_tell", "Offers “I cannot tell”", _truth(one, "cannot_tell"), 0, _TRUTHS
            ),
            Field(
                f"{at}if",
                "Shown only after an answer to",
                _text(condition, "question"),
                0,
                [("", "always shown"), *names],
            ),
            Field(f"{at}if-codes", "namely one of (codes, by ;)", _codes(condition, "any_of")),
        ],
        [_option(f"{at}o{m}-", option) for m, option in enumerate(options)],
    )


def _option(at: str, one: Mapping[str, Any]) -> OptionFields:
    title = f"{_text(one, 'code')}: {_text(one, 'label')}" if one.get("code") else "A new option"
    return OptionFields(
        title,
        [
            Field(f"{at}code", "Code", _text(one, "code")),
            Field(f"{at}label", "Label", _text(one, "label")),
            Field(f"{at}key", "Key", _text(one, "key")),
            Field(f"{at}definition", "Definition", _text(one, "definition"), 2),
            Field(f"{at}examples", "Examples, one per line", "\n".join(one.get("examples", [])), 2),
            Field(f"{at}counter_example", "Counter-example", _text(one, "counter_example")),
            Field(f"{at}counter_reason", "Why it is none", _text(one, "counter_reason")),
        ],
    )


def _text(values: Mapping[str, Any], name: str) -> str:
    return str(values.get(name, ""))


def _truth(values: Mapping[str, Any], name: str) -> str:
    return "false" if str(values.get(name, True)).lower() == "false" else "true"


def _codes(values: Mapping[str, Any], name: str) -> str:
    return "; ".join(map(str, values.get(name, [])))


def read_form(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON values of a form, unchecked, without empty questions and options."""
    questions = [_read_question(f"q{n}-", sent) for n in range(_MOST_QUESTIONS)]
    subset = _filled(sent, "subset-", ("words", "question", "at_least", "at_most"))
    for name in ("any_of", "none_of"):
        subset |= _listed(name, sent.get(f"subset-{name}", ""))
    values = _filled(
        sent,
        "",
        ("name", "title", "about", "language", "source", "instructions", "content_warning"),
    )
    return {**values, "questions": [one for one in questions if one], "subset": subset}


def _read_question(at: str, sent: Mapping[str, str]) -> dict[str, Any]:
    read = _filled(sent, at, ("name", "text"))
    options = [_read_option(f"{at}o{m}-", sent) for m in range(_MOST_OPTIONS)]
    options = [option for option in options if option]
    if not read and not options:
        return {}
    read |= _filled(sent, at, ("kind", "level", "help", "required", "cannot_tell"))
    if options:
        read["options"] = options
    if before := sent.get(f"{at}if", ""):
        codes = _listed("any_of", sent.get(f"{at}if-codes", ""))
        read["shown_if"] = {"question": before, "any_of": [], **codes}
    return read


def _read_option(at: str, sent: Mapping[str, str]) -> dict[str, Any]:
    names = ("code", "label", "key", "definition", "counter_example", "counter_reason")
    examples = sent.get(f"{at}examples", "").splitlines()
    examples = [line.strip() for line in examples if line.strip()]
    return _filled(sent, at, names) | ({"examples": examples} if examples else {})


def _filled(sent: Mapping[str, str], at: str, names: Sequence[str]) -> dict[str, Any]:
    values = {name: sent.get(f"{at}{name}", "").strip() for name in names}
    return {name: value for name, value in values.items() if value}


def _listed(name: str, text: str) -> dict[str, Any]:
    codes = [code.strip() for code in text.split(";") if code.strip()]
    return {name: codes} if codes else {}
