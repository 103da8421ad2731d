"""Panels that sign their links, and browsers that stay one participant."""

import json
import string
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import jwt  # noqa: TID251 - the panel's side of the seam
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from mturk_local.models import EntryChannel, PanelKeys, Verification, Worker
from tests.mturk_local.conftest import Guest, make_hit
from tests.mturk_local.test_channels import COMING, panel

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
SITE = "annotators.example"


class KeyServer:
    """The panel's address of public keys, which may be away or send something else."""

    def __init__(self) -> None:
        self.private = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self.body = json.dumps({"keys": [self.public("k1")]}).encode()
        self.status, self.asked = 200, 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked += 1
                self.send_response(server.status)
                self.end_headers()
                self.wfile.write(server.body)

            def log_message(self, *_args: Any) -> None:
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/jwks.json"

    def public(self, kid: str) -> dict[str, Any]:
        numbers: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(
            self.private.public_key(), as_dict=True
        )
        return {**numbers, "kid": kid, "alg": "RS256", "use": "sig"}

    def token(
        self, participant: str = "p1", *, key: Any = None, kid: str = "k1", **other: Any
    ) -> str:
        claims = {
            "aud": f"https://{SITE}",
            "exp": datetime.now(UTC) + timedelta(minutes=5),
            "prolific": {"PROLIFIC_PID": participant, "STUDY_ID": "s1", "SESSION_ID": "x1"},
            **other,
        }
        return jwt.encode(claims, key or self.private, algorithm="RS256", headers={"kid": kid})


@pytest.fixture
def keys() -> Iterator[KeyServer]:
    server = KeyServer()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


@pytest.fixture
def signing(crowd: str, keys: KeyServer) -> KeyServer:
    """The panel `gender`, which signs its links."""
    panel(keys_url=keys.url, audience=SITE)
    return keys


def status(guest: Guest, token: str) -> int:
    """How the panel's link with this token is answered."""
    address = f"{guest.site}panel/gender/?{urlencode({'prolific_token': token})}"
    return int(guest.browser.get(address).status_code)


def test_whoever_brings_the_panels_signature_is_verified(
    crowd: str, mturk: "MTurkClient", signing: KeyServer
) -> None:
    make_hit(mturk)

    assert status(Guest(crowd), signing.token()) == 200
    worker = Worker.objects.get(entry_channel=EntryChannel.PANEL)
    assert (worker.person, worker.verification) == ("prolific:p1", Verification.VERIFIED)
    assert worker.visits.get().session == "x1"


def forged(keys: KeyServer) -> str:
    return keys.token(key=rsa.generate_private_key(public_exponent=65_537, key_size=2_048))


def unsigned(keys: KeyServer) -> str:
    claims = jwt.decode(keys.token(), options={"verify_signature": False})
    return jwt.encode(claims, "", algorithm="none", headers={"kid": "k1"})


def signed_with_the_public_key(keys: KeyServer) -> str:
    """HS256 under the published modulus: a token must not choose how it is checked."""
    secret = keys.public("k1")["n"]
    claims = jwt.decode(keys.token(), options={"verify_signature": False})
    return jwt.encode(claims, secret, algorithm="HS256", headers={"kid": "k1"})


def expired(keys: KeyServer) -> str:
    return keys.token(exp=datetime.now(UTC) - timedelta(minutes=5))


def of_another_site(keys: KeyServer) -> str:
    return keys.token(aud="https://elsewhere.example")


def without_an_end(keys: KeyServer) -> str:
    claims = jwt.decode(keys.token(), options={"verify_signature": False})
    del claims["exp"]
    return jwt.encode(claims, keys.private, algorithm="RS256", headers={"kid": "k1"})


def without_a_payload(keys: KeyServer) -> str:
    return keys.token(prolific="p1")


def cut_short(keys: KeyServer) -> str:
    return keys.token()[:-20]


def nothing(_keys: KeyServer) -> str:
    return ""


def no_token(_keys: KeyServer) -> str:
    return "a.b.c"


def too_long(_keys: KeyServer) -> str:
    return "." * 20_000


@pytest.mark.parametrize(
    "make",
    [
        forged,
        unsigned,
        signed_with_the_public_key,
        expired,
        of_another_site,
        without_an_end,
        without_a_payload,
        cut_short,
        nothing,
        no_token,
        too_long,
    ],
)
def test_a_token_that_proves_nothing_lets_nobody_in(
    signing: KeyServer, crowd: str, make: Any
) -> None:
    guest = Guest(crowd)

    assert status(guest, make(signing)) == 403
    assert not Worker.objects.exists()


def test_plain_parameters_are_nothing_to_a_panel_that_signs(signing: KeyServer, crowd: str) -> None:
    guest = Guest(crowd)

    assert guest.browser.get(guest.site + COMING).status_code == 403
    assert not Worker.objects.exists()


def test_cached_keys_serve_while_the_panel_is_away(
    crowd: str, mturk: "MTurkClient", signing: KeyServer
) -> None:
    make_hit(mturk)
    assert status(Guest(crowd), signing.token("p1")) == 200
    signing.status = 503
    PanelKeys.objects.update(fetched_at=datetime.now(UTC) - timedelta(hours=9), tried_at=None)

    assert status(Guest(crowd), signing.token("p2")) == 200
    assert signing.asked == 2
    # And it is not asked again for each participant.
    assert status(Guest(crowd), signing.token("p3")) == 200
    assert signing.asked == 2
    PanelKeys.objects.update(fetched_at=datetime.now(UTC) - timedelta(days=1))
    assert status(Guest(crowd), signing.token("p4")) == 503


def test_a_withdrawn_key_is_believed_for_some_minutes(
    crowd: str, mturk: "MTurkClient", signing: KeyServer
) -> None:
    make_hit(mturk)
    assert status(Guest(crowd), signing.token("p1")) == 200
    signing.body = json.dumps({"keys": [signing.public("k2")]}).encode()
    earlier = datetime.now(UTC) - timedelta(minutes=10)
    PanelKeys.objects.update(fetched_at=earlier, tried_at=earlier)

    assert status(Guest(crowd), signing.token("p2")) == 403
    assert status(Guest(crowd), signing.token("p2", kid="k2")) == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"keys": [7]}', b"x" * 100_000, b"[" * 60_000],
    ids=["nothing", "list", "number", "long", "nested"],
)
def test_without_any_key_the_participant_is_asked_to_come_back(
    crowd: str, signing: KeyServer, body: bytes
) -> None:
    whole, signing.body = signing.body, body
    guest = Guest(crowd)
    assert status(guest, signing.token()) == 503
    assert not Worker.objects.exists()

    signing.body = whole
    PanelKeys.objects.update(tried_at=None)
    assert status(guest, signing.token()) == 200


def test_a_new_key_is_fetched_when_it_is_needed_once_a_second(
    crowd: str, signing: KeyServer
) -> None:
    assert status(Guest(crowd), signing.token()) == 200
    signing.body = json.dumps({"keys": [signing.public("k1"), signing.public("k2")]}).encode()
    newer = signing.token("p2", kid="k2")
    for _ in range(3):
        just_now = datetime.now(UTC)
        PanelKeys.objects.update(fetched_at=just_now, tried_at=just_now)
        assert status(Guest(crowd), signing.token("p3", kid="unknown")) == 503
    assert signing.asked == 1
    # Nothing is known against the participant: a moment later the key is there.
    a_second_ago = datetime.now(UTC) - timedelta(seconds=1.5)
    PanelKeys.objects.update(fetched_at=a_second_ago, tried_at=a_second_ago)
    assert status(Guest(crowd), newer) == 200
    assert signing.asked == 2


def test_a_participant_belongs_to_the_browser_that_came_first(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_id = make_hit(mturk)
    panel()
    honest, thief = Guest(crowd), Guest(crowd)
    honest.text(COMING)
    honest.accept(hit_id)

    assert thief.browser.get(thief.site + COMING).status_code == 403
    thief.browser.open(f"{thief.site}hits/{hit_id}/")
    assert thief.browser.url.endswith("/sign-in/")
    assert honest.browser.get(honest.site + COMING).status_code == 200


def test_who_only_opened_the_link_elsewhere_starts_anew(crowd: str, mturk: "MTurkClient") -> None:
    hit_id = make_hit(mturk)
    panel()
    telephone, desk = Guest(crowd), Guest(crowd)
    telephone.text(COMING)
    desk.text(COMING)
    desk.accept(hit_id)

    telephone.browser.open(f"{telephone.site}hits/{hit_id}/")
    assert telephone.browser.url.endswith("/sign-in/")
    assert telephone.browser.get(telephone.site + COMING).status_code == 403


@pytest.mark.parametrize(
    "value",
    [
        "{{%PROLIFIC_PID%}}",
        "{{PROLIFIC_PID}}",
        "%SURVEY_CODE%",
        "${e://Field/PROLIFIC_PID}",
        "[PROLIFIC_PID]",
        "<id>",
        "{id}",
        "undefined",
        "NULL",
        "None",
        "NaN",
    ],
)
def test_a_placeholder_that_was_not_filled_in_is_nobody(crowd: str, value: str) -> None:
    gender, guest = panel(), Guest(crowd)
    pasted = f"panel/gender/?{urlencode({'PROLIFIC_PID': value, 'SESSION_ID': 'x1'})}"

    reply = guest.browser.get(guest.site + pasted)
    assert reply.status_code == 400
    assert "did not fill in its link" in reply.text
    assert not Worker.objects.exists()
    gender.refresh_from_db()
    assert gender.unfilled == value  # which its requester reads with the channel

    assert guest.browser.get(guest.site + COMING).status_code == 200
    gender.refresh_from_db()
    assert gender.unfilled == ""


@pytest.mark.parametrize("value", ["nullius", "undefined-7", "6%200", "a[1]", "none@example.org"])
def test_an_id_that_only_resembles_a_placeholder_is_somebody(crowd: str, value: str) -> None:
    panel()
    guest = Guest(crowd)
    assert guest.browser.get(f"{guest.site}panel/gender/?{urlencode({'PROLIFIC_PID': value})}").ok


def test_a_signature_takes_a_participant_to_another_browser(
    crowd: str, mturk: "MTurkClient", signing: KeyServer
) -> None:
    make_hit(mturk)
    first, second = Guest(crowd), Guest(crowd)
    assert status(first, signing.token(jti="1")) == 200
    assert status(second, signing.token(jti="2")) == 200

    first.text()
    assert first.browser.url.endswith("/sign-in/")
    assert Worker.objects.get().verification == Verification.VERIFIED


def test_a_signed_link_is_of_use_to_the_browser_that_opened_it_first(
    crowd: str, mturk: "MTurkClient", signing: KeyServer
) -> None:
    make_hit(mturk)
    first, thief = Guest(crowd), Guest(crowd)
    link = signing.token()
    assert status(first, link) == 200
    # The last four bits of a signature's last character are ignored.
    letters = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    respelled = link[:-1] + letters[letters.index(link[-1]) ^ 1]
    assert {status(thief, link), status(thief, respelled)} == {403}

    thief.text()
    assert thief.browser.url.endswith("/sign-in/")
    assert status(first, link) == 200
    assert Worker.objects.get().visits.count() == 1


@pytest.mark.parametrize(
    "audience",
    [SITE, f"https://{SITE}/", f"https://{SITE}/annotate/panel/gender/", [f"http://{SITE}:8443"]],
)
def test_a_link_for_an_address_of_this_site_is_for_this_site(
    crowd: str, mturk: "MTurkClient", signing: KeyServer, audience: Any
) -> None:
    make_hit(mturk)

    assert status(Guest(crowd), signing.token(aud=audience)) == 200


@pytest.mark.parametrize(
    "audience",
    [
        f"https://{SITE}.elsewhere.example",
        f"https://{SITE}@elsewhere.example/",
        f"https://elsewhere.example/{SITE}",
        f"https://{SITE}/annotate/panel/another/",
        f"ftp://{SITE}",
        "https://[",
        "",
        [],
        {SITE: SITE},
    ],
)
def test_a_link_for_another_site_is_not_for_this_one(
    crowd: str, signing: KeyServer, audience: Any
) -> None:
    assert status(Guest(crowd), signing.token(aud=audience)) == 403


def test_a_signature_does_not_prove_what_another_browser_has_done_before(
    crowd: str, mturk: "MTurkClient", signing: KeyServer
) -> None:
    """Somebody came as p1 by a panel of the same provider that does not sign."""
    hit_id = make_hit(mturk)
    panel(slug="plain")
    impostor = Guest(crowd)
    impostor.text(COMING.replace("gender", "plain"))
    impostor.accept(hit_id)
    impostor.answer(label="cat")

    assert status(Guest(crowd), signing.token()) == 200
    assert Worker.objects.get().verification == Verification.WAITING
