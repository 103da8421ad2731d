"""A database that refuses: what pages, API, monitoring and commands say, and with what status."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from annotation.core.database_faults import EARLIER, FULL, LATER, READ_ONLY, fault_in
from tests.commands import failure
from tests.ports import free_port
from tests.project import Project, new_project
from tests.site.faults.disks import Disk

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])
only_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="needs limits of SQLite")


@pytest.fixture
def visitor() -> Client:
    """A browser of somebody signed in, that gets what a person would, whatever goes wrong."""
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("lab", password="a long one", is_staff=True))
    return client


_MAKE_ACCOUNT = (
    "from django.contrib.auth.models import User; "
    "User.objects.create_user('lab', password='a long one')"
)


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def read_only(visitor: Client) -> Iterator[None]:
    if connection.vendor == "sqlite":
        execute("PRAGMA query_only = ON")
        yield
        # Beneath Django, which expects nothing but a rollback now.
        connection.connection.execute("PRAGMA query_only = OFF")
    else:
        execute("SET TRANSACTION READ ONLY")
        yield


@pytest.fixture
def earlier(visitor: Client) -> None:
    """As before the last migration of the site, whatever that was."""
    [latest] = MigrationLoader(None).graph.leaf_nodes("annotation")
    MigrationRecorder(connection).record_unapplied(*latest)
    execute("ALTER TABLE annotation_study RENAME COLUMN name TO title")


@pytest.fixture
def later(visitor: Client) -> None:
    """As after a migration that this version does not know."""
    MigrationRecorder(connection).record_applied("annotation", "0999_of_a_later_version")
    execute("ALTER TABLE annotation_study RENAME COLUMN name TO title")


@pytest.fixture
def full(visitor: Client) -> Iterator[None]:
    """SQLite may take no further page, as where the disk has no room for it."""
    connection.ensure_connection()
    [[free]] = connection.connection.execute("PRAGMA freelist_count")  # what earlier tests left
    execute("CREATE TABLE full (bytes)")
    connection.connection.execute("INSERT INTO full VALUES (zeroblob(? * 4096))", (free,))
    [[pages]] = connection.connection.execute("PRAGMA page_count")
    connection.connection.execute(f"PRAGMA max_page_count = {pages}")
    yield
    connection.connection.execute("PRAGMA max_page_count = 1073741823")


def refusals(visitor: Client) -> list[tuple[int, str]]:
    """What a page, the API and signing in say to who would write."""
    replies = [
        visitor.post("/studies/new/", {"name": "s"}),
        visitor.post("/api/v1/studies/", {"name": "s"}, content_type="application/json"),
        visitor.post("/sign-in/", {"username": "lab", "password": "a long one"}),
    ]
    kinds = [str(reply["Content-Type"]).partition(";")[0] for reply in replies]
    assert kinds == ["text/html", "application/problem+json", "text/html"]
    return [(reply.status_code, reply.content.decode()) for reply in replies]


def test_a_database_that_cannot_be_written_is_named_by_every_interface(
    visitor: Client, read_only: None
) -> None:
    ready = visitor.get("/readyz")
    assert (ready.status_code, ready.content) == (503, b"default: read-only\n")
    for status, text in refusals(visitor):
        assert (status, READ_ONLY.message in text) == (503, True)


def test_a_database_of_an_earlier_version_is_named_by_every_interface(
    visitor: Client, earlier: None
) -> None:
    ready = visitor.get("/readyz")
    assert (ready.status_code, ready.content) == (503, b"default: earlier version\n")
    for status, text in refusals(visitor)[:2]:  # signing in needs no table of that version
        assert (status, "manage.py migrate" in text) == (503, True)


def test_a_database_of_a_later_version_is_named_where_it_does_not_fit(
    visitor: Client, later: None
) -> None:
    # While an upgrade is under way, the version before it goes on with what fits.
    assert visitor.get("/readyz").content == b"ready\n"
    for status, text in refusals(visitor)[:2]:
        assert (status, LATER.message in text) == (503, True)


def test_a_command_names_a_database_of_a_later_version(later: None) -> None:
    assert failure("study", "list") == str(LATER)
    assert fault_in("default") == LATER  # as `check` says


@pytest.mark.parametrize("app", ["annotation", "mturk_local"])
def test_a_database_of_before_1_0_is_not_taken_for_one_to_migrate(
    visitor: Client, app: str
) -> None:
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app=app).update(name="0001_initial")
    ready = visitor.get("/readyz")
    assert (ready.status_code, ready.content) == (503, b"default: before 1.0\n")


@only_sqlite
def test_a_full_disk_is_named_as_such(visitor: Client, full: None) -> None:
    body = {"name": "s", "description": "\N{MATHEMATICAL BOLD CAPITAL A}" * 2_000}  # two pages
    reply = visitor.post("/api/v1/studies/", body, content_type="application/json")
    assert (reply.status_code, reply.json()["detail"]) == (507, FULL.message)


def test_a_command_names_a_database_that_cannot_be_written(read_only: None) -> None:
    assert failure("study", "create", "s") == str(READ_ONLY)


@pytest.mark.long
def test_commands_and_check_name_a_database_of_an_earlier_version(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    project.run("check")
    [(app, latest)] = MigrationLoader(None).graph.leaf_nodes("annotation")
    with sqlite3.connect(tmp_path / "fairpool.sqlite3") as site:
        site.execute("DELETE FROM django_migrations WHERE app = ? AND name = ?", [app, latest])
        site.execute("ALTER TABLE annotation_study RENAME COLUMN name TO title")
    site.close()
    assert project.run("check", status=1).stderr == f"CommandError: default: {EARLIER}\n"
    assert project.run("study", "list", status=1).stderr == f"CommandError: {EARLIER}\n"


@pytest.mark.long
def test_check_makes_no_databases(tmp_path: Path) -> None:
    Project(data_dir=tmp_path, port=0).run("check")
    assert list(tmp_path.glob("*.sqlite3")) == []


@pytest.mark.long
def test_a_disk_that_is_really_full_is_named_until_there_is_room(tmp_path: Path) -> None:
    with contextlib.closing(Disk(tmp_path / "disk", megabytes=64)) as disk:
        if not disk.is_small:
            pytest.skip("this account may not mount a small disk to fill")
        project = Project(data_dir=disk.folder / "var", port=free_port())
        project.data_dir.mkdir()
        project.prepare()
        project.run("account", "owner-link")
        token = project.json("account", "create-token", "owner")["token"]
        project.run("shell", "--command", _MAKE_ACCOUNT)
        with project.site() as url:
            browser = requests.Session()
            browser.get(f"{url}/sign-in/", timeout=60)
            disk.fill()
            # SQLite writes into the file of its journal first, as far as that has room.
            replies: list[requests.Response] = []
            while [reply.status_code for reply in replies[-10:]] != [507] * 10:
                assert len(replies) < 300
                reply = requests.post(
                    f"{url}/api/v1/studies/",
                    json={"name": f"s{len(replies)}", "description": "x" * 2_000},
                    headers={"Authorization": f"Bearer {token}"},
                    timeout=60,
                )
                assert reply.status_code in {201, 507}, reply.text
                replies.append(reply)
            assert replies[-1].json()["detail"] == FULL.message
            ready = requests.get(f"{url}/readyz", timeout=60)
            assert (ready.status_code, ready.text) == (507, "default: full\ncrowd: full\n")
            me = {"username": "lab", "password": "a long one"}
            me["csrfmiddlewaretoken"] = str(browser.cookies["csrftoken"])
            signing_in = browser.post(f"{url}/sign-in/", me, timeout=60)
            assert (signing_in.status_code, FULL.message in signing_in.text) == (507, True)
            assert requests.get(f"{url}/healthz", timeout=60).status_code == 200
            assert project.run("study", "create", "s", status=1).stderr == f"CommandError: {FULL}\n"
            disk.free()
            assert requests.get(f"{url}/readyz", timeout=60).status_code == 200
