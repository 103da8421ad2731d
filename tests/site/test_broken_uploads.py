"""Whatever ends an upload before its time, no part of the file stays in the folder of uploads."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Study
from tests.site.every_page import signed_in

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])
BOUNDARY = "aaaa"
END = f"--{BOUNDARY}--\r\n".encode()


class Broken(io.BytesIO):
    """What a client has sent that then reset its connection."""

    def read(self, size: int | None = -1, /) -> bytes:
        if data := super().read(size):
            return data
        raise ConnectionResetError


def part(content: bytes, *, name: str = "a.tsv", encoding: str = "binary") -> bytes:
    head = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Transfer-Encoding: {encoding}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n"


def fields(count: int) -> bytes:
    field = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="note"\r\n\r\n1\r\n'
    return field.encode() * count


LONG = b"q1\t1\n" * 40_000


@pytest.fixture
def browser(db: None, settings: Settings, tmp_path: Path) -> Client:
    """As a browser: its forms bear the token, which the site looks for in the body first."""
    settings.FILE_UPLOAD_TEMP_DIR, settings.UPLOAD_LIMIT_MB = tmp_path, 1
    client = signed_in()
    client.handler.enforce_csrf_checks = True
    request = RequestFactory().get("/")
    client.cookies[settings.CSRF_COOKIE_NAME] = get_token(request)
    return client


@pytest.mark.parametrize(
    "stream",
    [
        Broken(part(LONG)),
        Broken(part(b"q1\t1\n") + part(LONG, name="b.tsv")),
        io.BytesIO(part(LONG)),
        io.BytesIO(part(b"q1\t1\n") + part(5 * LONG, name="b.tsv") + END),
        io.BytesIO(part(b"q1\t1\n" + b"*" * 1_001, encoding="base64") + END),
        io.BytesIO(part(b"q1\t1\n") + fields(20_000) + END),
        io.BytesIO(part(b"q1\t1\n") + END),
    ],
    ids=["reset", "reset later", "short", "too large", "no base64", "fields", "refused"],
)
def test_an_upload_that_fails_leaves_no_file(
    browser: Client, tmp_path: Path, stream: io.BytesIO
) -> None:
    study = Study.objects.create(name="s")
    sent: dict[str, Any] = {
        "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
        # More than came, so that a stream that ends is one that was cut off.
        "CONTENT_LENGTH": str(len(stream.getvalue()) + 10),
        "wsgi.input": stream,
    }
    reply = browser.generic("POST", reverse("study-files", args=[study.pk]), **sent)
    reply.close()
    assert list(tmp_path.iterdir()) == [], reply.status_code
