"""Two-step sign-in: who is asked for a code, what a session without one opens, and ways back."""

import re
from binascii import unhexlify
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.accounts.operations.erase_account import erase_account
from annotation.accounts.operations.owner_links import create_owner_link
from annotation.accounts.operations.permits import set_permits
from annotation.accounts.operations.second_factor import RESET_SECOND_FACTOR
from annotation.accounts.operations.tokens import create_token
from annotation.core.operations import Actor, NotPermittedError
from annotation.core.perform import perform_here
from annotation.vocabulary import Permit
from tests.commands import failure, run

pytestmark = pytest.mark.django_db

PASSWORD = "a long one for a person"
STEP = 30


@pytest.fixture(autouse=True)
def _closed(settings: Settings) -> None:
    settings.OPEN = False


@pytest.fixture(autouse=True)
def _stopped_clock() -> Iterator[None]:
    """An app shows the same code, and a guess is as recent, however busy the machine is."""
    with time_machine.travel(datetime.now(UTC), tick=False):
        yield


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


def signed_in(**more: str) -> Client:
    """A browser that has given the password of ada."""
    client = Client()
    sent = {"username": "ada", "password": PASSWORD, **more}
    assert client.post(reverse("sign-in"), sent).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def code_of(key: str, *, steps: int = 0) -> str:
    """What an app with that key shows, some steps of time from now."""
    return f"{totp(unhexlify(key), t0=-STEP * steps):06}"


def turned_on(client: Client) -> tuple[str, list[str]]:
    """The key of ada's app, and her recovery codes, after she has turned it on in the browser."""
    address = reverse("second-factor-on")
    client.get(address)
    key = client.session["second-factor-key"]
    page = client.post(address, {"code": code_of(key)}).content.decode()
    codes = re.search(r"<pre[^>]*>([a-z2-7\s]+)</pre>", page)
    assert codes
    return key, codes[1].split()


def later(user: User) -> None:
    """The app shows another code now: the last one was used a while ago."""
    TOTPDevice.objects.filter(user=user).update(last_t=-1)


def test_who_has_turned_it_on_gives_a_code_at_the_next_sign_in(ada: User) -> None:
    key, codes = turned_on(signed_in())
    assert len(set(codes)) == 10
    there = reverse("batch-list")
    client = signed_in(next=there)
    asked = client.get(there)
    assert asked["Location"] == f"{reverse('second-factor')}?next={quote(there, safe='')}"
    assert not is_in(client)
    address = reverse("second-factor")
    assert client.post(address, {"code": "000000"}).status_code == 200
    TOTPDevice.objects.update(throttling_failure_count=0)
    assert not is_in(client)
    later(ada)
    answer = client.post(
        address, {"code": f" {code_of(key)[:3]} {code_of(key)[3:]}", "next": there}
    )
    assert answer["Location"] == there
    assert is_in(client)


def test_a_code_works_once_and_so_does_a_recovery_code(ada: User) -> None:
    key, codes = turned_on(signed_in())
    address = reverse("second-factor")
    assert "was used before" in signed_in().post(address, {"code": code_of(key)}).content.decode()
    first, second = signed_in(), signed_in()
    first.post(address, {"code": codes[0].upper()})
    second.post(address, {"code": codes[0]})
    assert is_in(first)
    assert not is_in(second)


def test_guessing_codes_takes_twice_as_long_each_time(ada: User) -> None:
    key, _ = turned_on(signed_in())
    later(ada)
    client, address = signed_in(), reverse("second-factor")
    client.post(address, {"code": "000000"})
    assert "wait" in client.post(address, {"code": code_of(key)}).content.decode()
    assert not is_in(client)


def test_a_session_without_a_code_opens_neither_api_nor_admin_nor_settings(ada: User) -> None:
    User.objects.update(is_staff=True, is_superuser=True)
    turned_on(signed_in())
    client = signed_in()
    assert client.get("/api/v1/me/").status_code == 401
    for name in ("admin:index", "second-factor-settings", "password-change", "people"):
        assert client.get(reverse(name))["Location"].startswith(reverse("second-factor")), name
    assert client.post(reverse("token-create"))["Location"] == f"{reverse('second-factor')}?"
    assert client.get(reverse("second-factor-on"))["Location"] == reverse("second-factor")
    assert client.get(reverse("healthz")).status_code == 200
    assert client.post(reverse("sign-out")).status_code == 302


def test_every_way_in_asks_for_the_code(ada: User) -> None:
    User.objects.update(is_staff=True, is_superuser=True)
    turned_on(signed_in())
    by_link, by_admin = Client(), Client()
    by_link.post(reverse("owner-link", args=[create_owner_link(username="ada").token]))
    by_admin.post(reverse("admin:login"), {"username": "ada", "password": PASSWORD})
    for client in (by_link, by_admin):
        assert "_auth_user_id" in client.session
        assert not is_in(client)


def test_turning_it_on_signs_out_everywhere_else(ada: User) -> None:
    elsewhere, client = signed_in(), signed_in()
    turned_on(client)
    assert is_in(client)
    assert not is_in(elsewhere)


@pytest.mark.parametrize("may", [(), (Permit.CREATE_STUDIES,), (Permit.PAY,), (Permit.PUBLISH,)])
def test_where_money_is_real_who_may_spend_turns_it_on_first(
    ada: User, settings: Settings, may: tuple[str, ...]
) -> None:
    set_permits(user=ada, permits=may, actor="test")
    _, token = create_token(user=ada)
    program = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    settings.SECOND_FACTOR_REQUIRED = True
    must = bool({Permit.PAY, Permit.PUBLISH} & set(may))
    client = signed_in()
    assert is_in(client) is not must
    assert (program.get("/api/v1/me/").status_code == 200) is not must
    if must:
        assert client.get(reverse("second-factor"))["Location"] == reverse("second-factor-on")
    turned_on(client)
    assert is_in(client)
    assert program.get("/api/v1/me/").status_code == 200


@pytest.mark.parametrize("given", ["publish", "pay", "staff"])
def test_what_an_account_may_do_now_decides_in_a_session_of_before(
    ada: User, settings: Settings, given: str
) -> None:
    settings.SECOND_FACTOR_REQUIRED = True
    client = signed_in()
    assert is_in(client)
    if given == "staff":
        User.objects.update(is_staff=True, is_superuser=True)
    else:
        set_permits(user=ada, permits=(Permit(given),), actor="test")
    assert client.get("/api/v1/me/").status_code == 401
    for address in (reverse("account"), reverse("admin:index")):
        assert client.get(address)["Location"].startswith(reverse("second-factor"))
    assert client.post(reverse("token-create"))["Location"] == f"{reverse('second-factor')}?"
    turned_on(client)
    assert is_in(client)


def test_a_session_with_a_code_asks_for_it_anew_once_it_is_off_and_required(
    ada: User, settings: Settings
) -> None:
    User.objects.update(is_staff=True)
    client = signed_in()
    turned_on(client)
    settings.SECOND_FACTOR_REQUIRED = True
    assert is_in(client)
    run("account", "reset-second-factor", "ada")
    assert client.get(reverse("account"))["Location"].startswith(reverse("second-factor"))


def test_members_of_staff_turn_it_on_where_money_is_real(ada: User, settings: Settings) -> None:
    User.objects.update(is_staff=True)
    assert is_in(signed_in())
    settings.SECOND_FACTOR_REQUIRED = True
    assert not is_in(signed_in())


def test_a_wrong_code_turns_nothing_on(ada: User) -> None:
    client, address = signed_in(), reverse("second-factor-on")
    client.get(address)
    for code in ("000000", "", "abc", "٣٣٣٣٣٣", "1" * 30, "\0"):
        assert client.post(address, {"code": code}).status_code == 200
    assert not TOTPDevice.objects.exists()
    assert is_in(signed_in())


def test_turning_it_off_and_new_codes_take_a_code(ada: User) -> None:
    client = signed_in()
    _, codes = turned_on(client)
    address = reverse("second-factor-settings")
    assert client.post(address, {"change": "off", "code": "wrong one"}).status_code == 200
    assert TOTPDevice.objects.exists()
    TOTPDevice.objects.update(throttling_failure_count=0)
    StaticToken.objects.get(token=codes[0]).device.throttle_reset()
    page = client.post(address, {"change": "codes", "code": codes[0]}).content.decode()
    assert not any(code in page for code in codes)
    fresh = StaticToken.objects.values_list("token", flat=True)
    assert all(code in page for code in fresh)
    client.post(address, {"change": "off", "code": fresh[0]})
    assert not StaticToken.objects.exists()
    assert is_in(signed_in())


def test_staff_reset_it_on_the_server_only(ada: User) -> None:
    turned_on(signed_in())
    with pytest.raises(NotPermittedError):
        perform_here(RESET_SECOND_FACTOR, None, {"user": "ada"}, Actor("ada (web page)", ada))
    run("account", "reset-second-factor", "ada")
    assert is_in(signed_in())
    assert "no two-step sign-in" in failure("account", "reset-second-factor", "ada")


def test_an_erased_account_keeps_no_second_factor(ada: User) -> None:
    turned_on(signed_in())
    erase_account(user=ada)
    assert not TOTPDevice.objects.exists()
    assert not StaticToken.objects.exists()
