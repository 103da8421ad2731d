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
from annotation.schemes.built_in import GENDER


@extend_schema_field(OpenApiTypes.OBJECT)
class SchemeField(serializers.Field[Any, Any, Any, Any]):
    """Name of a built-in scheme, YAML text, or JSON; becomes a `Scheme`.

    The paper's own scheme becomes None: its votes are those of the released data set.
    """

    def to_internal_value(self, data: Any) -> Scheme | None:
        if isinstance(data, Scheme):
            return data
        try:
            if not isinstance(data, str):
                return scheme_from_json(data)
            if data.strip() in built_in_schemes():
                name = data.strip()
                return None if name == GENDER else built_in_scheme(name)
            return scheme_from_yaml(data)
        except SchemeError as error:
            raise serializers.ValidationError(str(error)) from None

    def to_representation(self, value: Scheme) -> Any:
        return value.as_json()
