"""Who imports votes."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.vocabulary import Permit


@pytest.fixture
def owner(client: Client, settings: Settings) -> User:
    settings.OPEN = False
    user = User.objects.create_user("researcher")
    set_permits(user=user, permits=[Permit.CREATE_STUDIES], actor="test")
    client.force_login(user)
    return user
