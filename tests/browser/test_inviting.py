"""The invitations of a batch, with a link, an account and a panel open, in every size."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.inviting.account import INVITE_ACCOUNT
from annotation.batches.operations.inviting.link import INVITE_LINK
from annotation.batches.operations.inviting.panel import INVITE_PANEL
from annotation.batches.operations.publish import publish_batch
from mturk_local.keys import key_file_ensure
from mturk_local.models import HIT
from tests.browser.conftest import NewContext
from tests.browser.test_every_page import _sign_in, problems_of
from tests.performing import do
from tests.study import stored_batch, stored_pool

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.mark.long
def test_the_invitations_are_accessible_and_fit(
    live_server: LiveServer, new_context: NewContext, settings: Settings, tmp_path: Path
) -> None:
    settings.MTURK_LOCAL_ENDPOINT = f"{live_server.url}/mturk/"
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "crowd-key.json"
    key_file_ensure(settings.MTURK_LOCAL_KEY_FILE, requester_name="lab")
    batch = stored_batch(stored_pool(4))
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    link = do(INVITE_LINK, batch, note="everybody in the lab").made
    do(INVITE_ACCOUNT, batch, username="ada", password="a long pass phrase")
    panel = do(INVITE_PANEL, batch, provider="prolific").made
    client, context = Client(), new_context()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    _sign_in(context, client, live_server.url)
    page = context.new_page()
    paths = [
        reverse("batch-detail", args=[batch.pk]),
        reverse("batch-invite", args=[batch.pk]),
        reverse("batch-poster", args=[batch.pk], query={"channel": link.channel_id}),
    ]
    found = [one for path in paths for one in problems_of(page, live_server.url + path)]
    found += problems_of(page, link.url)
    assert not found, "\n".join(found)
    # Read from the dots by nothing here, but drawn in full on the narrowest phone.
    page.goto(live_server.url + paths[2])
    box = page.get_by_role("img", name="QR code").bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(box["height"], abs=1)
    assert box["width"] > 200
    # On paper there is what annotators may know: neither the study nor the batch.
    page.emulate_media(media="print")
    for hidden in ("h1", ".above", ".site-header", ".site-footer"):
        assert page.locator(hidden).is_hidden(), hidden
    assert page.get_by_role("img", name="QR code").is_visible()
    page.emulate_media(media="screen")
    HIT.objects.update(open_slots=0)
    no_place = problems_of(page, f"{panel.url}?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x")
    assert not no_place, "\n".join(no_place)
    assert (
        page.get_by_role("group").get_by_role("code").text_content() == panel.own["ScreenOutCode"]
    )
