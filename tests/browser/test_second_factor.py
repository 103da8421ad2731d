"""Two-step sign-in in a real browser, with axe at two widths."""

import base64

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.models import SecurityKey
from tests.browser.conftest import NewContext, two_machines

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

PASSWORD = "a long one for a person"


def check(page: Page) -> None:
    """No violation and nothing too wide, on a desk in light and on a phone in dark."""
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] # one of the two
        assert page.locator("html").evaluate("html => html.scrollWidth") <= width, page.url
        violations = Axe().run(page).response["violations"]
        assert not violations, (page.url, [one["id"] for one in violations])


def sign_out(page: Page) -> None:
    """As on a phone, the last size that `check` looks at."""
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Sign out").click()


@pytest.mark.long
@two_machines
def test_it_is_turned_on_and_asked_for(
    live_server: LiveServer, new_context: NewContext, settings: Settings
) -> None:
    settings.OPEN = False
    user = User.objects.create_user("ada", password=PASSWORD)
    page = new_context().new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.extend([told.text] if told.type == "error" else []))

    def sign_in() -> None:
        page.goto(f"{live_server.url}/sign-in/?next=/account/")
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

    sign_in()
    page.get_by_role("link", name="Turn on two-step sign-in").click()
    check(page)
    code = page.get_by_role("textbox", name="Code")
    code.fill("000000")
    page.get_by_role("button", name="Turn on").click()
    page.get_by_role("alert").wait_for()
    check(page)
    key = TOTPDevice(key=_key_shown(page)).bin_key
    code.fill(f"{totp(key):06}")
    page.get_by_role("button", name="Turn on").click()
    check(page)
    recovery = page.get_by_label("Recovery codes").inner_text().split()
    sign_out(page)
    sign_in()
    check(page)
    page.get_by_role("textbox", name="Code").fill(recovery[0])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Your account", exact=True).wait_for()
    check(page)
    page.get_by_role("link", name="Recovery codes, security keys, or turn off").click()
    check(page)
    page.get_by_role("textbox", name="Code").fill(recovery[1])
    page.get_by_role("button", name="Turn off two-step sign-in").click()
    page.get_by_role("link", name="Turn on two-step sign-in").wait_for()
    assert not TOTPDevice.objects.filter(user=user).exists()
    assert not faults


def _key_shown(page: Page) -> str:
    """The key, in the hexadecimal digits that the database stores."""
    return base64.b32decode(page.locator("code").inner_text()).hex()


@pytest.mark.long
def test_a_security_key_signs_in_and_codes_of_the_app_no_more(
    live_server: LiveServer, new_context: NewContext, settings: Settings
) -> None:
    settings.OPEN = False
    user = User.objects.create_user("ada", password=PASSWORD)
    app = TOTPDevice.objects.create(user=user, name="app", last_t=-1)
    recovery = StaticDevice.objects.create(user=user, name="recovery codes")
    StaticToken.objects.create(device=recovery, token="recoverit")
    page = new_context().new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    keys = page.context.new_cdp_session(page)
    keys.send("WebAuthn.enable")
    held = {"protocol": "ctap2", "transport": "usb", "automaticPresenceSimulation": True}
    authenticator = keys.send("WebAuthn.addVirtualAuthenticator", {"options": held})

    def sign_in() -> None:
        page.goto(f"{live_server.url}/sign-in/?next=/account/two-step/keys/")
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

    def code() -> str:
        TOTPDevice.objects.update(last_t=-1)
        return f"{totp(app.bin_key):06}"

    sign_in()
    page.get_by_role("textbox", name="Code").fill(code())
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name").fill("my key")
    page.get_by_label("Code of the app").first.fill(code())
    page.get_by_role("button", name="Add security key").click()
    page.get_by_text("my key is asked for at your next sign-in").wait_for()
    check(page)

    sign_out(page)
    sign_in()
    check(page)
    page.get_by_role("textbox", name="Code").fill(code())
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("You have a security key: use it, or a recovery code.").wait_for()
    page.get_by_role("button", name="Use security key").click()
    page.get_by_role("heading", name="Security keys").wait_for()
    key = SecurityKey.objects.get(user=user)
    assert key.last_used_at and key.uses  # noqa: PT018 - both by one use
    assert not faults

    # A copy of the key as it was counts behind it.
    SecurityKey.objects.update(uses=key.uses + 100)
    sign_out(page)
    sign_in()
    page.get_by_role("button", name="Use security key").click()
    page.get_by_text("may have been copied").wait_for()
    keys.send("WebAuthn.removeVirtualAuthenticator", authenticator)
    page.get_by_role("textbox", name="Code").fill("recoverit")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Code of the app").last.fill(code())
    page.get_by_role("button", name="Remove security key").click()
    page.get_by_text("You have none yet.").wait_for()
    assert not SecurityKey.objects.exists()
