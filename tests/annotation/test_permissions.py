"""Who may open what: every address of the site x every role, and objects of other studies."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.jobs.registry import OPERATIONS
from annotation.models import AuditEvent, Batch, Membership, Study, StudyReport, Task
from annotation.overview.operations.remove import REMOVE
from annotation.vocabulary import ROLE_PERMISSIONS, Action, Permit, Role
from annotation.workers.operations.discard_votes import DISCARD_VOTES
from annotation.workers.operations.erase_person import ERASE_PERSON
from tests.annotation.test_operations import BUTTONS
from tests.performing import create_study, invite
from tests.permissions import WHO_MAY, permission_of
from tests.study import a_rater, addresses, stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db

#: Besides the roles: the owner of another study, an account without a study, staff, a stranger.
PEOPLE = (*Role.values, "outsider", "newcomer", "staff", "nobody")
ALL = frozenset(PEOPLE)
SIGNED_IN = ALL - {"nobody"}
MAKERS = frozenset({Role.OWNER, "outsider", "staff"})
STAFF, PERMITTED = frozenset({"staff"}), MAKERS
#: What an address takes: this permission in the study of its object, or to be one of these people.
PUBLIC, PERSON, SOMEWHERE = ALL, SIGNED_IN, MAKERS
VIEW, ANNOTATE = Action.VIEW, Action.ANNOTATE
ADJUDICATE, MANAGE = Action.ADJUDICATE, Action.MANAGE
PUBLISH, PAY = Action.PUBLISH, Action.PAY

#: By name: the method, and the permission that it takes or the people it is open to.
PAGES: dict[str, tuple[str, Action | frozenset[str]]] = {
    **dict.fromkeys(("sign-in", "forgotten", "invite"), ("get", PUBLIC)),
    "sign-out": ("post", PUBLIC),
    **dict.fromkeys(("token-create", "token-revoke", "email-set"), ("post", PERSON)),
    **dict.fromkeys(
        (
            *("batch-list", "pool-list", "study-list", "studies-put-away"),
            *("account", "password-change"),
            *("second-factor", "second-factor-on", "second-factor-settings", "security-keys"),
        ),
        ("get", PERSON),
    ),
    **dict.fromkeys(("import", "bundle-import"), ("get", PERMITTED)),
    "sample-new": ("post", PERMITTED),
    "study-import": ("get", MANAGE),
    "study-new": ("get", PERMITTED),
    "people": ("get", STAFF),
    "design": ("get", STAFF),
    "batch-new": ("get", SOMEWHERE),
    "batch-store": ("post", SOMEWHERE),
    "batch-new-cost": ("post", SOMEWHERE),
    **dict.fromkeys(
        (
            *("batch-detail", "batch-progress", "batch-tasks", "batch-agreement", "batch-workers"),
            *("batch-worker", "batch-costs", "batch-queries", "batch-query", "batch-labels"),
            *("batch-export", "batch-votes", "batch-scheme"),
            *("batch-log", "bundle-state"),
            *("batch-figures", "batch-figures-file", "study-release", "release-state"),
            *("pool-detail", "study-detail", "study-progress", "study-members", "study-log"),
            *("study-reports", "study-report", "study-report-compare", "study-put-away"),
            *("study-models", "study-model"),
        ),
        ("get", VIEW),
    ),
    "study-annotate": ("get", ANNOTATE),
    "batch-try": ("get", MANAGE),
    "answer-raw": ("get", MANAGE),
    "batch-adjudication": ("get", ADJUDICATE),
    **dict.fromkeys(
        ("batch-invite", "batch-prolific", "batch-messages", "batch-messages-waiting"),
        ("get", MANAGE),
    ),
    "study-messages": ("get", MANAGE),
    "batch-act": ("get", PUBLISH),
    # What an operation needs stands in `tests.permissions`.
    **{
        name: ("post", permission_of(one)) for name, one in BUTTONS.items() if name != "batch-store"
    },
    "study-remove": ("get", permission_of(REMOVE)),
    "worker-erase": ("post", permission_of(ERASE_PERSON)),
    "queries-chosen": ("post", ADJUDICATE),
    "workers-chosen": ("post", permission_of(DISCARD_VOTES)),
    "batch-invite-accounts": ("post", MANAGE),
    **dict.fromkeys(
        (
            "study-file-labels",
            "study-files-look",
            "study-cancel",
            "study-report-cancel",
            "study-report-again",
        ),
        ("post", MANAGE),
    ),
}
#: Let in, one may still be told that there is no such file; who is kept out never gets there.
MAY_LACK: dict[str, tuple[str, Action | frozenset[str]]] = dict.fromkeys(
    (
        "batch-scheme-file",
        "study-bundle",
        "study-release-file",
        "study-report-part",
        "study-report-file",
        "study-report-folder",
    ),
    ("get", VIEW),
) | {
    "batch-poster": ("get", MANAGE),
    "batch-prolific-export": ("get", MANAGE),
    # Leads to another site, for whoever has an account.
    "study-enter": ("post", ANNOTATE),
    **dict.fromkeys(("owner-link", "new-password"), ("get", PUBLIC)),
    "people-permits": ("post", STAFF),
}


#: Whoever asks, it is the signature that lets a message in.
BY_SIGNATURE = ("prolific-event",)


@dataclass
class Site:
    """A study with everything in it, and what the addresses are made of."""

    study: Study
    batch: Batch
    numbers: dict[str, Any]

    def address(self, name: str) -> str:
        """The address of that name, with the objects of the study."""
        pattern = PATTERNS[name]
        about = pattern.partition("<int:number>")[0]
        number = {"studies/": self.study.pk, "pools/": self.batch.pool_id}.get(about, self.batch.pk)
        values = self.numbers | {"number": number}
        return reverse(name, kwargs={key: values[key] for key in values if f":{key}>" in pattern})


def named(patterns: list[Any], before: str = "") -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from named(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield pattern.name, path


PATTERNS = dict(named(get_resolver("annotation.urls").url_patterns))


def test_every_operation_takes_the_permission_of_the_table() -> None:
    assert {one.name: one.permission for one in OPERATIONS} == WHO_MAY


def test_every_address_is_in_the_table() -> None:
    tables = [*PAGES, *MAY_LACK, *BY_SIGNATURE]
    assert sorted(PATTERNS) == sorted(tables)


@pytest.fixture
def site(settings: Settings) -> Site:
    settings.OPEN = False
    return site_of(stored_study(4))


def site_of(batch: Batch) -> Site:
    """Its study, with a member of each role and somebody of every other kind."""
    study = batch.study
    assert study is not None
    for role in Role.values:
        member = User.objects.create_user(role)
        Membership.objects.create(study=study, user=member, role=role)
    User.objects.create_user("outsider")
    create_study("theirs", "outsider")
    for permitted in User.objects.filter(username__in=("owner", "outsider")):
        set_permits(user=permitted, permits=Permit.values, actor="test")
    User.objects.create_user("newcomer")
    User.objects.create_user("staff", is_staff=True)
    answer = batch.hits.all()[0].assignments.all()[0]
    token = invite(study)
    report = StudyReport.objects.create(study=study, actor="test")
    numbers = {
        "query": batch.queries.all()[0].pk,
        "worker": answer.worker_id,
        "answer": answer.pk,
        "report": report.pk,
        "rater": a_rater(study).pk,
        "act": "extend",
        "token": token,
        "uidb64": "MQ",
        "name": "table.csv",
        "file": "votes",
        "workspace": "6" * 24,
    }
    return Site(study, batch, numbers)


def client_of(person: str) -> Client:
    client = Client()
    if person != "nobody":
        client.force_login(User.objects.get(username=person))
    return client


def asked(site: Site, person: str, name: str, method: str) -> str:
    """What becomes of it: let in, refused, hidden, or asked to sign in. Nothing stays changed."""
    data = {"name": "next", "pool": "top"} if name == "batch-new" else {}
    with transaction.atomic():
        before = (AuditEvent.objects.count(), Task.objects.count())
        response = getattr(client_of(person), method)(site.address(name), data)
        after = (AuditEvent.objects.count(), Task.objects.count())
        transaction.set_rollback(True)
    status = response.status_code
    to_sign_in = f"{reverse('sign-in')}?next="
    if status == 302 and response["Location"].startswith(to_sign_in):
        outcome = "sign in"
    else:
        outcome = {403: "refused", 404: "hidden"}.get(status, "let in")
    assert outcome == "let in" or before == after, (name, person)
    assert status < 500, (name, person)
    return outcome


def expected(person: str, needs: Action | frozenset[str]) -> str:
    if isinstance(needs, frozenset):
        if person == "nobody":
            return "let in" if person in needs else "sign in"
        kept_out = "hidden" if needs == STAFF else "refused"
        return "let in" if person in needs else kept_out
    if person == "nobody":
        return "sign in"
    allowed = frozenset(Action) if person == "staff" else ROLE_PERMISSIONS.get(person, frozenset())
    if not allowed:
        return "hidden"
    return "let in" if needs in allowed else "refused"


@pytest.mark.parametrize("person", PEOPLE)
def test_every_address_is_open_to_whom_it_should_be(site: Site, person: str) -> None:
    found = {name: asked(site, person, name, method) for name, (method, _) in PAGES.items()}
    assert found == {name: expected(person, needs) for name, (_, needs) in PAGES.items()}
    for name, (method, needs) in MAY_LACK.items():
        wanted = expected(person, needs)
        assert asked(site, person, name, method) in {
            wanted,
            "hidden" if wanted == "let in" else wanted,
        }
    for name in BY_SIGNATURE:
        assert asked(site, person, name, "post") == "refused"


@pytest.mark.parametrize("person", PEOPLE)
def test_a_hit_is_previewed_from_ones_own_pools_only(site: Site, person: str) -> None:
    """Also whoever may make a batch in another study gets the form, and nothing of this pool."""
    address = addresses(site.batch)["batch-new"]
    response = client_of(person).get(address)
    wanted = {Role.OWNER: 200, "staff": 200, "outsider": 200, "nobody": 302}
    assert response.status_code == wanted.get(person, 403)
    makes_it = person in (Role.OWNER, "staff")
    assert (b"The first HIT" in response.content) == makes_it
    client_of(person).post(reverse("batch-store"), dict(parse_qsl(urlsplit(address).query)))
    assert Batch.objects.filter(name="next").exists() == makes_it
    assert not Batch.objects.filter(name="next").exclude(study=site.study).exists()


@pytest.mark.long
def test_no_browser_keeps_what_somebody_saw_who_was_signed_in(site: Site) -> None:
    client = client_of("owner")
    for name, (method, _) in (PAGES | MAY_LACK).items():
        if method == "get":
            assert "no-store" in client.get(site.address(name))["Cache-Control"], name


@pytest.mark.parametrize("key", ["query", "worker", "answer", "report", "rater"])
def test_what_belongs_to_another_study_is_not_under_ones_own(site: Site, key: str) -> None:
    """The number in front is one's own, the one behind is not: also an owner finds nothing."""
    outsider = Study.objects.get(name="theirs")
    mine = stored_batch(stored_pool(2, "mine", outsider), "mine")
    there = Site(outsider, mine, site.numbers)
    client = client_of("outsider")
    names = [name for name, pattern in PATTERNS.items() if f":{key}>" in pattern]
    assert names
    for name in names:
        method = (PAGES | MAY_LACK)[name][0]
        events = AuditEvent.objects.count()
        sent = {"reason": "x", "amount": "1"} if method == "post" else {}
        response = getattr(client, method)(there.address(name), sent)
        refused = response.status_code == 404 or (method == "post" and response.status_code == 302)
        assert refused, (name, response.status_code)
        assert AuditEvent.objects.count() == events, name


@pytest.mark.long
def test_lists_show_what_is_ones_own(site: Site) -> None:
    shown = {
        "batch-list": reverse("batch-detail", args=[site.batch.pk]),
        "pool-list": reverse("pool-detail", args=[site.batch.pool_id]),
        "study-list": reverse("study-detail", args=[site.study.pk]),
    }
    for person in ("owner", "viewer", "outsider", "newcomer", "annotator", "staff"):
        for name, link in shown.items():
            page = client_of(person).get(reverse(name)).content.decode()
            assert (link in page) == (person in {"owner", "viewer", "staff"}), (person, name)


def test_an_annotator_sees_nothing_that_could_sway_an_answer(site: Site) -> None:
    page = client_of("annotator").get(site.address("study-annotate")).content.decode()
    assert reverse("study-enter", args=[site.study.pk]) in page
    assert reverse("study-log", args=[site.study.pk]) not in page


def test_a_refusal_says_which_role_it_takes_and_who_gives_it(site: Site) -> None:
    response = client_of("viewer").post(site.address("batch-publish"))
    page = response.content.decode()
    assert "you need the role of owner" in page
    assert "<strong>owner</strong> can give you that role" in page


def test_pages_offer_only_what_one_may_do(site: Site) -> None:
    page = client_of("viewer").get(site.address("batch-detail")).content.decode()
    assert 'method="post" action="/batches' not in page
    assert reverse("batch-adjudication", args=[site.batch.pk]) not in page
    page = client_of("owner").get(site.address("batch-detail")).content.decode()
    assert 'method="post" action="/batches' in page


def test_a_site_of_one_machine_needs_no_account_but_keeps_to_an_accounts_leave(
    site: Site, settings: Settings
) -> None:
    settings.OPEN = True
    assert asked(site, "nobody", "study-members", "get") == "let in"
    assert asked(site, "nobody", "batch-stop", "post") == "let in"
    assert asked(site, "outsider", "study-members", "get") == "hidden"
    assert asked(site, "viewer", "batch-stop", "post") == "refused"


def test_who_left_or_was_switched_off_is_out(site: Site) -> None:
    client = client_of("viewer")
    address = site.address("batch-detail")
    assert client.get(address).status_code == 200
    Membership.objects.filter(user__username="viewer").delete()
    assert client.get(address).status_code == 404
    client = client_of("owner")
    User.objects.filter(username="owner").update(is_active=False)
    assert client.get(address).status_code == 302
