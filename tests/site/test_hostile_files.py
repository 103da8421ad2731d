"""Every hostile file, sent wherever the site takes a file: refused with words, no fault of ours."""

from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import html5lib
import pytest
from django.contrib.messages import WARNING, get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import resolve, reverse
from drf_spectacular.generators import SchemaGenerator
from pytest_django import Settings

from annotation.models import Batch, Study, StudyFile
from annotation.studies.api.files import BYTES
from tests.annotation.test_permissions import PATTERNS, site_of
from tests.api.world import World, make_world
from tests.measured import storages_in
from tests.page_parts import has_alert
from tests.site.every_page import empty_pages, full_pages, signed_in
from tests.site.hostile_files import HOSTILE, file_name

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

#: Where a form leads, its file field, and its other fields as a browser would send them.
Place = tuple[str, str, dict[str, str]]
#: Views that take a file, and the fields of a new batch that one can be put into.
TAKE_FILES = (
    *("batch-new", "batch-store", "bundle-import", "import", "study-import", "study-files"),
    *("study-model-import", "labels-qrels-import", "worker-approvals"),
)
PASTED = ("queries", "consent", "gold", "comprehension")
#: Hostile to somebody, yet a text like any other to one who takes such texts.
HARMLESS = frozenset(
    {
        *("tsv: controls", "tsv: marks of direction", "tsv: one long line"),
        *("csv: a number beyond counting", "csv: a large cell", "zip: leads outside"),
    }
)
#: Those that every address is sent, whether or not a form leads there.
_SOME = (
    "tsv: carriage returns in Latin-1",
    "tsv: UTF-16 cut in a unit",
    "zip: cut",
    "bin: every byte",
)


def places_in(client: Client, path: str) -> Iterator[Place]:
    """The file fields of the forms of a page, with each choice of what the file holds."""
    reply = client.get(path, follow=True)
    place = reply.redirect_chain[-1][0] if reply.redirect_chain else path
    if not reply.headers["Content-Type"].startswith("text/html"):
        return
    page = html5lib.parse(reply.content, namespaceHTMLElements=False)
    for form in page.iter("form"):
        files = [one.get("name", "") for one in form.iter("input") if one.get("type") == "file"]
        if not files:
            continue
        targets = {form.get("action") or place, *(
            button.get("formaction") for button in form.iter("button") if button.get("formaction")
        )}  # fmt: skip
        fields = {
            name: one.get("value") or ""
            for one in form.iter()
            if (name := one.get("name") or "") and name not in files
        }
        kinds = [
            option.get("value")
            for choice in form.iter("select")
            if choice.get("name") == "kind"
            for option in choice.iter("option")
        ]
        for target in targets:
            where = urlsplit(urljoin(place, target)).path
            for kind in kinds or [None]:
                for name in files:
                    yield where, name, fields | ({} if kind is None else {"kind": kind})


def send(client: Client, place: Place, what: str) -> tuple[int, bool]:
    """The status of the answer, and whether it, or the page that it leads to, says what is wrong.

    What was stored is taken back, and who is signed in.
    """
    cookies = SimpleCookie(client.cookies)
    path, name, fields = place
    upload = SimpleUploadedFile(file_name(what), HOSTILE[what])
    with transaction.atomic("default"), transaction.atomic("crowd"):
        reply = client.post(path, {**fields, name: upload})
        told = [str(one) for one in get_messages(reply.wsgi_request) if one.level >= WARNING]
        if reply.status_code < 300 and not reply.streaming:
            told += ["alert"] if has_alert(reply.content.decode()) else []
        reply.wsgi_request.close()  # and with it what was uploaded
        for alias in ("default", "crowd"):
            transaction.set_rollback(True, using=alias)
    client.cookies = cookies
    return reply.status_code, bool(told)


def places_of_site(client: Client, folder: Path) -> list[Place]:
    """Each view that takes a file, once for each field and each choice of what the file holds."""
    pages = [*empty_pages(), *full_pages(client, folder)]
    return list(
        {
            (resolve(path).url_name, name, fields.get("kind")): (path, name, fields)
            for page in dict.fromkeys(pages)
            for path, name, fields in places_in(client, page)
        }.values()
    )


@pytest.mark.long
def test_no_form_fails_at_a_hostile_file_or_takes_it_in_silence(
    tmp_path: Path, settings: Settings
) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    lab = signed_in()
    lab.raise_request_exception = False
    places = places_of_site(lab, tmp_path)
    found = {resolve(path).url_name for path, _, _ in places}
    assert found <= set(TAKE_FILES)
    # Forms that these pages do not show, as a batch has neither pairs nor a panel.
    ours = site_of(Batch.objects.get(name="study"))
    places += [(ours.address(name), "file", {}) for name in set(TAKE_FILES) - found]
    names = {name for _, name, _ in places}
    assert names == {"file", *(f"{name}_file" for name in PASTED)}
    wrong = []
    for path, name, fields in places:
        for what in HOSTILE:
            status, is_told = send(lab, (path, name, fields), what)
            if status >= 500 or (status in {200, 204, 302} and not is_told):
                wrong.append((resolve(path).url_name, name, fields.get("kind"), what, status))
    assert [one for one in wrong if one[3] not in HARMLESS] == []


@pytest.mark.long
def test_no_address_fails_at_a_hostile_file(tmp_path: Path, settings: Settings) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    lab = signed_in()
    lab.raise_request_exception = False
    full_pages(lab, tmp_path)
    ours = site_of(Batch.objects.get(name="study"))
    names = ("file", *(f"{name}_file" for name in PASTED))
    faults, cookies = [], SimpleCookie(lab.cookies)
    for path in map(ours.address, PATTERNS):
        for what in _SOME:
            sent = {name: SimpleUploadedFile(file_name(what), HOSTILE[what]) for name in names}
            with transaction.atomic("default"), transaction.atomic("crowd"):
                reply = lab.post(path, sent)
                reply.wsgi_request.close()
                for alias in ("default", "crowd"):
                    transaction.set_rollback(True, using=alias)
            lab.cookies = cookies
            faults += [(path, what)] if reply.status_code >= 500 else []
    assert faults == []


def uploads_of_api() -> list[str]:
    """The addresses of the API that take a file as their body, from its own document."""
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    return [
        path
        for path, methods in paths.items()
        if BYTES in methods.get("post", {}).get("requestBody", {}).get("content", {})
    ]


@pytest.mark.long
def test_no_upload_of_the_api_takes_a_hostile_file(
    tmp_path: Path, settings: Settings, world: World
) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    client = world.client("owner")
    client.raise_request_exception = False
    StudyFile.objects.update(summary={"lines": 1, "unpacked": 10**12})  # it is not there
    found = uploads_of_api()
    assert len(found) >= 5
    kinds = ("", "auto", "queries", "run", "qrels", "lexicon", "collection", "magnitudes")
    wrong = []
    for path in found:
        address = world.address(path.removeprefix("/api/v1/"))
        for what, content in HOSTILE.items():
            for kind in kinds if path.endswith("/files/") else ("",):
                query = {"filename": file_name(what), "name": "hostile"}
                query |= {"kind": kind} if kind else {}
                with transaction.atomic("default"), transaction.atomic("crowd"):
                    reply = client.post(address, content, content_type=BYTES, query_params=query)
                    for alias in ("default", "crowd"):
                        transaction.set_rollback(True, using=alias)
                is_told = 400 <= reply.status_code < 500 and reply.json().get("detail")
                if not is_told:
                    wrong.append((path, kind, what, reply.status_code))
    assert [one for one in wrong if one[2] not in HARMLESS or one[3] >= 500] == []


def test_text_that_cannot_be_decoded_is_told_at_its_field() -> None:
    study = Study.objects.create(name="s")
    lab = signed_in()
    for name in PASTED:
        for what in HOSTILE:
            if "carriage" in what or "UTF-16" in what or "surrogate" in what or "pdf" in what:
                upload = SimpleUploadedFile(file_name(what), HOSTILE[what])
                sent = {"name": "b", "study": study.pk, f"{name}_file": upload}
                reply = lab.post(reverse("batch-new"), sent)
                assert reply.status_code == 400, what
                assert reply.context["form"].errors[name], what
    assert not Batch.objects.exists()


@pytest.fixture
def world(db: None) -> World:
    return make_world()
