"""Ask for every page of a large study: `python -m measurements.bench.pages_once N ROUNDS`."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any
from wsgiref.util import setup_testing_defaults

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402 - Django must be set up before models
from django.db import connection  # noqa: E402
from knox.models import AuthToken  # noqa: E402

from config.wsgi import application  # noqa: E402
from tests.large_study import large_study, pages_of  # noqa: E402


def pages_once(n_queries: int, rounds: int) -> dict[str, dict[str, float]]:
    """By the name of each page: milliseconds by the clock and of this process, statements, KB."""
    pages = pages_of(large_study("large", n_queries))
    with connection.cursor() as cursor:
        # What a database does by itself a minute after so much has been stored.
        cursor.execute("ANALYZE")
    staff = User.objects.create_user("bench", is_staff=True)
    _, token = AuthToken.objects.create(staff)
    return {name: _asked(path, token, rounds) for name, path in pages.items()}


def _asked(path: str, token: str, rounds: int) -> dict[str, float]:
    took: list[float] = []
    worked: list[float] = []
    statements = size = 0

    def count(execute: Any, *arguments: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*arguments)

    for _ in range(rounds + 1):
        statements = 0
        start, busy = time.perf_counter(), time.process_time()
        with connection.execute_wrapper(count):
            size = _answer(path, token)
        took.append((time.perf_counter() - start) * 1_000)
        worked.append((time.process_time() - busy) * 1_000)
    return {
        # The first one of a page also loads its template.
        "ms": statistics.median(took[1:]),
        "cpu": statistics.median(worked[1:]),
        "statements": statements,
        "kb": size / 1_000,
    }


def _answer(path: str, token: str) -> int:
    """Bytes of the whole answer of the site to this one request."""
    statuses: list[Any] = []

    def start(status: str, _headers: object, _error: object = None, /) -> Callable[[bytes], object]:
        statuses.append(status)
        return statuses.append

    path, _, question = path.partition("?")
    environ: dict[str, Any] = {"PATH_INFO": path, "QUERY_STRING": question}
    environ |= {"HTTP_HOST": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1"}
    if path.startswith("/api/"):
        environ["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    setup_testing_defaults(environ)
    answer = application(environ, start)
    try:
        size = sum(len(part) for part in answer)
    finally:
        if hasattr(answer, "close"):
            answer.close()
    if not statuses[0].startswith("200"):
        raise RuntimeError(f"{path}: {statuses[0]}")
    return size


if __name__ == "__main__":
    sys.stdout.write(json.dumps(pages_once(int(sys.argv[1]), int(sys.argv[2]))))
