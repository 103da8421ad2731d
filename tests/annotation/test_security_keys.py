"""Answers of security keys that are not for this page, this account, this moment."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)
from pytest_django import Settings

from annotation.models import SecurityKey
from tests.annotation.test_second_factor import PASSWORD, is_in, signed_in, turned_on

pytestmark = pytest.mark.django_db

SITE = "http://localhost"
TOUCHED = AuthenticatorData.FLAG.USER_PRESENT


@dataclass
class Key:
    """A security key of one account, as a program."""

    id: bytes = b"key"
    site: str = SITE
    uses: int = 0
    flags: AuthenticatorData.FLAG = TOUCHED
    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def create(self, challenge: str) -> str:
        public = ES256.from_cryptography_key(self.private.public_key())
        held = AttestedCredentialData.create(Aaguid.NONE, self.id, public)
        data = self._data(self.flags | AuthenticatorData.FLAG.ATTESTED, bytes(held))
        made = AttestationObject.create("none", data, {})
        return self._answer("webauthn.create", challenge, attestationObject=made)

    def sign(self, challenge: str) -> str:
        self.uses += 1
        data, said = self._data(self.flags), self._said("webauthn.get", challenge)
        signature = self.private.sign(data + said.hash, ec.ECDSA(SHA256()))
        return self._answer("webauthn.get", challenge, authenticatorData=data, signature=signature)

    def _data(self, flags: Any, held: bytes = b"") -> AuthenticatorData:
        host = Hash(SHA256())
        host.update(str(urlsplit(self.site).hostname).encode())
        made = AuthenticatorData.create(host.finalize(), flags, self.uses, held)
        return AuthenticatorData(bytes(made))

    def _said(self, kind: Any, challenge: str) -> CollectedClientData:
        return CollectedClientData.create(kind, challenge, self.site)

    def _answer(self, kind: Any, challenge: str, **parts: bytes) -> str:
        parts["clientDataJSON"] = self._said(kind, challenge)
        texts = {name: websafe_encode(bytes(part)) for name, part in parts.items()}
        raw = websafe_encode(self.id)
        return json.dumps({"id": raw, "rawId": raw, "type": "public-key", "response": texts})


def challenge_of(client: Client, page: str) -> str:
    """What the page asks a key to sign."""
    asked = re.search(r'data-options="([^"]+)"', client.get(reverse(page)).content.decode())
    assert asked
    return str(json.loads(html.unescape(asked[1]))["challenge"])


def add(client: Client, key: Key, code: str, **more: str) -> str:
    response = key.create(challenge_of(client, "security-keys"))
    sent = {"name": "mine", "code": code, "response": response, **more}
    return client.post(reverse("security-keys"), sent, follow=True).content.decode()


@pytest.fixture(autouse=True)
def _closed(settings: Settings) -> None:
    settings.OPEN = False


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def key(ada: User, monkeypatch: pytest.MonkeyPatch) -> Key:
    """The key that ada has added."""
    monkeypatch.setattr("django.http.HttpRequest.get_host", lambda _request: "localhost")
    client = signed_in()
    _app, codes = turned_on(client)
    key = Key()
    assert "mine is asked for at your next sign-in" in add(client, key, codes[0])
    return key


def give(client: Client, response: str) -> str:
    sent = {"response": response}
    return client.post(reverse("second-factor"), sent, follow=True).content.decode()


def test_the_key_of_the_account_signs_in(key: Key) -> None:
    client = signed_in()
    assert not is_in(client)
    give(client, key.sign(challenge_of(client, "second-factor")))
    assert is_in(client)
    assert SecurityKey.objects.get().uses == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda key: replace(key, site="https://localhost.example.org"),
        lambda key: replace(key, site="http://localhost:8001"),
        lambda key: replace(key, site="https://localhost"),
        lambda key: replace(key, private=Key().private),
        lambda key: replace(key, id=b"another"),
        lambda key: replace(key, flags=AuthenticatorData.FLAG(0)),
    ],
    ids=[
        "another site",
        "another port",
        "another scheme",
        "another key",
        "an unknown key",
        "without a touch",
    ],
)
def test_the_answer_of_something_else_opens_nothing(key: Key, change: Callable[[Key], Key]) -> None:
    client = signed_in()
    page = give(client, change(key).sign(challenge_of(client, "second-factor")))
    assert "no valid answer" in page
    assert not is_in(client)


def test_an_answer_opens_one_session_once(key: Key) -> None:
    first, second = signed_in(), signed_in()
    answer = key.sign(challenge_of(first, "second-factor"))
    challenge_of(second, "second-factor")
    assert "no valid answer" in give(second, answer)
    give(first, answer)
    assert is_in(first)
    third = signed_in()
    assert "no valid answer" in give(third, answer)
    assert not is_in(third)


def test_a_copy_of_a_key_counts_behind_it(key: Key) -> None:
    copied = replace(key)
    client = signed_in()
    give(client, key.sign(challenge_of(client, "second-factor")))
    client = signed_in()
    page = give(client, copied.sign(challenge_of(client, "second-factor")))
    assert "may have been copied" in page
    assert not is_in(client)


@pytest.mark.parametrize(
    "response", ["{}", "[]", "x", "7", '{"id": 1}', '{"response": {}}', "[" * 20_000]
)
def test_what_is_no_answer_is_no_fault(key: Key, response: str) -> None:
    client = signed_in()
    challenge_of(client, "second-factor")
    assert "no valid answer" in give(client, response)
    StaticToken.objects.create(device=StaticDevice.objects.get(), token="abcd2345")
    signed = signed_in()
    signed.post(reverse("second-factor"), {"code": "abcd2345"})
    assert is_in(signed)
    sent = {"name": "other", "code": "1", "response": response}
    assert "no valid answer" in signed.post(reverse("security-keys"), sent).content.decode()
    assert SecurityKey.objects.count() == 1


def test_whoever_holds_a_session_alone_adds_and_removes_no_key(key: Key) -> None:
    client = signed_in()
    give(client, key.sign(challenge_of(client, "second-factor")))
    assert "this code is wrong" in add(client, Key(id=b"theirs"), "-", name="theirs").lower()
    removed = {"change": "remove", "name": "mine", "code": "000000"}
    client.post(reverse("security-keys"), removed)
    assert SecurityKey.objects.get().name == "mine"


def test_a_key_is_removed_by_its_name_and_a_code(key: Key, ada: User) -> None:
    client = signed_in()
    give(client, key.sign(challenge_of(client, "second-factor")))
    StaticToken.objects.create(device=StaticDevice.objects.get(user=ada), token="onemorecode")
    sent = {"change": "remove", "name": "yours", "code": "onemorecode"}
    page = client.post(reverse("security-keys"), sent, follow=True).content.decode()
    assert "you have no key with this name" in page.lower()
    sent["name"] = "mine"
    page = client.post(reverse("security-keys"), sent, follow=True).content.decode()
    assert "mine is removed." in page
    assert not SecurityKey.objects.exists()
