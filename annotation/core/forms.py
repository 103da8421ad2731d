"""The form of an operation, derived from its parameters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict
from rest_framework import serializers

from annotation.core.amounts import is_plain
from annotation.core.counting import about_items
from annotation.core.names_sent import check_names
from annotation.core.operations import AnyOperation
from annotation.core.parameters import ParametersError, fields_of

#: The button that shows what a form would do, on what is typed in it now, and does nothing.
LOOK = "look"
#: Fields that a form sends beside the parameters.
BESIDE = frozenset(
    {
        *("csrfmiddlewaretoken", "agreed", "asked", "by", "cost", "edit", LOOK),
        *("then", "read", "seen", "version"),
    }
)

_Make = Callable[[Any, dict[str, Any]], forms.Field]


def form_of(operation: AnyOperation) -> type[forms.Form]:
    """Return a form with a field for each parameter, in their order, without hidden ones."""
    return type(f"{type(operation).__name__}Form", (forms.Form,), form_fields(operation.parameters))


def form_fields(kind: type[Any]) -> dict[str, forms.Field]:
    """Return a field for each of these parameters, in their order, without hidden ones."""
    fields = fields_of(kind)
    return {
        name: _form_field(field) for name, field in fields.items() if not field.style.get("hidden")
    }


def sent_parameters(
    form: forms.Form | type[forms.Form], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters among a request's fields.

    A name that the form does not know is refused, and one that is sent more often than it reads.
    """
    fields = form.fields if isinstance(form, forms.Form) else form.base_fields
    several = [name for name, field in fields.items() if is_of_several(field)]
    check_names(values, {*fields, *BESIDE}, several)
    lists = set(several) if isinstance(values, MultiValueDict) else set()
    return {
        name: values.getlist(name) if name in lists else values[name]  # type: ignore[attr-defined]
        for name in values
        if name not in BESIDE
    }


def offer(form: forms.Form, name: str, choices: Sequence[Any], initial: str = "") -> None:
    """Let a field choose one of these instead of typing it."""
    field = form.fields[name]
    form.fields[name] = forms.ChoiceField(
        choices=choices,
        initial=initial,
        label=field.label,
        help_text=field.help_text,
        required=False,
    )


def speak_of(form: forms.Form, noun: str) -> None:
    """Let labels and help texts that speak of queries speak of items with this noun."""
    for field in form.fields.values():
        field.label = about_items(str(field.label or ""), noun) or field.label
        field.help_text = about_items(str(field.help_text), noun)


def is_of_several(field: forms.Field) -> bool:
    """Return whether a form sends the field's name once for each of its values."""
    return isinstance(field, forms.MultipleChoiceField | forms.ModelMultipleChoiceField)


def add_errors(form: forms.Form, error: ParametersError) -> None:
    """Add each error to its field, if the form does not have it already."""
    for name, wrong in error.errors.items():
        if name not in form.errors:
            form.add_error(name if name in form.fields else None, wrong)


def _form_field(field: Any) -> forms.Field:
    has_default = field.default is not serializers.empty
    options = {
        "label": field.label,
        "help_text": field.help_text or "",
        "required": not has_default or not field.style.get("optional", not field.default),
        "initial": field.style.get("usual", field.default) if has_default else None,
    }
    for kind, make in _FIELDS:
        if isinstance(field, kind):
            return make(field, options)
    raise NotImplementedError(f"{field} has no form field")


def _email(field: Any, options: dict[str, Any]) -> forms.Field:
    widget = forms.EmailInput({"autocomplete": "email"})
    return forms.EmailField(max_length=field.max_length, widget=widget, **options)


def _text(field: Any, options: dict[str, Any]) -> forms.Field:
    rows = field.style.get("rows")
    # Browsers should not fill in their user's name as the name of an item or of somebody else.
    attrs = {"autocomplete": "off"} if field.field_name in {"name", "username"} else {}
    widget: Any = forms.Textarea(attrs | {"rows": rows}) if rows else forms.TextInput(attrs)
    if field.style.get("secret"):
        widget = forms.PasswordInput({"autocomplete": "new-password"})
    return forms.CharField(max_length=field.max_length, widget=widget, **options)


def _several(field: Any, options: dict[str, Any]) -> forms.Field:
    """Return boxes to tick; choices that depend on the subject are in `Operation.choices`."""
    choices = list(getattr(field.child, "choices", {}).items())
    widget = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(choices=choices, widget=widget, **options)


class _Amount(forms.DecimalField):
    """A field that accepts the same decimals as the parameter."""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and not is_plain(value.strip().removeprefix("-") or "0"):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


#: By the kind of a serializer's field, the more special ones first.
_FIELDS: tuple[tuple[type[serializers.Field[Any, Any, Any, Any]], _Make], ...] = (
    (serializers.ListField, _several),
    (serializers.ChoiceField, lambda f, o: forms.ChoiceField(choices=list(f.choices.items()), **o)),
    (
        serializers.DecimalField,
        lambda f, o: _Amount(
            min_value=f.min_value,
            max_value=f.max_value,
            max_digits=f.max_digits,
            decimal_places=f.decimal_places,
            **o,
        ),
    ),
    (
        serializers.IntegerField,
        lambda f, o: forms.IntegerField(min_value=f.min_value, max_value=f.max_value, **o),
    ),
    (
        serializers.FloatField,
        lambda f, o: forms.FloatField(
            min_value=f.min_value,
            max_value=f.max_value,
            widget=forms.NumberInput({"step": "any"}),
            **o,
        ),
    ),
    (serializers.BooleanField, lambda _f, o: forms.BooleanField(**o | {"required": False})),
    (serializers.DateTimeField, lambda _f, o: forms.DateTimeField(**o)),
    (serializers.EmailField, _email),
    (serializers.CharField, _text),
)
