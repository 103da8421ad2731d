"""A codebook as a parameter of operations."""

from typing import Any

from rest_framework import serializers

from annotation.task_page import Codebook, CodebookError, languages
from annotation.vocabulary import Category


class CategoryText(serializers.Serializer[Any]):
    """One category of a codebook."""

    name = serializers.CharField(max_length=40)
    definition = serializers.CharField(max_length=500)
    examples = serializers.ListField(child=serializers.CharField(max_length=200), max_length=5)
    borderline = serializers.CharField(max_length=200, allow_blank=True, default="")
    reason = serializers.CharField(max_length=300, allow_blank=True, default="")


class CategoryTexts(serializers.Serializer[Any]):
    """The text of each category; the codes never change."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {code: CategoryText() for code in Category.values}


class CodebookField(serializers.Serializer[Any]):
    """The texts of a task page; becomes a `Codebook`."""

    language = serializers.ChoiceField(choices=list(languages().items()))
    question = serializers.CharField(max_length=120)
    instructions = serializers.CharField(max_length=1_000)
    categories = CategoryTexts()

    def to_internal_value(self, data: Any) -> Any:
        texts = super().to_internal_value(data)
        try:
            return Codebook.from_json(texts)
        except CodebookError as error:
            raise serializers.ValidationError(str(error)) from None
