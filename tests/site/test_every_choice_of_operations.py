"""Every choice of every operation through each of its interfaces: the same rows are stored."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models, transaction
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework import serializers
from rest_framework.test import APIClient

from annotation.accounts.operations.invites import INVITE_MEMBER
from annotation.accounts.operations.members import ADD_MEMBER, CHANGE_ROLE
from annotation.batches.operations.ask_model import ASK_MODEL
from annotation.batches.operations.choose_crowd import CHOOSE_CROWD
from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.decide_bonuses import DECIDE_BONUSES
from annotation.batches.operations.prolific.reject_submission import REJECT_SUBMISSION
from annotation.core.operations import AnyOperation
from annotation.core.parameters import fields_of
from annotation.jobs.execution import run_job
from annotation.jobs.registry import OPERATIONS
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.operations.bring_votes import BRING_VOTES
from annotation.labels.operations.decide import LABEL
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.operations.votes_added import ADD_VOTES
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.models import Batch, BatchQuery, Study, StudyReport, Task, TokenUse
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.remove import REMOVE, UNDO_REMOVAL
from annotation.overview.operations.rename import RENAME
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.make_release import MAKE_RELEASE
from annotation.studies.operations.add_file import ADD_FILE, POINT_TO_FILE
from annotation.studies.operations.files import add_study_file
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.pool_pairs import POOL_PAIRS
from annotation.studies.operations.score import SCORE
from annotation.vocabulary import Category, TaskState
from metrics.votes.deciding import MEDIAN
from tests.commands import run
from tests.measured import RANKINGS, measured_study, storages_in
from tests.performing import do

pytestmark = pytest.mark.django_db

#: Where their choices are taken one by one, as each needs a file or a service of its own.
ELSEWHERE = {
    ADD_FILE: "tests/annotation/studies",
    POINT_TO_FILE: "tests/annotation/studies",
    IMPORT_VOTES: "tests/annotation/vote_files",
    BRING_VOTES: "tests/annotation/vote_files",
    ADD_VOTES: "tests/annotation/vote_files",
    ASK_MODEL: "tests/annotation/test_ask_model.py",
    INVITATIONS["panel"]: "tests/mturk_local",
    DRAW_SAMPLE: "tests/annotation/test_samples.py",
    APPROVE_SUBMISSIONS: "tests/annotation/publishing/prolific/test_paying.py",
    DECIDE_BONUSES: "tests/annotation/publishing/prolific/test_paying.py",
    REJECT_SUBMISSION: "tests/annotation/publishing/prolific/test_paying.py",
    CHOOSE_CROWD: "tests/annotation/publishing/prolific/test_asked_there.py",
    MAKE_RELEASE: "tests/annotation/test_release.py",
}
#: Columns that say who did it, when, and under which random name.
_VARY = {
    *("actor", "by", "requested_by", "created_by", "decided_by"),
    *("uid", "token", "digest", "annotation", "request_token"),
}
_VARY_IN_JSON = {"task", "by", "number", "path"}


@dataclass(frozen=True)
class Interfaces:
    """How an operation is reached; what is sent is added to each."""

    api: str = ""
    page: str = ""
    command: tuple[str, ...] = ()
    method: str = "post"


#: `{study}`, `{batch}` and `{member}` are numbers.
INTERFACES: dict[AnyOperation, Interfaces] = {
    LABEL: Interfaces("batches/{batch}/label/", "labels-decide", ("label", "decide", "b")),
    ADJUDICATE: Interfaces(
        "batches/{batch}/adjudication/decisions/",
        "query-adjudicate",
        ("label", "adjudicate", "b", "q2", "{category}", "--by", "R", "--reason", "Both."),
    ),
    INVITE_MEMBER: Interfaces(
        "studies/{study}/invites/", "invite-create", ("study", "invite-member", "s")
    ),
    ADD_MEMBER: Interfaces(command=("study", "add-member", "s", "new")),
    CHANGE_ROLE: Interfaces("studies/{study}/members/{member}/", "member-role", method="patch"),
    BUILD_POOL: Interfaces("studies/{study}/pool/", "study-pool"),
    POOL_PAIRS: Interfaces(
        "studies/{study}/pool-pairs/", "study-pool-pairs", ("study", "pool-pairs", "s")
    ),
    SCORE: Interfaces("studies/{study}/score/", "study-score"),
    CREATE_BATCH: Interfaces(
        "batches/", "batch-store", ("batch", "create", "--name", "new", "--pool", "p")
    ),
    CREATE_REPORT: Interfaces("studies/{study}/reports/", "study-report-new"),
    **{
        one: Interfaces(
            f"studies/{{study}}/{one.path}/",
            f"study-{one.path}",
            ("study", one.name.replace(" ", "-"), "s", *["--yes"][: one.asks_first]),
        )
        for one in (RENAME, ARCHIVE, UNARCHIVE, REMOVE, UNDO_REMOVAL)
    },
}


@dataclass(frozen=True)
class World:
    """A study with files, a pool, a batch with labels, and a report; who calls owns it."""

    study: Study
    client: Client
    api: APIClient
    numbers: dict[str, int]

    def row(self, what: str) -> Any:
        rows: dict[str, Callable[[], Any]] = {
            "study": lambda: self.study,
            "file": lambda: self.study.files.order_by("-pk")[0],
            "pool": lambda: self.study.pools.get().pool,
            "batch": self.study.batches.get,
            "report": self.study.reports.get,
        }
        return rows[what]()


@pytest.fixture
def world(settings: Settings, tmp_path: Path) -> World:
    settings.STORAGES = storages_in(tmp_path / "files")
    settings.DATA_DIR = tmp_path / "var"
    study = measured_study(tmp_path)
    StudyReport.objects.create(study=study, name="r")
    qrels = io.BytesIO(b"q1 0 d1 1\n")
    add_study_file(study=study, kind="qrels", stream=qrels, filename="t.qrels", actor="test")
    do(ADJUDICATE, study.batches.get(), qid="q1", category="o", reason="Both.")
    owner = User.objects.create_user("owner", is_staff=True)
    User.objects.create_user("new")
    do(ADD_MEMBER, study, user="owner", role="owner")
    other = User.objects.create_user("other")
    do(ADD_MEMBER, study, user="other", role="viewer")
    client = Client()
    client.force_login(owner)
    _, token = AuthToken.objects.create(owner)
    numbers = {
        "study": study.pk,
        "batch": study.batches.get().pk,
        "member": study.members.get(user=other).pk,
    }
    return World(study, client, APIClient(HTTP_AUTHORIZATION=f"Bearer {token}"), numbers)


def choices_of(operation: AnyOperation) -> Iterator[tuple[str, str]]:
    """Each parameter that is chosen from a list, with each of its values.

    The options of an adjudicator are those of the question, and so are the methods of labels.
    """
    if operation is ADJUDICATE:
        yield from (("category", code) for code in Category.values)
    for name, field in fields_of(operation.parameters).items():
        # Judgments need a batch of pairs: see tests/annotation/test_report_by_judgments.py.
        if isinstance(field, serializers.ChoiceField) and name not in {"judged_by", "target"}:
            values = {str(value) for value in field.choices}
            values -= {MEDIAN} if operation is LABEL else set()
            yield from ((name, value) for value in sorted(values))


def test_the_choices_of_every_operation_are_taken() -> None:
    with_choices = {operation for operation in OPERATIONS if [*choices_of(operation)]}
    assert with_choices == {*INTERFACES, *ELSEWHERE}


@pytest.mark.parametrize("operation", INTERFACES, ids=lambda one: one.name)
def test_a_choice_stores_the_same_through_every_interface(
    world: World, operation: AnyOperation
) -> None:
    for name, value in choices_of(operation):
        with rolled_back():
            sent = {**beside(world, operation, name, value), name: value}
            before, stored = rows(), {}
            for interface, call in calls(world, operation, sent).items():
                with rolled_back():
                    call()
                    if operation is not CREATE_REPORT:  # each takes seconds
                        finish_jobs()
                    stored[interface] = rows()
            first = next(iter(stored.values()))
            assert all(one == first for one in stored.values()), difference(stored)
            assert first != before or (operation, value) == (CHANGE_ROLE, "viewer"), (name, value)


def beside(world: World, operation: AnyOperation, name: str, value: str) -> dict[str, Any]:
    """What is sent beside the choice; and what has to be so before."""
    if name == "what":
        row = world.row(value)
        before = {UNARCHIVE: ARCHIVE, UNDO_REMOVAL: REMOVE}.get(operation)
        if operation in {REMOVE, UNDO_REMOVAL}:
            make_removable(world, value)
        if before:
            do(before, world.study, what=value, number=row.pk)
        renamed = {"new_name": "another"} if operation is RENAME else {}
        return {"number": row.pk, **renamed}
    if value == "gold_weighted":
        BatchQuery.objects.filter(qid="q3").update(gold="m")
    sent: dict[AnyOperation, dict[str, Any]] = {
        ADJUDICATE: {"qid": "q2", "reason": "Both."},
        BUILD_POOL: {"name": "again", "rank_cutoff": 3, "cutoff": 500},
        POOL_PAIRS: {"name": "again"},
        CHANGE_ROLE: {"member": world.numbers["member"]},
        CREATE_BATCH: {"name": "new", "pool": world.row("pool").pk},
        CREATE_REPORT: {
            "runs": list(RANKINGS),
            "scored": world.study.files.get(kind="magnitudes").name,
            "batches": [world.numbers["batch"]],
            "cutoffs": [2, 3],
            "baseline": "BM25",
        },
    }
    return sent.get(operation, {})


def make_removable(world: World, what: str) -> None:
    """Nothing is left that depends on it."""
    if what == "pool":
        Batch.objects.update(pool=None)


def calls(
    world: World, operation: AnyOperation, sent: Mapping[str, Any]
) -> dict[str, Callable[[], None]]:
    interfaces = INTERFACES[operation]
    found: dict[str, Callable[[], None]] = {}
    if interfaces.api:
        found["api"] = lambda: call_api(world, interfaces, sent)
    if interfaces.page:
        found["page"] = lambda: send_form(world, operation, interfaces.page, sent)
    if interfaces.command:
        found["command"] = lambda: run_command(operation, interfaces.command, sent)
    return found


def call_api(world: World, interfaces: Interfaces, sent: Mapping[str, Any]) -> None:
    address = f"/api/v1/{interfaces.api.format(**world.numbers)}"
    body = {name: value for name, value in sent.items() if f"{{{name}}}" not in interfaces.api}
    reply = getattr(world.api, interfaces.method)(address, body, format="json")
    assert reply.status_code < 300, reply.json()


def send_form(world: World, operation: AnyOperation, page: str, sent: Mapping[str, Any]) -> None:
    """As the page's form sends it, which names some things otherwise."""
    number = world.numbers["batch" if operation.subject is Batch else "study"]
    shown = {
        CREATE_BATCH: reverse("batch-new"),
        CREATE_REPORT: reverse("study-reports", args=[world.study.pk]),
    }.get(operation)
    form = dict(sent)
    if shown:
        fields = world.client.get(shown).context["form"]
        values = {field.html_name: field.value() for field in fields}
        form = {k: v for k, v in values.items() if v not in (None, False, "", [])} | form
    if operation is CREATE_BATCH:
        form |= {"pool": "p", "include_batched": "on"}
    if operation is CREATE_REPORT:
        form |= {"cutoffs": "2,3"}
    if operation is BUILD_POOL:
        form = {"magnitude": "tf", "missing": "error", "order": "default"} | form
    address = reverse(page, args=[] if operation is CREATE_BATCH else [number])
    reply = world.client.post(address, form)
    assert reply.status_code < 400, reply.content.decode()[:500]
    if reply.status_code == 200 and operation is not INVITE_MEMBER:
        form_shown = reply.context and reply.context.get("form")
        raise AssertionError(form_shown and form_shown.errors)


def run_command(operation: AnyOperation, command: tuple[str, ...], sent: Mapping[str, Any]) -> None:
    words = [word.format(**sent) for word in command]
    used = {word.strip("{}") for word in command if word.startswith("{")}
    fields = fields_of(operation.parameters)
    for name, value in sent.items():
        option = f"--{fields[name].style.get('option', name).replace('_', '-')}"
        if name not in used and option not in words and name != "qid":
            words += [option, str(value)]
    run(*words)


def finish_jobs() -> None:
    while run_job():
        pass
    assert not Task.objects.exclude(state=TaskState.DONE).exists(), [
        one.error for one in Task.objects.all()
    ]


class rolled_back:  # noqa: N801 - used as a function
    """Whatever is done within is undone."""

    def __enter__(self) -> None:
        self._atomic = transaction.atomic()
        self._atomic.__enter__()

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            transaction.set_rollback(True)
        self._atomic.__exit__(*error)  # type: ignore[arg-type]


def rows() -> dict[str, list[str]]:
    """What is stored, but for numbers of rows, moments, and who did it through which interface."""
    return {
        model.__name__: sorted(_shown(row) for row in model._base_manager.all())
        for app in ("annotation", "pooling")
        for model in apps.get_app_config(app).get_models()
        if model not in {Task, TokenUse}
    }


def _shown(row: models.Model) -> str:
    values = {
        field.name: _plain(field, field.value_from_object(row))
        for field in row._meta.concrete_fields
        if not field.primary_key and field.name not in _VARY
    }
    return json.dumps(values, sort_keys=True, default=str)


def _plain(field: Any, value: Any) -> Any:
    if isinstance(field, models.DateTimeField | models.UUIDField):
        return value is not None
    return _without_names(value)


def _without_names(value: Any) -> Any:
    """JSON without the numbers of rows and the random names of stored files."""
    if isinstance(value, list):
        return [_without_names(item) for item in value]
    if isinstance(value, dict):
        return {k: _without_names(v) for k, v in value.items() if k not in _VARY_IN_JSON}
    return value


def difference(stored: Mapping[str, Mapping[str, list[str]]]) -> str:
    (first_door, first), *others = stored.items()
    return (
        "\n".join(
            f"{interface}: {set(other[name]) ^ set(first[name])}"
            for interface, other in others
            for name in first
            if other[name] != first[name]
        )
        + f" (against {first_door})"
    )
