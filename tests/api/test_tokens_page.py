"""Tokens on the page of an account: shown once, revoked by their owner only."""

import re

from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from rest_framework.test import APIClient

from tests.api.world import World


def test_a_token_is_shown_once_and_revoked_by_its_owner(world: World) -> None:
    mine, theirs = Client(), Client()
    mine.force_login(world.people["owner"])
    theirs.force_login(world.people["viewer"])
    page = mine.post(reverse("token-create"))
    (token,) = re.findall(r"<pre[^>]*>(fairpool_[0-9a-f]+)</pre>", page.content.decode())
    assert page.headers["Cache-Control"] == "no-store"
    assert token not in mine.get(reverse("account")).content.decode()
    calls = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    assert calls.get("/api/v1/me/").status_code == 200
    key = AuthToken.objects.get().token_key
    theirs.post(reverse("token-revoke"), {"key": key})
    assert calls.get("/api/v1/me/").status_code == 200
    mine.post(reverse("token-revoke"), {"key": key})
    assert calls.get("/api/v1/me/").status_code == 401
