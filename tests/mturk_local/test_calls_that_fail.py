"""However a call to a panel or a requester fails: what is stored stays, and the caller goes on."""

from collections.abc import Iterator
from datetime import timedelta

import jwt  # noqa: TID251 - the panel's side of the seam
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.utils import timezone
from pytest_django import Settings

from mturk_local.lifecycle import events, panel_keys
from mturk_local.models import Notification, PanelKeys, Requester
from tests.failing import FAILURES, failing

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048).public_key()
KEYS = {"keys": [{**jwt.algorithms.RSAAlgorithm.to_jwk(_KEY, as_dict=True), "kid": "k1"}]}
#: A receiver has taken an event once it has sent the status, whatever follows.
TAKEN = {"half", "no chunk"}


@pytest.fixture
def address(way: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    settings.MTURK_LOCAL_KEYS_HOSTS = settings.MTURK_LOCAL_NOTIFY_HOSTS = ["127.0.0.1"]
    for module in (events, panel_keys):
        monkeypatch.setattr(module, "_TIMEOUT_SECONDS", 0.3)
    with failing(way) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.mark.parametrize("way", FAILURES)
def test_keys_that_are_stored_serve_while_the_panel_fails(address: str) -> None:
    an_hour_ago = timezone.now() - timedelta(hours=1)
    PanelKeys.objects.create(url=address, keys=KEYS, fetched_at=an_hour_ago)
    assert panel_keys.panel_keys(url=address, key_id="k1") == KEYS
    with pytest.raises(panel_keys.KeysAwayError):
        panel_keys.panel_keys(url=address, key_id="k2")
    held = PanelKeys.objects.get()
    assert (held.keys, held.fetched_at) == (KEYS, an_hour_ago)


@pytest.mark.parametrize("way", sorted(FAILURES.keys() - TAKEN))
def test_an_event_whose_receiver_fails_waits_for_its_next_time(address: str) -> None:
    requester = Requester.objects.create(name="lab")
    for number in range(2):
        events.event_send(
            requester=requester, destination=address, version="v", event={"HITId": str(number)}
        )
    assert events.deliver_due() == 2
    first, second = Notification.objects.order_by("pk")
    assert [first.event, second.event] == [{"HITId": "0"}, {"HITId": "1"}]
    assert (first.attempts, second.attempts) == (1, 0)
    assert first.delivered_at is second.delivered_at is None
    assert first.next_at is not None
    assert first.next_at > timezone.now()
