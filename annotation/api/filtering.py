"""Filters of lists. They reveal nothing about rows that the caller may not see."""

from typing import Any, ClassVar

from django import forms
from django.db.models import ForeignKey, OneToOneField
from django_filters import Filter
from django_filters.rest_framework import DjangoFilterBackend, FilterSet

from annotation.core.parameters import LARGEST_KEY


class RowNumber(Filter):  # type: ignore[misc] # ships no types
    """The number of another row. A missing row finds nothing, like a hidden one.

    The library's own filter refuses a number that no row has, and so reveals which numbers other
    studies have.
    """

    field_class = forms.IntegerField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name in ("queryset", "to_field_name", "null_label"):
            kwargs.pop(name, None)
        super().__init__(*args, min_value=0, max_value=LARGEST_KEY, **kwargs)


class _Filters(FilterSet):  # type: ignore[misc] # ships no types
    FILTER_DEFAULTS: ClassVar[dict[Any, Any]] = {
        **FilterSet.FILTER_DEFAULTS,
        ForeignKey: {"filter_class": RowNumber},
        OneToOneField: {"filter_class": RowNumber},
    }


class Filters(DjangoFilterBackend):  # type: ignore[misc] # ships no types
    """Filters named by `filterset_fields` of a view, exactly."""

    filterset_base = _Filters
