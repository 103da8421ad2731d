"""What the site tells monitoring, and the headers of its pages."""

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import DatabaseError, connections
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from annotation.core.perform import queue_job
from annotation.models import Study, Task
from config.compression import CompressPages
from config.security import POLICY

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])


@contextmanager
def databases_away() -> Iterator[None]:
    """As when the server of the databases is stopped."""

    def refuse(*_: object) -> None:
        raise DatabaseError("connection refused by db.internal:5432")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("default", "crowd"):
            # On the connection itself: an earlier test may have left its own `cursor` there.
            patch.setattr(connections[name], "cursor", refuse)
        yield


@pytest.fixture
def no_databases() -> Iterator[None]:
    with databases_away():
        yield


def test_a_living_process_says_ok(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"


def test_a_site_with_its_databases_is_ready(client: Client) -> None:
    reply = client.get("/readyz")
    assert (reply.status_code, reply.content) == (200, b"ready\n")


def test_a_site_without_its_databases_lives_but_is_not_ready_and_tells_no_secrets(
    client: Client, no_databases: None
) -> None:
    assert client.get("/healthz").status_code == 200
    reply = client.get("/readyz")
    assert (reply.status_code, reply.content) == (503, b"default: away\ncrowd: away\n")


def test_the_numbers_of_work_are_there_for_prometheus(client: Client) -> None:
    text = client.get("/metrics").content.decode()
    assert 'fairpool_tasks{state="queued"} 0.0' in text
    assert 'fairpool_hits{state="published"} 0.0' in text
    assert 'fairpool_task_wait_seconds{state="queued"} 0.0' in text


def test_the_numbers_say_how_long_the_first_in_the_queue_has_waited(client: Client) -> None:
    study = Study.objects.create(name="s")
    queued = [queue_job(kind=kind, subject=study, actor="test")[0] for kind in ("score", "pool")]
    ten_minutes_ago = timezone.now() - timedelta(minutes=10)
    Task.objects.filter(pk=queued[0].pk).update(run_after=ten_minutes_ago)
    text = client.get("/metrics").content.decode()
    (seconds,) = re.findall(r'fairpool_task_wait_seconds{state="queued"} ([\d.]+)', text)
    assert 600 <= float(seconds) < 1_200


def test_each_view_has_its_times_and_its_errors(client: Client) -> None:
    def seen(view: str, status: str) -> float:
        text = client.get("/metrics").content.decode()
        name = f'fairpool_request_seconds_count{{status="{status}",view="{view}"}} '
        return float((re.findall(re.escape(name) + r"([\d.]+)", text) or [0])[0])

    kinds = (("healthz", "2xx"), ("none", "4xx"), ("readyz", "5xx"))
    before = [seen(*kind) for kind in kinds]
    for path in ("/healthz", "/no/such/page"):
        client.get(path)
    with databases_away():
        client.get("/readyz")
    assert [seen(*kind) for kind in kinds] == [count + 1 for count in before]


def test_the_numbers_need_the_token_where_there_is_one(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = "a long secret"
    assert client.get("/metrics").status_code == 404
    wrong = client.get("/metrics", headers={"authorization": "Bearer a long secreu"})
    assert wrong.status_code == 404
    right = client.get("/metrics", headers={"authorization": "Bearer a long secret"})
    assert right.status_code == 200


def test_a_site_for_others_shows_no_numbers_without_a_token(
    client: Client, settings: Settings
) -> None:
    settings.OPEN = False
    assert client.get("/metrics").status_code == 404


@pytest.mark.parametrize("path", ["/", "/pools/", "/admin/login/", "/healthz", "/no/such/page"])
def test_pages_of_the_requester_run_no_inline_scripts(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"


def test_the_crowd_service_keeps_policies_of_its_own(client: Client) -> None:
    assert client.get("/annotate/").headers.get("Content-Security-Policy") != POLICY


def test_pages_travel_compressed_and_each_time_at_another_length(client: Client) -> None:
    replies = [client.get("/sign-in/", headers={"accept-encoding": "gzip"}) for _ in range(8)]
    assert {reply["Content-Encoding"] for reply in replies} == {"gzip"}
    assert all("Accept-Encoding" in reply["Vary"] for reply in replies)
    pages = [gzip.decompress(reply.content) for reply in replies]
    assert all(b"</html>" in page for page in pages)
    # Twice of eight the same hundredth is likely, all of them is not.
    assert len({len(reply.content) for reply in replies}) > 1
    assert "Content-Encoding" not in client.get("/sign-in/")


def test_what_is_downloaded_goes_out_as_it_is(rf: RequestFactory) -> None:
    download = HttpResponse(b"n" * 10_000, content_type="text/csv")
    request = rf.get("/", headers={"accept-encoding": "gzip"})
    CompressPages(lambda _: download)(request)
    assert "Content-Encoding" not in download.headers
