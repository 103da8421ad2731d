"""Potato's configuration: the `annotation_schemes` of its YAML, as far as they are closed.

https://potato-annotation.readthedocs.io. Types radio, multiselect, likert and text become
questions; any other is refused by its name and line.
"""

from collections.abc import Mapping
from typing import Any

import yaml

from annotation.schemes.bounded_yaml import BoundedLoader
from annotation.schemes.formats.parts import (
    check_length,
    codes_of,
    n_points,
    names_of,
    points,
    scheme_of,
)
from annotation.schemes.kind import Kind
from annotation.schemes.kinds.multi import MULTI
from annotation.schemes.kinds.scale import SCALE
from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.kinds.text import TEXT
from annotation.schemes.scheme import Option, Question, Scheme
from annotation.schemes.validation import SchemeError

_LIST = "annotation_schemes"
_KINDS = {"radio": SINGLE, "multiselect": MULTI, "likert": SCALE, "text": TEXT}


def recognises(text: str) -> bool:
    """Return whether a line of `text` begins Potato's list of questions."""
    return any(line.startswith((f"{_LIST}:", f'"{_LIST}":')) for line in text.splitlines())


def read(text: str) -> Scheme:
    """The scheme of a configuration; `SchemeError` with the line."""
    check_length(text)
    items = _items(text)
    names = names_of([_called(values) for _, values in items])
    return scheme_of(
        [_question(line, values, name) for (line, values), name in zip(items, names, strict=True)],
        "potato",
        "Imported from Potato",
    )


def _called(values: Any) -> str:
    return str(values.get("name", "")) if isinstance(values, Mapping) else ""


def _items(text: str) -> list[tuple[int, Any]]:
    """The members of the list, each with its line; all scalars are text, so a label `no` stays."""
    loader: BoundedLoader | None = None
    try:
        loader = BoundedLoader(text)
        root = loader.get_single_node()
        pairs = root.value if isinstance(root, yaml.MappingNode) else []
        sequence = next((value for key, value in pairs if key.value == _LIST), None)
        members = sequence.value if isinstance(sequence, yaml.SequenceNode) else []
        return [
            (node.start_mark.line + 1, loader.construct_object(node, deep=True)) for node in members
        ]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "characters that YAML does not allow"
        raise SchemeError(
            place, f"the YAML cannot be read: {problem}.", remedy="Correct it."
        ) from None
    finally:
        if loader is not None:
            loader.dispose()


def _question(line: int, values: Any, name: str) -> Question:
    place = f"line {line}"
    if not isinstance(values, Mapping):
        raise SchemeError(place, "this is not a question.", remedy="Give annotation_type and name.")
    kind = _KINDS.get(str(values.get("annotation_type")))
    if kind is None:
        raise SchemeError(
            place,
            f"annotation_type is {str(values.get('annotation_type'))[:40]!r}.",
            remedy=f"Read are {', '.join(_KINDS)}.",
        )
    requirement = values.get("label_requirement")
    needed = requirement.get("required") if isinstance(requirement, Mapping) else "false"
    return Question(
        name=name,
        text=str(values.get("description") or _called(values)),
        kind=kind,
        level=kind.levels[0],
        options=_options(place, kind, values),
        required=str(needed).lower() == "true",
        cannot_tell=False,
    )


def _options(place: str, kind: Kind, values: Mapping[str, Any]) -> tuple[Option, ...]:
    if not kind.has_options:
        return ()
    if kind.has_points:
        size = str(values.get("size", ""))
        ends = (str(values.get("min_label", "")), str(values.get("max_label", "")))
        return points(size, place, ends)
    labels = values.get("labels")
    if not isinstance(labels, list):
        raise SchemeError(place, "it has no list of labels.", remedy="Write its labels out.")
    parts = [label if isinstance(label, Mapping) else {"name": label} for label in labels]
    names = [part.get("name") for part in parts]
    texts = [name for name in names if isinstance(name, str) and name.strip()]
    if len(texts) < len(names):
        raise SchemeError(place, "a label has no name.", remedy="Give each label a name.")
    return tuple(
        Option(
            code=code,
            label=text,
            definition=str(part.get("tooltip", "")),
            key=str(part.get("key_value", "")),
        )
        for code, text, part in zip(codes_of(texts), texts, parts, strict=True)
    )


def write(scheme: Scheme) -> str:
    """The scheme as the part of a configuration that asks; `SchemeError` for what it cannot ask.

    Potato stores the names of labels: these are the codes, and what they say is their tooltip.
    """
    members = [_member(question) for question in scheme.questions]
    text: str = yaml.safe_dump({_LIST: members}, sort_keys=False, allow_unicode=True, width=100)
    return text


def _member(question: Question) -> dict[str, Any]:
    if question.shown_if:
        raise SchemeError(
            question.name,
            "it is shown under a condition, which is not written for Potato.",
            remedy="Ask it always, or leave it out.",
        )
    member: dict[str, Any] = {
        "annotation_type": _type(question.kind),
        "name": question.name,
        "description": question.text,
        "label_requirement": {"required": question.required},
    }
    if question.kind.has_points:
        member["size"] = n_points(question, "Potato")
        member["min_label"] = question.options[0].label
        member["max_label"] = question.options[-1].label
    elif question.kind.has_options:
        member["labels"] = [_label(option) for option in question.options]
    return member


def _type(kind: Kind) -> str:
    if not kind.has_options:
        return "text"
    if kind.has_points:
        return "likert"
    return "multiselect" if kind.takes_several else "radio"


def _label(option: Option) -> dict[str, str]:
    words = ": ".join(
        text for text in (option.label, option.definition) if text != option.code and text
    )
    return {
        "name": option.code,
        **({"tooltip": words} if words else {}),
        **({"key_value": option.key} if option.key else {}),
    }
