"""Each act on an account leaves a row: whose, by whom, from where, when."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from knox.models import AuthToken
from pytest_django import Settings

from annotation.accounts.operations.account_log import KEPT_FOR
from annotation.accounts.operations.erase_account import erase_account
from annotation.accounts.operations.invites import invite_accept_as_new
from annotation.accounts.operations.owner_links import create_owner_link
from annotation.accounts.operations.permits import SET_PERMITS, set_permits
from annotation.accounts.operations.second_factor import RESET_SECOND_FACTOR
from annotation.accounts.operations.tokens import CREATE_TOKEN, create_token
from annotation.core.origin import HERE, actor
from annotation.jobs.registry import OPERATIONS
from annotation.models import AccountEvent, SecurityKey, Study
from annotation.vocabulary import AccountAction, Permit, Role
from tests.performing import do, invite

pytestmark = pytest.mark.django_db

PASSWORD = "a long one, with words"
OTHER = "another long one, with words"
CLIENT = "203.0.113.7"


@pytest.fixture(autouse=True)
def _closed(settings: Settings) -> None:
    settings.OPEN = False


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def browser(ada: User) -> Client:
    """Signed in as Ada, from an address of her own."""
    client = Client(REMOTE_ADDR=CLIENT)
    client.post(reverse("sign-in"), {"username": "ada", "password": PASSWORD})
    AccountEvent.objects.all().delete()
    return client


def rows() -> list[tuple[str, str, str, str]]:
    """Action, account, actor and address, the latest last."""
    events = AccountEvent.objects.order_by("pk")
    return [(one.action, one.account, one.actor, one.address) for one in events]


def by_ada(*actions: AccountAction) -> list[tuple[str, str, str, str]]:
    return [(action, "ada", "ada", CLIENT) for action in actions]


def turned_on(browser: Client) -> TOTPDevice:
    browser.get(reverse("second-factor-on"))
    key = browser.session["second-factor-key"]
    code = TOTP(bytes.fromhex(key)).token()
    browser.post(reverse("second-factor-on"), {"code": f"{code:06}"})
    return TOTPDevice.objects.get()


#: What a person does by the pages, and the rows that it leaves.
_BY_PAGES: dict[str, tuple[Callable[[Client], Any], tuple[AccountAction, ...]]] = {
    "token": (lambda b: b.post(reverse("token-create")), (AccountAction.TOKEN_MADE,)),
    "e-mail": (
        lambda b: b.post(reverse("email-set"), {"email": "ada@example.org"}),
        (AccountAction.EMAIL_CHANGED,),
    ),
    "password": (
        lambda b: b.post(
            reverse("password-change"),
            {"old_password": PASSWORD, "new_password1": OTHER, "new_password2": OTHER},
        ),
        (AccountAction.PASSWORD_CHANGED,),
    ),
    "sign-out": (lambda b: b.post(reverse("sign-out")), (AccountAction.SIGNED_OUT,)),
    "two-step sign-in": (
        turned_on,
        (AccountAction.SECOND_FACTOR_ON, AccountAction.RECOVERY_CODES_MADE),
    ),
}


@pytest.mark.parametrize("what", _BY_PAGES)
def test_an_act_by_a_page_leaves_rows_with_who_and_from_where(browser: Client, what: str) -> None:
    act, left = _BY_PAGES[what]
    act(browser)
    assert rows() == by_ada(*left)
    assert AccountEvent.objects.filter(at__gt=timezone.now() - timedelta(minutes=1)).count()


def test_signing_in_and_failing_to_leave_rows(ada: User) -> None:
    client = Client(REMOTE_ADDR=CLIENT)
    AccountEvent.objects.all().delete()
    client.post(reverse("sign-in"), {"username": "ada", "password": "wrong"})
    client.post(reverse("sign-in"), {"username": PASSWORD, "password": "ada"})
    client.post(reverse("sign-in"), {"username": "ada", "password": PASSWORD})
    assert rows() == [
        (AccountAction.SIGN_IN_FAILED, "ada", "", CLIENT),
        (AccountAction.SIGNED_IN, "ada", "ada", CLIENT),
    ]
    assert PASSWORD not in str(list(AccountEvent.objects.values()))


def test_the_second_step_leaves_rows(browser: Client, ada: User) -> None:
    app = turned_on(browser)
    client = Client(REMOTE_ADDR=CLIENT)
    client.post(reverse("sign-in"), {"username": "ada", "password": PASSWORD})
    AccountEvent.objects.all().delete()
    TOTPDevice.objects.update(last_t=-1)
    client.post(reverse("second-factor"), {"code": "1"})
    code = TOTP(app.bin_key).token()
    client.post(reverse("second-factor"), {"code": f"{code:06}"})
    assert rows() == by_ada(AccountAction.SECOND_STEP_FAILED, AccountAction.SECOND_STEP_PASSED)


def test_an_owners_link_leaves_rows_when_it_is_made_and_used() -> None:
    link = create_owner_link()
    client = Client(REMOTE_ADDR=CLIENT)
    client.post(reverse("owner-link", args=[link.token]))
    assert rows() == [
        (AccountAction.MADE, "owner", actor(), HERE),
        (AccountAction.OWNER_LINK_MADE, "owner", actor(), HERE),
        (AccountAction.OWNER_LINK_USED, "owner", "owner", CLIENT),
        (AccountAction.SIGNED_IN, "owner", "owner", CLIENT),
    ]


def _with_second_factor(user: User) -> None:
    TOTPDevice.objects.create(user=user, name="app")
    do(RESET_SECOND_FACTOR, None, user="ada")


def _key(user: User) -> None:
    SecurityKey.objects.create(user=user, name="k", credential_id="00", credential=b"", uses=0)
    SecurityKey.objects.all().delete()


def _tokens(user: User) -> None:
    do(CREATE_TOKEN, None, user="ada")
    AuthToken.objects.all().delete()


def _saved(user: User, **changed: Any) -> None:
    for name, value in changed.items():
        setattr(user, name, value)
    user.save()


def _permits(user: User) -> None:
    do(SET_PERMITS, None, user="ada", permits=[Permit.PAY])
    set_permits(user=user, permits=[], actor="test")


def _group_permissions(user: User) -> None:
    group = Group.objects.create(name="payers")
    user.groups.add(group)
    group.permissions.add(Permission.objects.get(codename=Permit.PAY))
    group.permissions.clear()
    group.delete()


def _changed_password(user: User) -> None:
    user.set_password(OTHER)
    user.save()


#: What is done on the server, by commands and at /admin/, and the rows that it leaves.
_HERE: dict[str, tuple[Callable[[User], Any], tuple[AccountAction, ...]]] = {
    "tokens": (_tokens, (AccountAction.TOKEN_MADE, AccountAction.TOKEN_ENDED)),
    "resetting two-step sign-in": (
        _with_second_factor,
        (AccountAction.SECOND_FACTOR_ON, AccountAction.SECOND_FACTOR_OFF),
    ),
    "security keys": (_key, (AccountAction.KEY_ADDED, AccountAction.KEY_REMOVED)),
    "permits": (_permits, (AccountAction.PERMITS_GIVEN, AccountAction.PERMITS_WITHDRAWN)),
    "groups": (
        lambda user: user.groups.add(Group.objects.create(name="all")),
        (AccountAction.PERMITS_GIVEN,),
    ),
    "a group's permissions": (
        _group_permissions,
        (
            *(AccountAction.PERMITS_GIVEN, AccountAction.PERMITS_GIVEN),
            *(AccountAction.PERMITS_WITHDRAWN, AccountAction.PERMITS_WITHDRAWN),
        ),
    ),
    "closing": (lambda user: _saved(user, is_active=False), (AccountAction.CLOSED,)),
    "staff": (lambda user: _saved(user, is_staff=True), (AccountAction.STAFF_CHANGED,)),
    "renaming": (lambda user: _saved(user, username="ada2"), (AccountAction.RENAMED,)),
    "deleting": (lambda user: user.delete(), (AccountAction.DELETED,)),
    "changepassword": (
        _changed_password,
        (AccountAction.PASSWORD_CHANGED,),
    ),
}


@pytest.mark.parametrize("what", _HERE)
def test_an_act_on_the_server_leaves_rows(ada: User, what: str) -> None:
    act, left = _HERE[what]
    AccountEvent.objects.all().delete()
    act(ada)
    assert [row[0] for row in rows()] == list(left)
    assert {row[2:] for row in rows()} == {(actor(), HERE)}


def test_what_a_group_gives_and_takes_is_named(ada: User) -> None:
    _group_permissions(ada)
    permits = AccountEvent.objects.filter(detail__has_key="permissions").order_by("pk")
    assert [event.detail["permissions"] for event in permits] == [
        ["group payers"],
        [f"{Permit.PAY} of group payers"],
        [f"{Permit.PAY} of group payers"],
        ["group payers"],
    ]


def test_asking_for_a_new_password_leaves_a_row(ada: User, settings: Settings) -> None:
    settings.EMAIL_HOST = "127.0.0.1"
    _saved(ada, email="ada@example.org")
    AccountEvent.objects.all().delete()
    client = Client(REMOTE_ADDR=CLIENT)
    for address in ("ada@example.org", "eve@example.org"):
        client.post(reverse("forgotten"), {"email": address})
    assert rows() == [(AccountAction.RESET_REQUESTED, "ada", "", CLIENT)]
    assert "@" not in str(list(AccountEvent.objects.values()))


def test_guesses_at_a_locked_account_leave_rows_too(ada: User, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    AccountEvent.objects.all().delete()
    client = Client(REMOTE_ADDR=CLIENT)
    for _ in range(5):
        client.post(reverse("sign-in"), {"username": "ada", "password": "wrong"})
    assert rows() == [(AccountAction.SIGN_IN_FAILED, "ada", "", CLIENT)] * 5


def test_opening_an_account_again_leaves_a_row(ada: User) -> None:
    _saved(ada, is_active=False)
    _saved(ada, is_active=True)
    assert rows()[-1][0] == AccountAction.REOPENED


def test_an_account_made_by_an_invitation_leaves_a_row() -> None:
    study = Study.objects.create(name="s")
    token = invite(study, Role.VIEWER)
    invite_accept_as_new(token=token, username="eve", password=PASSWORD)
    assert (AccountAction.MADE, "eve", ANY, ANY) in rows()


def test_who_is_erased_is_erased_from_the_log(browser: Client, ada: User) -> None:
    browser.post(reverse("token-create"))
    erase_account(user=User.objects.get(pk=ada.pk))
    written = str(list(AccountEvent.objects.values()))
    assert "ada" not in written
    assert CLIENT not in written
    assert AccountAction.ERASED in {row[0] for row in rows()}


def test_rows_are_kept_for_a_year(ada: User) -> None:
    AccountEvent.objects.update(at=timezone.now() - KEPT_FOR - timedelta(days=1))
    Client(REMOTE_ADDR=CLIENT).post(reverse("sign-in"), {"username": "ada", "password": PASSWORD})
    assert rows() == by_ada(AccountAction.SIGNED_IN)


def test_a_password_that_is_only_hashed_anew_has_not_changed(ada: User, settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [*reversed(settings.PASSWORD_HASHERS)]
    AccountEvent.objects.all().delete()
    Client(REMOTE_ADDR=CLIENT).post(reverse("sign-in"), {"username": "ada", "password": PASSWORD})
    assert rows() == by_ada(AccountAction.SIGNED_IN)


def test_a_person_sees_their_own_rows_and_staff_those_of_everybody(
    browser: Client, ada: User
) -> None:
    browser.post(reverse("token-create"))
    create_token(user=User.objects.create_user("somebody"))
    page = browser.get(reverse("account")).content.decode()
    assert AccountAction.TOKEN_MADE in page
    assert CLIENT in page
    assert "somebody" not in page
    lab = Client()
    lab.force_login(User.objects.create_user("lab", is_staff=True))
    people = lab.get(reverse("people")).content.decode()
    assert people.count(AccountAction.TOKEN_MADE) == 2


#: Operations on accounts by the acts that their rows name; those in studies are in a study's log.
ACTS: dict[str, tuple[AccountAction, ...] | None] = {
    "set email": (AccountAction.EMAIL_CHANGED,),
    "create owner link": (AccountAction.OWNER_LINK_MADE,),
    "set permits": (AccountAction.PERMITS_GIVEN, AccountAction.PERMITS_WITHDRAWN),
    "turn on second factor": (AccountAction.SECOND_FACTOR_ON, AccountAction.RECOVERY_CODES_MADE),
    "turn off second factor": (AccountAction.SECOND_FACTOR_OFF,),
    "reset second factor": (AccountAction.SECOND_FACTOR_OFF,),
    "renew recovery codes": (AccountAction.RECOVERY_CODES_MADE,),
    "add security key": (AccountAction.KEY_ADDED,),
    "remove security key": (AccountAction.KEY_REMOVED,),
    "create token": (AccountAction.TOKEN_MADE,),
    "revoke token": (AccountAction.TOKEN_ENDED,),
    **dict.fromkeys(
        (
            *("add member", "change role", "remove member", "invite member"),
            *("revoke invitation", "enter the crowd service"),
        )
    ),
}


def test_every_operation_on_accounts_is_in_the_table() -> None:
    ours = {
        operation.name
        for operation in OPERATIONS
        if type(operation).__module__.startswith("annotation.accounts")
    }
    assert ours == set(ACTS)


def test_every_act_is_tried_here() -> None:
    tried = {action for _, left in (_BY_PAGES | _HERE).values() for action in left}
    elsewhere = {
        *(AccountAction.MADE, AccountAction.ERASED, AccountAction.REOPENED),
        *(AccountAction.SIGNED_IN, AccountAction.SIGN_IN_FAILED),
        *(AccountAction.SECOND_STEP_FAILED, AccountAction.SECOND_STEP_PASSED),
        *(AccountAction.OWNER_LINK_MADE, AccountAction.OWNER_LINK_USED),
        AccountAction.RESET_REQUESTED,
    }
    assert tried | elsewhere == set(AccountAction)


def test_every_permission_is_one_that_a_row_can_name() -> None:
    assert Permission.objects.filter(codename__in=Permit.values).count() == len(Permit)


def test_the_documents_have_every_act() -> None:
    told = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")
    assert [action for action in AccountAction if f"*{action}*" not in told] == []
