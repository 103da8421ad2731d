"""Every form of every page, and every address, posted as no browser would: no fault of ours."""

from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import html5lib
import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Batch, Study
from tests.annotation.test_permissions import PATTERNS, site_of
from tests.measured import storages_in
from tests.site.every_page import empty_pages, full_pages, signed_in, strangers_pages

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

Fields = dict[str, list[str]]
#: Values that fit some fields and not others.
STRANGE = ("", "x", "-1", "9" * 40, "\0", "nan", "\N{RIGHT-TO-LEFT OVERRIDE}")


def forms_of(client: Client, path: str) -> Iterator[tuple[str, Fields]]:
    """Where each form of the page leads, and its fields as a browser would send them."""
    reply = client.get(path, follow=True)
    place = reply.redirect_chain[-1][0] if reply.redirect_chain else path
    if not reply.headers["Content-Type"].startswith("text/html"):
        return
    page = html5lib.parse(reply.content, namespaceHTMLElements=False)
    for form in page.iter("form"):
        if form.get("method", "").lower() != "post":
            continue
        fields: Fields = {}
        for one in form.iter():
            if name := one.get("name"):
                options = [option.get("value") for option in one.iter("option")]
                fields[name] = [one.get("value") or next(filter(None, options), "")]
        yield urlsplit(urljoin(place, form.get("action") or place)).path, fields


def variants(fields: Fields) -> Iterator[Fields]:
    """As they are, with each missing, strange, and doubled with itself and with another value."""
    yield fields
    yield {name: ["x"] for name in fields}
    for name, values in fields.items():
        yield {other: value for other, value in fields.items() if other != name}
        yield fields | {name: values * 2}
        yield fields | {name: [*values, "x"]}
        for value in STRANGE:
            yield fields | {name: [value]}


def posted(client: Client, path: str, fields: Fields) -> int:
    """The status of the answer; what it has stored, and who is signed in, is taken back."""
    cookies = SimpleCookie(client.cookies)
    with transaction.atomic("default"), transaction.atomic("crowd"):
        status = client.post(path, fields).status_code
        for alias in ("default", "crowd"):
            transaction.set_rollback(True, using=alias)
    client.cookies = cookies
    return status


def faults_of(client: Client, forms: list[tuple[str, Fields]]) -> list[tuple[str, Fields]]:
    """Which posts of these forms end in a fault, each sent once."""
    posts = {(path, repr(sent)): sent for path, fields in forms for sent in variants(fields)}
    return [(path, sent) for (path, _), sent in posts.items() if posted(client, path, sent) >= 500]


@pytest.mark.long
def test_no_post_of_any_page_is_a_fault(tmp_path: Path, settings: Settings) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    lab, stranger = signed_in(), Client()
    pages = [*empty_pages(), *full_pages(lab, tmp_path)]
    visits = ((lab, pages), (stranger, strangers_pages()))
    ours = site_of(Batch.objects.get(name="study"))
    for client, paths in visits:
        client.raise_request_exception = False
        forms = [form for path in paths for form in forms_of(client, path)]
        forms += [(path, {}) for path in (*paths, *map(ours.address, PATTERNS))]
        assert faults_of(client, forms) == []
    assert lab.get("/account/").status_code == 200  # everything was sent by somebody signed in


def test_an_import_of_nothing_is_told_what_it_lacks() -> None:
    study = Study.objects.create(name="s")
    lab = signed_in()
    for path in (
        reverse("import"),
        reverse("study-import", args=[study.pk]),
    ):
        assert "no file was chosen" in lab.post(path).content.decode()
