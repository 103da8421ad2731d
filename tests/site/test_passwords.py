"""Passwords that an earlier version stored still sign people in, and are kept anew."""

from importlib import import_module

import pytest
from django.contrib.auth.hashers import make_password
from pytest_django import Settings

from mturk_local.models import EntryChannel, Worker
from mturk_local.workers import worker_create
from tests.mturk_local.conftest import Guest


@pytest.mark.long
@pytest.mark.django_db(databases=["default", "crowd"], transaction=True)
def test_an_old_password_is_kept_anew_when_it_is_used(crowd: str, settings: Settings) -> None:
    settings.PASSWORD_HASHERS = import_module("config.settings").PASSWORD_HASHERS
    ada = worker_create(
        entry_channel=EntryChannel.ACCOUNT, username="ada", password="correct horse"
    )
    assert ada.password.startswith("argon2$argon2id$")
    old = make_password("correct horse", hasher="pbkdf2_sha256")
    Worker.objects.filter(pk=ada.pk).update(password=old)

    guest = Guest(crowd)
    for password, stored in (("wrong horse", "pbkdf2_sha256$"), ("correct horse", "argon2$")):
        guest.browser.open(f"{guest.site}sign-in/")
        guest.browser.select_form("form.fields")
        guest.browser["username"], guest.browser["password"] = "ada", password
        guest.browser.submit_selected()
        assert Worker.objects.get(pk=ada.pk).password.startswith(stored)
    assert "Tasks" in guest.text()
