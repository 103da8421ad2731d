"""The pages of studies: what they show, what their buttons do, what they cost."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.models import AuditEvent, Membership, Study, StudyFile, Task
from annotation.vocabulary import FileKind, Role, TaskKind, TaskState
from tests.annotation.studies.material import a_run, add, below, collection, queries, with_files
from tests.page_parts import has_alert

pytestmark = pytest.mark.django_db
HOSTILE = "<img src=x onerror=alert(1)>.tsv"


def text(response: Any, status: int = 200) -> str:
    assert response.status_code == status, response
    return str(response.content.decode())


def press(client: Client, button: str, study: Study, **fields: Any) -> str:
    address = reverse(button, args=[study.pk])
    return text(client.post(address, fields, follow=True))


def sent(content: bytes, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_an_empty_home_leads_to_each_way_in(client: Client) -> None:
    shown = text(client.get("/"))
    for way in ("study-new", "sample-new", "import"):
        assert f'"{reverse(way)}"' in shown


def test_whoever_begins_a_study_owns_it(client: Client, settings: Settings) -> None:
    settings.OPEN = False
    user = User.objects.create_user("researcher")
    set_permits(user=user, permits=["create_studies"], actor="test")
    client.force_login(user)
    text(client.post(reverse("study-new"), {"name": "mine"}, follow=True))
    assert Membership.objects.get(study__name="mine", user=user).role == Role.OWNER
    answer = text(client.post(reverse("study-new"), {"name": "mine"}))
    assert "exists" in answer


def test_files_are_told_one_by_one(client: Client, study: Study, folders: Path) -> None:
    files = [sent(a_run(0), "A.run"), sent(b"a b c\n", "B.run"), sent(a_run(1), "C.run")]
    answer = press(client, "study-files", study, kind="run", file=files)
    assert "A: 120 lines, all checked." in answer
    assert "B.run:1: is not a line of a run: 3 columns, the third no rank." in answer
    assert set(StudyFile.objects.values_list("name", flat=True)) == {"A", "C"}
    assert below(folders / "uploads") == []


def test_one_run_can_be_named(client: Client, study: Study) -> None:
    press(client, "study-files", study, kind="run", name="BM25", file=sent(a_run(0), "x.run"))
    assert StudyFile.objects.get().name == "BM25"


def test_hostile_names_are_shown_as_text(client: Client, study: Study) -> None:
    add(study, FileKind.COLLECTION, collection(), HOSTILE)
    shown = text(client.get(reverse("study-detail", args=[study.pk])))
    assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt;.tsv" in shown


@pytest.mark.parametrize("fields", [{"kind": "run"}, {"kind": "nothing"}, {}])
def test_a_form_without_files_stores_nothing(
    client: Client, study: Study, fields: dict[str, str]
) -> None:
    assert "Choose what the files hold" in press(client, "study-files", study, **fields)
    assert not StudyFile.objects.exists()


def test_an_upload_beyond_the_limit_is_dropped_while_it_comes_in(
    client: Client, study: Study, folders: Path, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT_MB = 1
    large = sent(b"d1\ttext\n" * 200_000, "large.tsv")
    answer = press(client, "study-files", study, kind="collection", file=large)
    assert "large.tsv: has more than 1 MB." in answer
    assert below(folders) == []


def test_an_upload_that_cannot_be_used_stands_in_the_log(client: Client, study: Study) -> None:
    answer = press(client, "study-files", study, kind="run", file=sent(b"1 Q0 d1 1\n", "A.run"))
    assert "A.run:1" in answer
    failed = AuditEvent.objects.get(study=study)
    assert failed.action == "add file failed"


def test_a_stranger_uploads_nothing(
    client: Client, study: Study, folders: Path, settings: Settings
) -> None:
    settings.OPEN = False
    address = reverse("study-files", args=[study.pk])
    response = client.post(address, {"kind": "run", "file": sent(a_run(0), "A.run")})
    assert response.status_code == 302
    assert response.wsgi_request.FILES == {}
    assert below(folders) == []


@pytest.mark.parametrize(
    ("role", "status"),
    [(Role.VIEWER, 403), (Role.ADJUDICATOR, 403), (Role.ANNOTATOR, 403), (None, 404)],
)
def test_only_owners_give_files_and_ask_for_work(
    client: Client, study: Study, settings: Settings, role: Role | None, status: int
) -> None:
    settings.OPEN = False
    user = User.objects.create_user("somebody")
    if role is not None:
        Membership.objects.create(study=study, user=user, role=role)
    client.force_login(user)
    for name in ("files", "file-point", "remove", "rank", "score", "pool", "cancel"):
        response = client.post(reverse(f"study-{name}", args=[study.pk]))
        assert response.status_code == status, name
    assert not Task.objects.exists()
    page = client.get(reverse("study-detail", args=[study.pk]))
    sees = role in (Role.VIEWER, Role.ADJUDICATOR)
    assert page.status_code == (200 if sees else status)
    assert "Add files" not in page.content.decode()


def test_a_file_of_another_study_is_not_removed(client: Client, study: Study) -> None:
    other = add(Study.objects.create(name="other"), FileKind.RUN, a_run(0), "A.run")
    for number in (str(other.pk), "x", ""):
        client.post(reverse("study-remove", args=[study.pk]), {"what": "file", "number": number})
    assert StudyFile.objects.filter(pk=other.pk).exists()


def test_a_file_of_the_server_is_pointed_to(client: Client, study: Study, folders: Path) -> None:
    (folders / "server" / "queries.tsv").write_bytes(queries())
    (folders / "secret.tsv").write_bytes(queries())
    assert "queries.tsv" in text(client.get(reverse("study-detail", args=[study.pk])))
    answer = press(client, "study-file-point", study, kind="queries", where="../secret.tsv")
    assert "../secret.tsv:" in answer
    answer = press(client, "study-file-point", study, kind="queries", where="queries.tsv")
    assert "queries.tsv: 12 lines" in answer
    assert StudyFile.objects.get().is_pointed


def test_buttons_ask_for_work_in_the_background(client: Client, study: Study) -> None:
    with_files(study)
    assert "Scoring" in press(client, "study-score", study, tokenizer="word")
    terms = {"cutoff": "3", "rank_cutoff": "10", "magnitude": "tf", "missing": "error"}
    assert "Pooling" in press(client, "study-pool", study, **terms)
    asked = {task.kind: task.arguments for task in Task.objects.all()}
    assert asked == {
        # What is as usual is not stored.
        TaskKind.SCORE: {},
        TaskKind.POOL: {"name": "gender", "cutoff": 3},
    }
    press(client, "study-cancel", study)
    assert set(Task.objects.values_list("state", flat=True)) == {"cancelled"}


def test_terms_of_a_pool_that_failed_stand_in_the_form_again(client: Client, study: Study) -> None:
    with_files(study)
    arguments = {"cutoff": 3, "missing": "skip"}
    failed = {"state": TaskState.FAILED, "finished_at": timezone.now(), "error": "Why."}
    Task.objects.create(study=study, kind=TaskKind.POOL, arguments=arguments, **failed)
    form = client.get(reverse("study-detail", args=[study.pk])).context["pool_form"]
    assert {name: form[name].initial for name in arguments} == arguments
    assert form["rank_cutoff"].initial == 10


@pytest.mark.parametrize("wrong", [{"cutoff": "0"}, {"magnitude": "x"}, {"missing": ""}])
def test_impossible_terms_of_a_pool_are_told(
    client: Client, study: Study, wrong: dict[str, str]
) -> None:
    terms = {"cutoff": "3", "rank_cutoff": "10", "magnitude": "tf", "missing": "error"}
    assert has_alert(press(client, "study-pool", study, **terms | wrong))
    assert not Task.objects.exists()


def test_live_progress_is_one_light_request_and_ends_with_the_whole_page(
    client: Client, study: Study, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    with_files(study)
    press(client, "study-score", study, tokenizer="word")
    address = reverse("study-progress", args=[study.pk])
    with django_assert_max_num_queries(2):
        response = client.get(address, {"running": "score"})
    assert "HX-Refresh" not in response
    assert "Score the collection: waiting" in text(response)
    press(client, "study-cancel", study)
    assert client.get(address, {"running": "score"})["HX-Refresh"] == "true"


@pytest.mark.long
def test_pages_cost_the_same_statements_at_any_size(
    client: Client, study: Study, django_assert_num_queries: Callable[..., Any]
) -> None:
    with_files(study)
    pages = [reverse("study-list"), reverse("study-detail", args=[study.pk])]
    costs = []
    for page in pages:
        with CaptureQueriesContext(connection) as captured:
            text(client.get(page))
        costs.append(len(captured))
    for seed in range(2, 12):
        add(study, FileKind.RUN, a_run(seed), f"run{seed}.run")
        with_files(Study.objects.create(name=f"study {seed}"))
    for page, cost in zip(pages, costs, strict=True):
        with django_assert_num_queries(cost):
            text(client.get(page))


@pytest.mark.parametrize(("total", "told"), [(20, 900), (2_001, None)])
def test_scoring_takes_as_long_as_collections_of_about_its_size_did(
    client: Client, study: Study, total: int, told: float | None
) -> None:
    """Of the collection's 200 kB, 20 took 90 s elsewhere; of 2,001 kB nothing follows."""
    add(study, FileKind.COLLECTION, b"d1\t" + b"x" * 199_996 + b"\n", "c.tsv")
    shown = client.get(reverse("study-detail", args=[study.pk]))
    assert shown.context["scoring_seconds"] is None
    finished = datetime(2026, 1, 1, tzinfo=UTC)
    ended = {"started_at": finished - timedelta(seconds=90), "finished_at": finished}
    other = Study.objects.create(name="other")
    for study_of_task, state in ((other, "done"), (study, "failed")):
        Task.objects.create(
            kind=TaskKind.SCORE, study=study_of_task, state=state, total=total, actor="x", **ended
        )
    shown = client.get(reverse("study-detail", args=[study.pk]))
    assert shown.context["scoring_seconds"] == told
