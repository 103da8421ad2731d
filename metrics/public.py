"""Calls of public functions: other names of arguments are accepted, and errors say what to type."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from .aliases import ARGUMENTS, USAGE, Hint, plain
from .errors import InputError, InputTypeError, did_you_mean

_P = ParamSpec("_P")
_R = TypeVar("_R")
_NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def public(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function be called by the other names of its arguments, `metrics.aliases`.

    Raises `InputTypeError` for arguments that it has not, does without, or has twice.
    """
    return public_with(())(function)


def public_with(
    terms: Iterable[str],
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Decorate as `public` does a function whose last parameter takes these keywords alone."""
    known = tuple(terms)

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        choices = _choices(function)

        @wraps(function)
        def called(*values: _P.args, **named: _P.kwargs) -> _R:
            for word in named.keys() & choices.keys():
                _check_choice(word, named[word], choices[word])
            if known and not named.keys() <= {*_names(function), *known}:
                named = _meant(function, known, values, named)  # type: ignore[assignment]
            try:
                return function(*values, **named)
            except TypeError as error:
                # One of the call itself was raised here, and not inside.
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise
            return function(*values, **_meant(function, known, values, named))

        return called

    return decorated


def _meant(
    function: Callable[..., Any],
    known: Iterable[str],
    values: tuple[Any, ...],
    named: Mapping[str, Any],
) -> dict[str, Any]:
    """The keywords with which the call is one; `InputTypeError` where there are none."""
    name, names = function.__name__, _names(function)
    renamed = _renamed(name, named, [*names, *known])
    try:
        signature(function).bind(*values, **renamed)
    except TypeError as error:
        usage = USAGE.get(name) or f"Write {name}({', '.join(names)})."
        raise InputTypeError(f"{name}: {error}.", remedy=usage) from None
    return renamed


def _choices(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    """The values of each argument that takes some alone."""
    kinds = {name: p.annotation for name, p in signature(function).parameters.items()}
    return {name: get_args(kind) for name, kind in kinds.items() if get_origin(kind) is Literal}


def _check_choice(name: str, value: object, known: tuple[Any, ...]) -> None:
    if not isinstance(value, Hashable) or value not in known:
        raise InputError(
            f"{name}={value!r} is not known.",
            remedy=f"Use {', '.join(map(repr, known))}.",
        )


def _names(function: Callable[..., Any]) -> list[str]:
    parameters = signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in _NAMED and p.name != "cls"]


def _renamed(name: str, named: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """The keywords by the names that the function has."""
    renamed: dict[str, Any] = {}
    for word, value in named.items():
        argument = word if word in names else _argument(name, word, names)
        if argument in renamed or (argument != word and argument in named):
            raise InputTypeError(
                f"{name} has {argument} twice: {word} is another name of it.",
                remedy=f"Give {argument} alone.",
            )
        renamed[argument] = value
    return renamed


def _argument(name: str, word: str, names: list[str]) -> str:
    """The argument that a word stands for; `InputTypeError` where it stands for none."""
    own = {plain(argument): argument for argument in names}
    tables = [ARGUMENTS.get(name, {}), own, ARGUMENTS[""]]

    def meaning(part: str) -> str | Hint | None:
        for table in tables:
            meant = {plain(alias): argument for alias, argument in table.items()}.get(plain(part))
            if isinstance(meant, Hint) or meant in names:
                return meant
            if meant and plain(meant) in own:
                return own[plain(meant)]
        return None

    meant = meaning(word)
    if isinstance(meant, Hint):
        raise _unknown(name, word, meant.text)
    if meant is not None:
        return meant
    # `document_texts` is no other name, but speaks of texts.
    part = next((m for m in map(meaning, word.split("_")) if isinstance(m, str)), None)
    near = f"Did you mean {part}?" if part else did_you_mean(word, names).strip()
    raise _unknown(name, word, near or f"It has {', '.join(names) or 'none'}.")


def _unknown(name: str, word: str, remedy: str) -> InputTypeError:
    return InputTypeError(f"{name} has no argument {word!r}.", remedy=remedy)
