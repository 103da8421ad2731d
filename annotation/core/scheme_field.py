"""A scheme as a parameter of operations."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.schemes import (
    Scheme,
    SchemeError,
    built_in_scheme,
    built_in_schemes,
    scheme_from_json,
    scheme_from_yaml,
)


@extend_schema_field(OpenApiTypes.OBJECT)
class SchemeField(serializers.Field[Any, Any, Any, Any]):
    """Name of a built-in scheme, YAML text, or JSON; becomes a `Scheme`."""

    def to_internal_value(self, data: Any) -> Scheme:
        if isinstance(data, Scheme):
            return data
        try:
            if not isinstance(data, str):
                return scheme_from_json(data)
            if data.strip() in built_in_schemes():
                return built_in_scheme(data.strip())
            return scheme_from_yaml(data)
        except SchemeError as error:
            raise serializers.ValidationError(str(error)) from None

    def to_representation(self, value: Scheme) -> Any:
        return value.as_json()
