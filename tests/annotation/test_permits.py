"""Beginning studies, publishing and paying: what members of staff permit, and what it may cost."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.accounts.operations.permits import set_permits
from annotation.accounts.queries.permits import permits_of
from annotation.core.money import BudgetError, holds_money
from annotation.core.site_budget import site_budget
from annotation.models import HIT, Batch, Membership, Study, Task
from annotation.vocabulary import (
    AssignmentState,
    BatchState,
    Environment,
    HITState,
    Permit,
    Role,
)
from metrics.errors import InputError
from pooling.models import Pool
from tests.commands import failure, run_json
from tests.project import Project
from tests.servers import need_postgresql
from tests.site.workers.profiles import Embedded, Server
from tests.study import a_study, stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def closed(settings: Settings) -> None:
    settings.OPEN = False


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def owner(settings: Settings) -> User:
    """Owns the study of a batch that has answers, and has no permit."""
    batch = stored_study(4)
    user = User.objects.create_user("ada")
    assert batch.study is not None
    Membership.objects.create(study=batch.study, user=user, role=Role.OWNER)
    return user


def test_an_account_without_a_permit_begins_no_study(owner: User) -> None:
    client, api = client_of(owner), APIClient()
    api.force_authenticate(owner)
    before = Study.objects.count()
    assert client.post(reverse("study-new"), {"name": "mine"}).status_code == 403
    assert api.post("/api/v1/studies/", {"name": "mine"}).status_code == 403
    assert Study.objects.count() == before
    set_permits(user=owner, permits=[Permit.CREATE_STUDIES], actor="test")
    owner = User.objects.get(pk=owner.pk)
    api.force_authenticate(owner)
    assert client.post(reverse("study-new"), {"name": "mine"}).status_code == 302
    assert api.post("/api/v1/studies/", {"name": "also mine"}).status_code == 201


PUBLISHING = ("publish", "extend", "top-up", "ask")
PAYING = (
    "approve",
    "bonus",
    "collect",
    "assignments/{answer}/approve",
    "assignments/{answer}/bonus",
)


@pytest.mark.parametrize(("permit", "paths"), [(Permit.PUBLISH, PUBLISHING), (Permit.PAY, PAYING)])
def test_an_owner_without_the_permit_neither_publishes_nor_pays(
    owner: User, permit: Permit, paths: tuple[str, ...]
) -> None:
    batch = Batch.objects.get(name="study")
    answer = batch.hits.all()[0].assignments.all()[0]
    Batch.objects.update(state=BatchState.PUBLISHED)
    set_permits(user=owner, permits=set(Permit.values) - {permit}, actor="test")
    client, api = client_of(owner), APIClient()
    api.force_authenticate(User.objects.get(pk=owner.pk))
    for path in paths:
        address = f"/api/v1/batches/{batch.pk}/{path.format(answer=answer.pk)}/"
        assert api.post(address, {"approve": True}).status_code == 403, path
    if permit == Permit.PUBLISH:
        assert client.post(reverse("batch-publish", args=[batch.pk])).status_code == 403
    else:
        page = reverse("answer-approve", args=[batch.pk, answer.pk])
        assert client.post(page).status_code == 403
        client.post(reverse("batch-collect", args=[batch.pk]), {"approve": "on"})
    assert not Task.objects.exists()
    answer.refresh_from_db()
    assert answer.state == AssignmentState.SUBMITTED


def test_a_budget_is_raised_by_whoever_may_publish(owner: User) -> None:
    batch = Batch.objects.get(name="study")
    api = APIClient()
    api.force_authenticate(owner)
    assert api.patch(f"/api/v1/batches/{batch.pk}/costs/", {"budget": "900"}).status_code == 403
    page = reverse("batch-act", args=[batch.pk, "budget"])
    assert client_of(owner).post(page, {"budget": "900", "cost": "0"}).status_code == 403
    before = batch.budget
    batch.refresh_from_db()
    assert batch.budget == before


def test_staff_give_permits_on_a_page(owner: User) -> None:
    staff = User.objects.create_user("staff", is_staff=True)
    client, address = client_of(staff), reverse("people-permits")
    client.post(address, {"person": owner.pk, "permit": ["publish", "pay"]})
    assert permits_of(user=User.objects.get(pk=owner.pk)).permits == {"publish", "pay"}
    client.post(address, {"person": owner.pk, "permit": ["pay"]})
    assert permits_of(user=User.objects.get(pk=owner.pk)).permits == {"pay"}
    client.post(address, {"person": owner.pk, "permit": ["everything"]})
    assert permits_of(user=User.objects.get(pk=owner.pk)).permits == {"pay"}
    assert client_of(owner).post(address, {"person": owner.pk, "permit": "pay"}).status_code == 404


def test_a_command_gives_and_withdraws_permits(owner: User) -> None:
    assert run_json("account", "permit", "ada", "publish", "pay")["permits"] == ["pay", "publish"]
    assert run_json("account", "permit", "ada", "pay", "--withdraw")["permits"] == ["publish"]
    assert run_json("account", "permit", "ada")["permits"] == ["publish"]
    assert "everything" in failure("account", "permit", "ada", "everything")
    with pytest.raises(InputError):
        set_permits(user=owner, permits=["everything"], actor="test")


def test_a_permit_opens_no_study_of_others(owner: User) -> None:
    set_permits(user=owner, permits=Permit.values, actor="test")
    theirs = stored_batch(stored_pool(2, "theirs"), "theirs")
    assert client_of(owner).post(reverse("batch-publish", args=[theirs.pk])).status_code == 404


def batch_of(name: str, environment: str = Environment.LOCAL) -> Batch:
    return Batch.objects.create(name=name, environment=environment, study=a_study(name))


@holds_money
def hold(batch: Batch, amount: Decimal) -> None:
    """Let the batch's one HIT, which the crowd may have, hold this amount."""
    terms = {"state": HITState.SENT, "max_assignments": 1, "unit_cost": amount}
    HIT.objects.update_or_create(
        batch=batch, index=0, defaults={**terms, "request_token": str(batch.uid)}
    )


def test_the_site_has_a_budget_for_all_batches_of_an_environment(settings: Settings) -> None:
    settings.SITE_BUDGET = Decimal("10.00")
    first, second = batch_of("first"), batch_of("second")
    hold(first, Decimal("6.00"))
    with pytest.raises(BudgetError):
        hold(second, Decimal("4.01"))
    assert not second.hits.exists()
    hold(second, Decimal("4.00"))
    assert site_budget(environment=Environment.LOCAL).left == 0
    hold(batch_of("rehearsal", Environment.SANDBOX), Decimal("10.00"))
    hold(first, Decimal("5.00"))
    hold(second, Decimal("5.00"))
    assert site_budget(environment=Environment.LOCAL).committed == Decimal("10.00")


def test_without_a_budget_of_the_site_nothing_is_capped() -> None:
    hold(batch_of("first"), Decimal("99999.00"))
    assert site_budget(environment=Environment.LOCAL) == (None, Decimal("99999.00"))


def test_the_budget_of_the_site_is_shown(owner: User, settings: Settings) -> None:
    settings.SITE_BUDGET = Decimal("1234.50")
    batch = Batch.objects.get(name="study")
    page = client_of(owner).get(reverse("batch-costs", args=[batch.pk])).content.decode()
    assert "1,234.50 USD" in page
    api = APIClient()
    api.force_authenticate(owner)
    shown = api.get(f"/api/v1/batches/{batch.pk}/costs/").json()["site"]
    assert (shown["budget"], shown["committed"]) == ("1234.50", str(batch.committed))


def test_an_estimate_says_what_the_budget_of_the_site_has_room_for(
    owner: User, settings: Settings
) -> None:
    settings.SITE_BUDGET = Decimal("1.00")
    batch = stored_batch(Pool.objects.get(), "next")
    Batch.objects.filter(pk=batch.pk).update(study=Study.objects.get())
    left = site_budget(environment=batch.environment).left
    set_permits(user=owner, permits=list(Permit), actor="test")
    api, client = APIClient(), client_of(User.objects.get(pk=owner.pk))
    api.force_authenticate(User.objects.get(pk=owner.pk))

    told = api.post(f"/api/v1/batches/{batch.pk}/publish/", {"dry_run": True}, format="json").json()
    printed = run_json("batch", "publish", batch.name, "--dry-run")
    page = client.get(reverse("batch-act", args=[batch.pk, "publish"])).content.decode()

    assert told["budget_left"] == printed["budget_left"] == str(left)
    assert f"{left} USD" in page
    assert 'method="post"' not in page.partition('id="outlook"')[2]


def test_what_goes_beyond_the_budget_of_the_site_is_refused_before_it_is_queued(
    owner: User, settings: Settings
) -> None:
    settings.SITE_BUDGET = Decimal("1.00")
    batch = stored_batch(Pool.objects.get(), "next")
    Batch.objects.filter(pk=batch.pk).update(study=Study.objects.get())
    before = Task.objects.count()

    assert "1.00" in failure(
        "batch", "publish", "next", "--yes", "--background", "--pay-reason", "a test"
    )
    assert "1.00" in failure("batch", "publish", "next", "--yes", "--pay-reason", "a test")

    assert Task.objects.count() == before
    assert Batch.objects.get(name="next").committed == 0


#: Eight batches commit a dollar at a time, all at once. Prints how many dollars.
_AT_ONCE = """
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from django.db import connections
from annotation.core.money import BudgetError, holds_money
from annotation.core.site_budget import site_budget
from annotation.models import HIT, Batch, Study

study = Study.objects.create(name="s")
terms = {"environment": "local", "study": study}
batches = [Batch.objects.create(name=f"b{n}", **terms).pk for n in range(8)]
ready = Barrier(len(batches))

@holds_money
def hold(batch, index):
    HIT.objects.create(
        batch=batch, index=index, state="sent", max_assignments=1, unit_cost=Decimal("1.00"),
        request_token=f"{batch.pk}:{index}",
    )

def commit(number):
    done = 0
    ready.wait(60)
    for index in range(5):
        try:
            hold(Batch(pk=number), index)
            done += 1
        except BudgetError:
            pass
    connections.close_all()
    return done

with ThreadPoolExecutor(len(batches)) as pool:
    done = sum(pool.map(commit, batches))
print("committed:", done, site_budget(environment="local").committed)
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    if request.param == "sqlite":
        yield Embedded(data_dir=tmp_path, port=1)
        return
    need_postgresql()
    server = Server(data_dir=tmp_path, port=1)
    with server.databases():
        yield server


@pytest.mark.long
def test_batches_that_commit_at_once_stay_within_the_budget_of_the_site(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRPOOL_BUDGET", "13.50")
    project.prepare()
    told = project.run("shell", "-v", "0", "-c", _AT_ONCE).stdout
    assert "committed: 13 13.00\n" in told
