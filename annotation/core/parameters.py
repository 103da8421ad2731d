"""One definition of an operation's parameters: a dataclass, read and checked by one serializer.

    @dataclass(frozen=True, kw_only=True)
    class BonusParameters:
        amount: Decimal = parameter(**USD, min_value=Decimal("0.01"), label="USD for each worker")
        reason: str = parameter(max_length=500, help_text="What workers read.")

The options are those of the REST framework's serializer fields. Form, command line and API take
their fields from the same serializer, so that no range, choice or help text is stated twice.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import empty
from rest_framework.serializers import (
    BaseSerializer,
    CharField,
    ChoiceField,
    Field,
    ListField,
    ListSerializer,
    Serializer,
    ValidationError,
)
from rest_framework_dataclasses.fields import DefaultDecimalField
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.core.amounts import is_plain
from metrics.errors import InputError
from metrics.io.unseen import has_unseen, visible

Parameters = TypeVar("Parameters")
#: Options of an amount of US dollars.
USD: dict[str, Any] = {"max_digits": 10, "decimal_places": 2}
CENT = Decimal("0.01")
#: The largest number of a row that databases hold.
LARGEST_KEY = 2**63 - 1
#: Options of the number of a row.
ROW_NUMBER: dict[str, Any] = {"min_value": 1, "max_value": LARGEST_KEY}
#: The `style` of parameters without a derived form field.
HIDDEN = {"hidden": True}
_SERIALIZERS: dict[type[Any], type[Serializer[Any]]] = {}


class ParametersError(InputError):
    """Values that cannot be used. `errors` maps the name of each to what is wrong with it.

    Each interface names the value in its own words: a field's label, an option, a member.
    """

    def __init__(self, errors: Mapping[str, Any]) -> None:
        self.errors = dict(_by_name(errors))
        text = "; ".join(f"{name}: {' '.join(wrong)}" for name, wrong in self.errors.items())
        super().__init__(text, remedy="Give values within the ranges.")


def not_a_choice(name: str, value: str, choices: Iterable[str]) -> ParametersError:
    """Return the error of a value outside the choices, where these depend on the subject."""
    wrong = f'"{value}" is not a valid choice. Choose one of {", ".join(choices)}.'
    return ParametersError({name: [ErrorDetail(wrong, code="invalid_choice")]})


class TermError(InputError):
    """An error of the value of one parameter, `name`, in the current state."""

    def __init__(self, name: str, message: str, **where: Any) -> None:
        self.name = name
        super().__init__(message, **where)

    @classmethod
    def of(cls, name: str, error: InputError) -> Self:
        """Return `error` as an error about this parameter."""
        return cls(name, error.message, path=error.path, line=error.line, remedy=error.remedy)


@contextmanager
def about(name: str) -> Iterator[None]:
    """Report errors as errors of the parameter of this name."""
    try:
        yield
    except InputError as error:
        raise TermError.of(name, error) from None


@contextmanager
def value_of(name: str) -> Iterator[None]:
    """Report errors as a value of this parameter that cannot be used."""
    try:
        yield
    except InputError as error:
        raise ParametersError({name: [f"{error.message} {error.remedy}".strip()]}) from None


class PathField(Field[Path, Any, str, Any]):
    """A file that the interface has received: no text from outside becomes a path."""

    def to_internal_value(self, data: Any) -> Path:
        if not isinstance(data, Path):
            raise ValidationError("Send the file itself, not its name.")
        return data

    def to_representation(self, value: Path) -> str:
        return value.name


class SeenCharField(CharField):
    """A text without characters that nobody sees; one of style `HIDDEN` is cleaned later."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if has_unseen(text) and not self.style.get("hidden"):
            wrong = f"It has invisible characters: {visible(text)[:80]!r}."
            raise ValidationError(wrong, code="unseen")
        return text


class AmountField(DefaultDecimalField):
    """A decimal of plain digits, a number of JSON, or a value that was read before."""

    def to_internal_value(self, data: Any) -> Decimal:
        # The range reports negative amounts.
        if isinstance(data, str) and not is_plain(data.strip().removeprefix("-")):
            self.fail("invalid")
        amount: Decimal = super().to_internal_value(data)
        return amount


class AgreedField(AmountField):
    """An amount that was agreed to: an empty text is an error, not a missing amount."""

    def get_value(self, dictionary: Mapping[str, Any]) -> Any:
        return dictionary.get(str(self.field_name), empty)

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        if data == "":
            self.fail("invalid")
        return super().validate_empty_values(data)


@dataclass(frozen=True)
class NoParameters:
    """An operation without parameters."""


def parameter(default: Any = MISSING, *, kind: Any = None, **options: Any) -> Any:
    """A field of a parameters dataclass; `options` are those of its serializer field.

    Its `kind` follows from its type, or is given.
    """
    options |= {} if default is MISSING else {"default": default}
    # The type is text, which does not say that there are choices.
    kind = kind or (ChoiceField if "choices" in options else None)
    metadata = {"serializer_field": kind(**options)} if kind else {"serializer_kwargs": options}
    how = {"default_factory" if callable(default) else "default": default}
    return field(**how, metadata=metadata)


def filename_parameter(usual: str, example: str) -> Any:
    """The name of a file whose content comes beside the parameters."""
    words = f"What the file is called, as in {example}."
    return parameter(usual, max_length=200, help_text=words, style=HIDDEN)


def serializer_of(kind: type[Any]) -> type[Serializer[Any]]:
    """The serializer of a parameters dataclass; its docstring is the dataclass's."""
    if kind not in _SERIALIZERS:
        _SERIALIZERS[kind] = _make_serializer(kind)
    return _SERIALIZERS[kind]


def fields_of(kind: type[Any]) -> dict[str, Any]:
    """The serializer's fields of a parameters dataclass by name, in their order."""
    return dict(serializer_of(kind)().fields.items())


def _make_serializer(kind: type[Any]) -> type[Serializer[Any]]:
    meta = type("Meta", (), {"dataclass": kind})
    name = kind.__name__.removesuffix("Parameters")
    usual = DataclassSerializer.serializer_field_mapping
    mapping = {**usual, Decimal: AmountField, str: SeenCharField}
    members = {"Meta": meta, "__doc__": kind.__doc__, "serializer_field_mapping": mapping}
    made = type(name, (DataclassSerializer,), members)
    return cast("type[Serializer[Any]]", made)


def read_parameters(
    kind: type[Parameters], values: Mapping[str, Any] | Parameters, user: Any = None
) -> Parameters:
    """Return `values` as an instance of `kind`; raises `ParametersError` for an invalid one.

    Fields that name objects find those that `user` may use; without a user, all. If `values` is an
    instance already, it is returned as it is.
    """
    if isinstance(values, kind):
        return values
    assert isinstance(values, Mapping)  # noqa: S101 - tells its type
    serializer = serializer_of(kind)(data=values, context={"user": user})
    errors = unknown_names(serializer, values) or (not serializer.is_valid() and serializer.errors)
    if errors:
        raise ParametersError(errors)
    return cast("Parameters", serializer.validated_data)


def check_parameters(kind: type[Any], values: Mapping[str, Any]) -> None:
    """Raise `ParametersError` for invalid `values`; others may be missing."""
    serializer = serializer_of(kind)(data=values, partial=True)
    if not serializer.is_valid():
        raise ParametersError(serializer.errors)


def stored_parameters(values: Any) -> dict[str, Any]:
    """Return `values` for a job's JSON, without defaults."""
    plain = serializer_of(type(values))(values).data
    usual = {field.name: field.default for field in fields(values)}
    return {name: plain[name] for name in plain if getattr(values, name) != usual[name]}


def unknown_names(serializer: BaseSerializer[Any], values: Any) -> dict[str, Any]:
    """Return errors for unknown names in `values`, with the nearest known name."""
    if isinstance(serializer, ListSerializer | ListField):
        rows = values if isinstance(values, list) else []
        is_deep = isinstance(serializer.child, BaseSerializer)
        wrong = {
            str(at): unknown_names(cast("Serializer[Any]", serializer.child), row)
            for at, row in enumerate(rows)
            if is_deep
        }
        return {at: errors for at, errors in wrong.items() if errors}
    if not isinstance(serializer, Serializer) or not isinstance(values, Mapping):
        return {}
    known = serializer.fields
    errors: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            errors[str(name)] = [unknown_name(str(name), known)]
        elif isinstance(known[name], BaseSerializer | ListField) and (
            inner := unknown_names(cast("BaseSerializer[Any]", known[name]), value)
        ):
            errors[str(name)] = inner
    return errors


def unknown_name(name: str, known: Iterable[str]) -> ErrorDetail:
    """Return the error of an unknown name, with the known name that was probably meant."""
    return ErrorDetail(f"This name is not known; {nearest(name, known)}", code="unknown")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that names what was probably meant."""
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0)
    return f"the nearest name is {matches[0]!r}." if matches else "there are none here."


def _by_name(errors: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Return the errors by parameter, nested ones included."""
    for name, wrong in errors.items():
        if isinstance(wrong, Mapping) and not any(str(key).isdecimal() for key in wrong):
            yield from _by_name(wrong)
        else:
            yield name, list(_flat(wrong))


def _flat(wrong: Any) -> Iterator[str]:
    if isinstance(wrong, str):
        yield wrong
    else:
        for part in wrong.values() if isinstance(wrong, Mapping) else wrong:
            yield from _flat(part)
