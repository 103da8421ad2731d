"""What ends together: passwords and tokens, memberships and the invitations of former members."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.accounts.operations.erase_account import erase_account
from annotation.accounts.operations.invites import INVITE_MEMBER, DeadInviteError, open_invite
from annotation.accounts.operations.members import CHANGE_ROLE, REMOVE_MEMBER
from annotation.accounts.operations.tokens import create_token
from annotation.accounts.queries.members import study_invites
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.models import AuditEvent, Membership, Study, TokenUse
from annotation.vocabulary import Role
from tests.performing import create_study, do

pytestmark = pytest.mark.django_db

PASSWORD, NEXT = "a long one for a person", "another one for the same"


@pytest.fixture
def bob(settings: Settings) -> User:
    """The second owner of the study "ours"."""
    settings.OPEN = False
    User.objects.create_user("ada")
    bob = User.objects.create_user("bob", password=PASSWORD)
    Membership.objects.create(study=create_study("ours", "ada"), user=bob, role=Role.OWNER)
    return bob


def program_of(user: User) -> APIClient:
    _, token = create_token(user=user)
    return APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")


def works(program: APIClient) -> bool:
    return program.get("/api/v1/me/").status_code == 200


def invitation_of(user: User) -> str:
    study = Study.objects.get(name="ours")
    actor = Actor(f"{user.get_username()} (web page)", user)
    token: str = perform_here(INVITE_MEMBER, study, {"role": Role.VIEWER}, actor).made.token
    return token


def is_good(token: str) -> bool:
    try:
        return bool(open_invite(token=token))
    except DeadInviteError:
        return False


def test_a_new_password_ends_the_tokens_that_the_old_one_made(bob: User) -> None:
    program, other = program_of(bob), program_of(User.objects.get(username="ada"))
    client = Client()
    client.force_login(bob)
    sent = {"old_password": PASSWORD, "new_password1": NEXT, "new_password2": NEXT}
    assert client.post(reverse("password-change"), sent).status_code == 302
    assert not works(program)
    assert works(other)


def test_a_password_that_staff_change_or_take_away_ends_tokens(bob: User) -> None:
    program = program_of(bob)
    bob.set_password(NEXT)
    bob.save()
    assert not works(program)
    program = program_of(bob)
    bob.set_unusable_password()
    bob.save()
    assert not works(program)


def test_a_password_that_is_hashed_anew_at_the_sign_in_ends_nothing(
    bob: User, settings: Settings
) -> None:
    program, before = program_of(bob), bob.password
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]
    Client().post(reverse("sign-in"), {"username": "bob", "password": PASSWORD})
    bob.refresh_from_db()
    assert bob.password != before
    assert works(program)


def test_the_end_of_the_last_membership_ends_tokens(bob: User) -> None:
    program, study = program_of(bob), Study.objects.get(name="ours")
    elsewhere = Study.objects.create(name="theirs")
    kept = Membership.objects.create(study=elsewhere, user=bob, role=Role.VIEWER)
    do(REMOVE_MEMBER, study, member=study.members.get(user=bob).pk)
    assert works(program)
    assert program.get(f"/api/v1/studies/{study.pk}/").status_code == 404
    Membership.objects.create(study=elsewhere, user=User.objects.get(username="ada"), role="owner")
    do(REMOVE_MEMBER, elsewhere, member=kept.pk)
    assert not works(program)


@pytest.mark.parametrize("end", ["removed", "another role", "closed", "erased"])
def test_invitations_of_who_may_not_invite_any_more_are_revoked(bob: User, end: str) -> None:
    study = Study.objects.get(name="ours")
    link, other = invitation_of(bob), invitation_of(User.objects.get(username="ada"))
    number = study.members.get(user=bob).pk
    match end:
        case "removed":
            do(REMOVE_MEMBER, study, member=number)
        case "another role":
            do(CHANGE_ROLE, study, member=number, role=Role.ADJUDICATOR)
        case "closed":
            bob.is_active = False
            bob.save()
        case "erased":
            erase_account(user=bob)
    assert not is_good(link)
    assert is_good(other)
    assert [invite.actor for invite in study_invites(study=study)] == ["ada (web page)"]
    assert AuditEvent.objects.filter(study=study, action="invitation revoked").count() == 1


def test_a_token_says_when_it_was_last_used(bob: User) -> None:
    client = Client()
    client.force_login(bob)
    program = program_of(bob)
    assert "never" in client.get(reverse("account")).content.decode()
    assert works(program)
    assert "never" not in client.get(reverse("account")).content.decode()
    first = TokenUse.objects.get().last_used_at
    assert works(program)
    assert TokenUse.objects.get().last_used_at == first
    TokenUse.objects.update(last_used_at=first - timedelta(hours=1))
    assert works(program)
    assert TokenUse.objects.get().last_used_at > first


def test_tokens_that_have_ended_are_not_listed(bob: User) -> None:
    client = Client()
    client.force_login(bob)
    token, _ = create_token(user=bob)
    AuthToken.objects.update(expiry=timezone.now() - timedelta(days=1))
    assert token.token_key not in client.get(reverse("account")).content.decode()


def test_a_password_set_on_the_command_line_ends_tokens(
    bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = program_of(bob)
    monkeypatch.setattr("getpass.getpass", lambda **_: NEXT)
    call_command("changepassword", "bob")
    assert not works(program)
