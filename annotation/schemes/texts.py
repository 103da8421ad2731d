"""Schemes as YAML and as JSON values. What one writes, the other reads.

YAML scalars are read as text, so that a code `no` stays `no`; aliases, tags and repeated keys are
refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

import yaml

from annotation.schemes.bounded_yaml import BoundedLoader
from annotation.schemes.codes import LONGEST_SCHEME
from annotation.schemes.kind import MOST_OPTIONS
from annotation.schemes.kinds import KINDS
from annotation.schemes.scheme import About, Condition, Option, Question, Scheme, Subset
from annotation.schemes.subsets import usual_subset
from annotation.schemes.validation import SchemeError, check_scheme
from metrics.vocabulary import Level

#: Members of a list. `check_scheme` knows smaller limits and says them in the words of their place.
_LONGEST_LIST = 4 * MOST_OPTIONS

Part = TypeVar("Part")
Member = TypeVar("Member")


def scheme_from_yaml(text: str) -> Scheme:
    """The scheme that `text` describes; `SchemeError` with its place or line."""
    if len(text) > LONGEST_SCHEME:
        raise SchemeError(
            "",
            f"the scheme has {len(text):,} characters.",
            remedy=f"Keep it under {LONGEST_SCHEME:,}.",
        )
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        values = loader.get_single_data()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "characters that YAML does not allow"
        raise SchemeError(
            place, f"the YAML cannot be read: {problem}.", remedy="Correct that line."
        ) from None
    finally:
        if loader is not None:
            loader.dispose()
    return scheme_from_json(values)


def scheme_to_yaml(scheme: Scheme) -> str:
    """`scheme` as YAML, its parts in their order."""
    text: str = yaml.safe_dump(
        scheme.as_json(), sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
    return text


def scheme_from_json(values: Any) -> Scheme:
    """The scheme in JSON values; checked, else `SchemeError` with the place."""
    scheme = scheme_unchecked(values)
    check_scheme(scheme)
    return scheme


class _Loader(BoundedLoader):
    """Reads nothing that could hide: no aliases, and no key twice."""

    deepest = 12
    most_nodes = 20_000  # of the largest scheme that `check_scheme` takes, and more

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.events.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(
                problem="anchors and aliases are not allowed", problem_mark=event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {getattr(key, 'value', '')!r} comes twice or is not text",
                    problem_mark=key.start_mark,
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def scheme_unchecked(values: Any) -> Scheme:
    """The scheme in JSON values that have its parts; `scheme_problems` says what else is wrong.

    One that names no subset has the usual one.
    """
    names_none = isinstance(values, Mapping) and "subset" not in values
    scheme = _part(
        Scheme,
        "",
        {**values, "subset": {"words": "", "question": ""}} if names_none else values,
        about=_one_of({about.value: about for about in About}),
        questions=lambda at, value: _list(at, value, _question),
        subset=lambda at, value: _part(
            Subset, at, value, any_of=_texts, none_of=_texts, at_least=_number, at_most=_number
        ),
    )
    usual = usual_subset(scheme.questions, scheme.about) if names_none else None
    return replace(scheme, subset=usual) if usual else scheme


def _question(place: str, values: Any) -> Question:
    if isinstance(values, Mapping) and "level" not in values:
        kind = _one_of(KINDS)(f"{place}.kind", values.get("kind", ""))
        values = {**values, "level": kind.levels[0]}
    return _part(
        Question,
        place,
        values,
        kind=_one_of(KINDS),
        level=_one_of({level.value: level for level in Level}),
        options=lambda at, value: _list(at, value, _option),
        required=_truth,
        cannot_tell=_truth,
        shown_if=lambda at, value: _part(Condition, at, value, any_of=_texts),
    )


def _option(place: str, values: Any) -> Option:
    if isinstance(values, Mapping) and "label" not in values:
        # A plain point of a scale is its number.
        values = {**values, "label": values.get("code", "")}
    return _part(Option, place, values, examples=_texts, alone=_truth)


def _part(part: type[Part], place: str, values: Any, **readers: Callable[[str, Any], Any]) -> Part:
    if not isinstance(values, Mapping):
        raise SchemeError(
            place, "this is not a mapping of names to values.", remedy="Write name: value lines."
        )
    names = {field.name: field for field in fields(part)}  # type: ignore[arg-type]
    for name in values:
        if name not in names:
            known = ", ".join(names)
            raise SchemeError(
                _below(place, str(name)[:40]),
                "this is not known here.",
                remedy=f"Known are {known}.",
            )
    for name, field in names.items():
        if field.default is MISSING and name not in values:
            raise SchemeError(_below(place, name), "this is missing.", remedy=f"Give its {name}.")
    members: dict[str, Any] = {}
    for name, value in values.items():
        read: Callable[[str, Any], Any] = readers.get(name, _text)
        members[name] = read(_below(place, name), value)
    return part(**members)


def _below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _list(place: str, values: Any, read: Callable[[str, Any], Member]) -> tuple[Member, ...]:
    if not isinstance(values, list | tuple):
        raise SchemeError(place, "this is not a list.", remedy="Write one member a line, after -.")
    if len(values) > _LONGEST_LIST:
        raise SchemeError(
            place, f"there are {len(values):,} members.", remedy=f"Keep at most {MOST_OPTIONS}."
        )
    return tuple(read(f"{place}[{n + 1}]", value) for n, value in enumerate(values))


def _texts(place: str, values: Any) -> tuple[str, ...]:
    return _list(place, values, _text)


def _text(place: str, value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise SchemeError(place, "this is not text.", remedy="Write text, in quotes if need be.")
    return value.strip()


def _number(place: str, value: Any) -> int:
    try:
        return int(_text(place, value))
    except ValueError:
        raise SchemeError(place, "this is not a whole number.", remedy="Write one.") from None


def _truth(place: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    known = {"true": True, "yes": True, "false": False, "no": False}
    try:
        return known[_text(place, value).lower()]
    except KeyError:
        raise SchemeError(place, "this is neither true nor false.", remedy="Write one.") from None


def _one_of(words: Mapping[str, Member]) -> Callable[[str, Any], Member]:
    def read(place: str, value: Any) -> Member:
        if not isinstance(value, str) or value not in words:
            known = ", ".join(words)
            raise SchemeError(
                place, f"{str(value)[:40]!r} is not known.", remedy=f"Write one of {known}."
            )
        return words[value]

    return read
