"""Lists come in pages: `?page=2&limit=100`."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request


class Pages(PageNumberPagination):
    """`count`, `next`, `previous`, `results`; an invalid limit is an error, not a guess."""

    page_size = 50
    max_page_size = 500
    page_size_query_param = "limit"

    def get_page_size(self, request: Request) -> int:
        limit = request.query_params.get("limit")
        if limit is None:
            return self.page_size
        if not (limit.isascii() and limit.isdecimal() and 1 <= int(limit) <= self.max_page_size):
            raise ValidationError({"limit": [f"From 1 to {self.max_page_size}."]})
        return int(limit)

    def get_schema_operation_parameters(
        self,
        view: Any,  # noqa: ARG002 - the base class says so
    ) -> list[dict[str, Any]]:
        page = {"type": "integer", "minimum": 1, "default": 1}
        limit = {
            "type": "integer",
            "minimum": 1,
            "maximum": self.max_page_size,
            "default": self.page_size,
        }
        return [
            {"name": name, "in": "query", "required": False, "description": text, "schema": schema}
            for name, text, schema in (
                ("page", "Which page, from 1.", page),
                ("limit", "Rows of a page.", limit),
            )
        ]
