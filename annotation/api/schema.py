"""The OpenAPI document: the parts that all operations have in common."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeVar

from django.db.models import Model
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from annotation.api.problems import CONTENT_TYPE, CROWD_AWAY, IMPOSSIBLE, INVALID, STALE

View = TypeVar("View")
#: For `responses`: refusals with a reason.
REFUSAL = {422: OpenApiTypes.OBJECT}
#: The same where the crowd is asked during the call.
CROWD = {**REFUSAL, 503: OpenApiTypes.OBJECT}


def example(value: Any, *, of: str = "request") -> OpenApiExample:
    """Return an example of a body that is sent, or of an answer (`of="response"`)."""
    return OpenApiExample(
        "Example",
        value=value,
        request_only=of == "request",
        response_only=of == "response",
    )


def file_of(content_type: str, description: str) -> dict[Any, Any]:
    """For `responses`: a download."""
    return {(200, content_type): OpenApiResponse(OpenApiTypes.BINARY, description=description)}


def listing(
    operation_id: str,
    row: type[BaseSerializer[Any]],
    model: type[Model],
    **options: Any,
) -> Callable[[type[View]], type[View]]:
    """Let a view list rows of `model`, each shown by `row`; its docstring is the description."""

    def decorate(view: type[View]) -> type[View]:
        listed: Any = view
        for shape in options.get("parameters", ()):
            listed.query_shapes = {"GET": shape}
        listed.serializer_class, listed.queryset = row, model._default_manager.none()  # noqa: SLF001 - Django's name for it
        documented = extend_schema(operation_id=operation_id, **options)
        return extend_schema_view(get=documented)(view)

    return decorate


def reading(
    operation_id: str, serializer: type[BaseSerializer[Any]], **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Response]]:
    """Let a method `get` answer with what it returns, as `serializer` shows it."""

    def decorate(find: Callable[..., Any]) -> Callable[..., Response]:
        @wraps(find)
        def get(self: Any, request: Request, **place: Any) -> Response:
            return Response(serializer(find(self, **place), context={"user": request.user}).data)

        documented = {"operation_id": operation_id, "responses": serializer, **options}
        decorated: Callable[..., Response] = extend_schema(**documented)(get)
        return decorated

    return decorate


class Operation(AutoSchema):
    """Operations are sorted under the first word of their address."""

    def get_tags(self) -> list[str]:
        return [self.path.removeprefix("/api/v1/").partition("/")[0]]


_SCHEMA = {
    "type": "object",
    "description": "What went wrong, in the form of RFC 9457.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "Which kind of problem; see docs/api.md."},
        "title": {"type": "string", "description": "The kind in words."},
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": {"type": "string", "description": "What went wrong this time."},
        "remedy": {"type": "string", "description": "What to do about it."},
        "file": {"type": "string", "description": "Name of the file that cannot be used."},
        "line": {"type": "integer", "description": "Its line, from 1."},
        "errors": {
            "type": "array",
            "description": "Each value that cannot be used.",
            "items": {
                "type": "object",
                "required": ["detail", "code"],
                "properties": {
                    "pointer": {"type": "string", "description": "Where in the body (RFC 6901)."},
                    "parameter": {"type": "string", "description": "Which query parameter."},
                    "detail": {"type": "string"},
                    "code": {
                        "type": "string",
                        "description": "`unknown`, `repeated`, `required`, `invalid_choice` ...",
                    },
                },
            },
        },
    },
}
#: By status: the kind of problem, and an example of its detail.
_PROBLEMS: dict[int, tuple[str, str]] = {
    400: (INVALID, "1 of the values cannot be used."),
    401: ("about:blank", "Authentication credentials were not provided."),
    403: ("about:blank", "To decide labels in this study, you need the role owner or adjudicator."),
    404: ("about:blank", "This does not exist, or you may not see it."),
    413: ("about:blank", "The request is too large."),
    415: ("about:blank", 'Unsupported media type "text/plain" in request.'),
    409: (STALE, "this has changed meanwhile, and nothing was done."),
    422: (IMPOSSIBLE, "a batch named 'first' exists."),
    429: ("about:blank", "Request was throttled. Expected available in 12 seconds."),
    503: (CROWD_AWAY, "nobody answers at http://127.0.0.1:8000/mturk/."),
}
_METHODS = {"get", "post", "put", "patch", "delete"}


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add to every operation the errors that it may answer with, all of one shape."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = _SCHEMA
    components["responses"] = {
        f"Problem{status}": _response(status, *description)
        for status, description in _PROBLEMS.items()
    }
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            if method in _METHODS:
                _add_problems(path, method, operation)
                if _takes_version(operation, components["schemas"]):
                    _add_problem(operation, 409)
    return result


def _takes_version(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    bodies = operation.get("requestBody", {}).get("content", {}).values()
    names = [body["schema"].get("$ref", "").rpartition("/")[2] for body in bodies]
    return any("version" in schemas.get(name, {}).get("properties", {}) for name in names)


def _response(status: int, kind: str, detail: str) -> dict[str, Any]:
    phrase = HTTPStatus(status).phrase
    problem = {"type": kind, "title": phrase, "status": status, "detail": detail}
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": phrase,
        "content": {CONTENT_TYPE: {"schema": schema, "example": problem}},
    }


def _add_problems(path: str, method: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    statuses = {int(status) for status in responses if int(status) in _PROBLEMS} | {400, 429}
    parameters = [
        parameter for parameter in operation.get("parameters", []) if parameter["in"] == "query"
    ]
    if {} not in operation.get("security", [{}]):
        statuses |= {401, 403}
    names = {parameter["name"] for parameter in parameters}
    if "{" in path or "page" in names:
        statuses.add(404)
    if "question" in names:  # one that the batch does not ask
        statuses.add(422)
    if "requestBody" in operation:
        statuses |= {413, 415}
    if method != "get":
        statuses.add(422)
    for status in sorted(statuses):
        _add_problem(operation, status)


def _add_problem(operation: dict[str, Any], status: int) -> None:
    operation["responses"][str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
