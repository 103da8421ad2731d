"""Errors of the API: each is a problem of RFC 9457, wherever it was raised."""

import json
import sys
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFilesSent,
)
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.views.defaults import bad_request, server_error
from rest_framework import exceptions
from rest_framework.views import set_rollback

from annotation.core.database_faults import fault_of
from annotation.core.operations import NotPermittedError
from annotation.core.versions import StaleError
from annotation.crowd.connection import TRY_LATER
from annotation.crowd.errors import CrowdBusyError
from metrics.errors import InputError
from metrics.remedies import Remedy
from metrics.votes.files.mapping import value_text

CONTENT_TYPE = "application/problem+json"
#: Kinds of problems beyond their status; docs/api.md describes them.
INVALID = "urn:problem-type:fairpool:invalid"
IMPOSSIBLE = "urn:problem-type:fairpool:impossible"
STALE = "urn:problem-type:fairpool:stale"
CROWD_AWAY = "urn:problem-type:fairpool:crowd-away"
BUSY = "urn:problem-type:fairpool:busy"

_HEADERS = {"auth_header": "WWW-Authenticate", "wait": "Retry-After"}
_SAFE = ("GET", "HEAD")


class QueryStringError(exceptions.ValidationError):
    """The query string has an invalid value or name."""


def problem(
    status: int, detail: str, *, kind: str = "about:blank", title: str = "", **members: Any
) -> dict[str, Any]:
    """Return the members of a problem, without empty ones."""
    filled = {name: value for name, value in members.items() if value not in (None, "", [])}
    title = title or HTTPStatus(status).phrase
    return {"type": kind, "title": title, "status": status, "detail": detail, **filled}


def answer(error: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """Return the answer to an error in a view; None for an unforeseen one, which Django logs."""
    content = _problem_of(error, context["request"].method in _SAFE)
    if content is None:
        return None
    set_rollback()
    headers = {
        header: str(value) if name == "auth_header" else str(round(value))
        for name, header in _HEADERS.items()
        if (value := getattr(error, name, None)) is not None
    }
    # Not rendered by the view: that of the documentation writes HTML.
    return _json(content, headers)


def _problem_of(error: Exception, is_about_parameters: bool) -> dict[str, Any] | None:
    content: dict[str, Any] | None
    match error:
        case NotPermittedError():
            content = problem(HTTPStatus.FORBIDDEN, error.message, remedy=error.remedy)
        case StaleError():
            content = problem(
                HTTPStatus.CONFLICT,
                error.message,
                kind=STALE,
                title="Something has changed",
                remedy=error.remedy,
                seen=error.seen,
                now=error.now,
                version=error.version,
            )
        case InputError():
            content = _of_input(error)
        case exceptions.ValidationError():
            is_query = is_about_parameters or isinstance(error, QueryStringError)
            content = _of_fields(error, is_query)
        case exceptions.APIException():
            remedy = _REMEDIES.get(type(error))
            content = problem(error.status_code, str(error.detail), remedy=remedy)
        case _:
            status, detail = next(
                (answer for kind, answer in _OTHERS if isinstance(error, kind)), (0, "")
            )
            content = problem(status, detail) if status else None
    return content


#: Errors of Django, the more special ones first.
_OTHERS: tuple[tuple[type[Exception], tuple[int, str]], ...] = (
    (Http404, (HTTPStatus.NOT_FOUND, "This does not exist, or you may not see it.")),
    (PermissionDenied, (HTTPStatus.FORBIDDEN, "You may not do this.")),
    (RequestDataTooBig, (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")),
    (TooManyFilesSent, (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request has too many files.")),
    (SuspiciousOperation, (HTTPStatus.BAD_REQUEST, "The request cannot be read.")),
)
_REMEDIES: dict[type[Exception], str] = {
    exceptions.NotAuthenticated: "Send the header `Authorization: Bearer TOKEN`; `python "
    "manage.py account create-token USER` or the page of your account makes a token.",
    exceptions.AuthenticationFailed: "Make a new token; the old one may have expired.",
    exceptions.UnsupportedMediaType: "Send JSON, with `Content-Type: application/json`.",
}


def _of_input(error: InputError) -> dict[str, Any]:
    """Return the problem of a refused request, with its remedy; files by name, not by path."""
    status, kind, title = HTTPStatus.UNPROCESSABLE_ENTITY, IMPOSSIBLE, "That cannot be done"
    if isinstance(error, CrowdBusyError):
        status, kind, title = HTTPStatus.SERVICE_UNAVAILABLE, BUSY, "Others are waiting"
    elif isinstance(error, TRY_LATER):
        status, kind, title = (
            HTTPStatus.SERVICE_UNAVAILABLE,
            CROWD_AWAY,
            "The crowd does not answer",
        )
    return problem(
        status,
        error.message,
        kind=kind,
        title=title,
        remedy=error.advice(_as_members),
        file=error.path and Path(error.path).name,
        line=error.line,
    )


def _as_members(remedy: Remedy) -> str:
    """The remedy as members of the request's JSON, or as its parameters."""
    members = {name: value_text(name, value) for name, value in remedy.arguments.items()}
    return ", ".join(f"{name}={json.dumps(text)}" for name, text in members.items())


def _of_fields(error: exceptions.ValidationError, is_about_parameters: bool) -> dict[str, Any]:
    """List the wrong fields, by JSON pointer or by parameter."""
    errors = [
        {**_place(path, is_about_parameters), "detail": str(detail), "code": _code(detail)}
        for path, detail in _flat(error.detail, ())
    ]
    return problem(
        HTTPStatus.BAD_REQUEST,
        f"{len(errors)} of the values cannot be used.",
        kind=INVALID,
        title="Values cannot be used",
        errors=errors,
    )


def _place(path: tuple[str, ...], is_about_parameters: bool) -> dict[str, str]:
    if is_about_parameters and path:
        return {"parameter": path[0]}
    return {"pointer": "#" + "".join(f"/{_escaped(part)}" for part in path)}


def _code(detail: str) -> str:
    return getattr(detail, "code", "invalid")


def _flat(detail: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _flat(inner, path if name == "non_field_errors" else (*path, str(name)))
    elif isinstance(detail, list):
        for place, inner in enumerate(detail):
            # Messages about one value have its path; items of a list have a place in it.
            yield from _flat(inner, path if isinstance(inner, str) else (*path, str(place)))
    else:
        yield path, detail


def _escaped(part: str) -> str:
    """Escape a part of a JSON pointer (RFC 6901)."""
    return part.replace("~", "~0").replace("/", "~1")


def handle_500(request: HttpRequest) -> HttpResponseBase:
    """Answer a fault of a database or disk, or an unforeseen error, which the log describes."""
    fault = fault_of(sys.exception())
    if fault is None:
        if not _is_api(request):
            return server_error(request)
        return _plain(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong here; it was logged.")
    if not _is_api(request):
        page = render_to_string("503.html", {"fault": fault})
        return HttpResponse(page, status=fault.status)
    return _json(problem(fault.status, fault.message, remedy=fault.remedy), {})


def handle_400(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer refusals before a view is found, such as of a foreign host."""
    if not _is_api(request):
        return bad_request(request, exception)
    return _plain(HTTPStatus.BAD_REQUEST, "The request cannot be read.")


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _plain(status: int, detail: str) -> HttpResponse:
    return _json(problem(status, detail), {})


def _json(content: Mapping[str, Any], headers: Mapping[str, str]) -> HttpResponse:
    return JsonResponse(
        content, status=content["status"], headers=headers, content_type=CONTENT_TYPE
    )
