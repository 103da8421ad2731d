"""Members and invitations of a study, the sign-in, and the account of the money in the log."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.accounts.operations.invites import (
    REVOKE_INVITATION,
    DeadInviteError,
    digest_of,
    invite_accept,
)
from annotation.accounts.operations.members import CHANGE_ROLE, REMOVE_MEMBER
from annotation.models import AuditEvent, Invite, Membership, Study
from annotation.vocabulary import Role
from metrics.errors import InputError
from tests.commands import failure, run_json
from tests.performing import create_study, do, invite
from tests.project import Project

PASSWORD = "a long one for a person"


@pytest.fixture
def study(db: None, settings: Settings) -> Study:
    settings.OPEN = False
    User.objects.create_user("ada")
    return create_study("ours", "ada")


def member(study: Study, name: str) -> Membership:
    return Membership.objects.get(study=study, user__username=name)


def owner_of(study: Study) -> Client:
    client = Client()
    client.force_login(study.members.get(role="owner").user)
    return client


def test_a_link_is_shown_once_and_only_its_digest_is_stored(study: Study) -> None:
    client = owner_of(study)
    page = client.post(reverse("invite-create", args=[study.pk]), {"role": "viewer"})
    shown = page.content.decode()
    token = shown.partition("/invites/")[2].partition("/")[0]
    assert Invite.objects.get().digest == digest_of(token)
    assert token not in str(Invite.objects.values())
    assert token not in str(AuditEvent.objects.values())
    assert token not in client.get(reverse("study-members", args=[study.pk])).content.decode()


def test_whoever_has_no_account_makes_one_and_is_a_member(study: Study) -> None:
    token = invite(study)
    address, client = reverse("invite", args=[token]), Client()
    assert "Join the study" in client.get(address).content.decode()
    weak = client.post(address, {"username": "eve", "password1": "12345", "password2": "12345"})
    assert "too short" in weak.content.decode()
    assert not User.objects.filter(username="eve").exists()
    fields = {"username": "eve", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(address, fields)["Location"] == reverse("study-detail", args=[study.pk])
    assert member(study, "eve").role == "viewer"
    assert client.get(reverse("study-members", args=[study.pk])).status_code == 200
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("name", ["ada\u202e", "a\u0007da", "a\u200bda", "a\u0085da"])
def test_a_name_with_what_cannot_be_seen_makes_no_account(study: Study, name: str) -> None:
    fields = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    page = Client().post(reverse("invite", args=[invite(study)]), fields)
    assert "Enter a valid username" in page.content.decode()
    assert list(User.objects.values_list("username", flat=True)) == ["ada"]


def test_a_password_like_the_name_makes_no_account(study: Study) -> None:
    token = invite(study)
    alike = dict.fromkeys(("password1", "password2"), "ada.lovelace1")
    Client().post(reverse("invite", args=[token]), {"username": "ada.lovelace"} | alike)
    assert not User.objects.filter(username="ada.lovelace").exists()


def test_dead_links_say_why_and_make_nobody_a_member(study: Study) -> None:
    user = User.objects.create_user("eve")
    tokens = [invite(study, Role.OWNER) for _ in range(3)]
    expired, revoked, used = Invite.objects.order_by("pk")
    Invite.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    do(REVOKE_INVITATION, study, invitation=revoked.pk)
    invite_accept(token=tokens[2], user=User.objects.create_user("first"))
    assert used.used_at is None
    whys = ["has expired", "was revoked", "was used already", "was not made by this site"]
    client = Client()
    client.force_login(user)
    for token, why in zip([*tokens, f"{tokens[0]}x"], whys, strict=True):
        response = client.post(reverse("invite", args=[token]))
        assert response.status_code == 404
        assert why in response.content.decode()
        with pytest.raises(DeadInviteError):
            invite_accept(token=token, user=user)
    assert not Membership.objects.filter(user=user).exists()


def test_a_member_does_not_use_a_link_up(study: Study) -> None:
    token = invite(study)
    shown = owner_of(study).post(reverse("invite", args=[token])).content.decode()
    assert "is owner of" in shown
    assert Invite.objects.get().used_at is None


#: Four people join at once, in threads with connections of their own. Prints who did.
_AT_ONCE = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from django.contrib.auth.models import User
from django.db import connections
from annotation.models import Membership, Study
from annotation.accounts.operations.invites import DeadInviteError, invite_accept
from tests.performing import invite

study = Study.objects.create(name="ours")
token = invite(study)
people = [User.objects.create_user(f"person{number}") for number in range(4)]
ready = Barrier(len(people))

def join(user):
    ready.wait(60)
    try:
        return invite_accept(token=token, user=user).user_id
    except DeadInviteError:
        return None
    finally:
        connections.close_all()

with ThreadPoolExecutor(len(people)) as pool:
    joined = [one for one in pool.map(join, people) if one]
assert joined == list(Membership.objects.values_list("user_id", flat=True)), joined
print("joined:", len(joined))
"""


@pytest.mark.long
@pytest.mark.timed
def test_of_several_who_join_at_once_one_does(tmp_path: Path) -> None:
    project = Project(tmp_path, port=1)
    project.prepare()
    assert "joined: 1\n" in project.run("shell", "-v", "0", "-c", _AT_ONCE).stdout


def test_the_last_owner_stays(study: Study) -> None:
    last = member(study, "ada").pk
    with pytest.raises(InputError):
        do(REMOVE_MEMBER, study, member=last)
    with pytest.raises(InputError):
        do(CHANGE_ROLE, study, member=last, role="viewer")
    token = invite(study, Role.OWNER)
    invite_accept(token=token, user=User.objects.create_user("bob"))
    do(REMOVE_MEMBER, study, member=last)
    assert list(study.members.values_list("user__username", flat=True)) == ["bob"]
    actions = set(AuditEvent.objects.filter(study=study).values_list("action", flat=True))
    assert {"study created", "invited", "member added", "member removed"} <= actions


def test_members_of_another_study_are_out_of_reach(study: Study) -> None:
    User.objects.create_user("eve")
    other = create_study("theirs", "eve")
    invite(other)
    client = owner_of(study)
    theirs = str(member(other, "eve").pk)
    client.post(reverse("member-remove", args=[study.pk]), {"member": theirs})
    client.post(reverse("member-role", args=[study.pk]), {"member": theirs, "role": "viewer"})
    client.post(
        reverse("invite-revoke", args=[study.pk]), {"invitation": str(Invite.objects.get().pk)}
    )
    assert member(other, "eve").role == "owner"
    assert Invite.objects.get().revoked_at is None


def test_who_guesses_waits_and_nobody_else_does(study: Study, settings: Settings) -> None:
    User.objects.create_user("bob", password=PASSWORD)
    User.objects.create_user("eve", password=PASSWORD)
    address, client = reverse("sign-in"), Client()
    for _ in range(settings.AXES_FAILURE_LIMIT):
        refused = client.post(address, {"username": "bob", "password": "wrong"})
    assert refused.status_code == 429
    assert "15 minutes" in refused.content.decode()
    assert int(refused["Retry-After"]) <= 900
    right = {"username": "bob", "password": PASSWORD}
    assert client.post(address, right).status_code == 429
    assert Client(REMOTE_ADDR="192.0.2.7").post(address, right).status_code == 302
    assert client.post(address, {"username": "eve", "password": PASSWORD}).status_code == 302


def test_who_guesses_over_many_names_waits_too(db: None, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    User.objects.create_user("bob", password=PASSWORD)
    address, client = reverse("sign-in"), Client()
    right = {"username": "bob", "password": PASSWORD}
    for number in range(19):
        client.post(address, {"username": f"name{number}", "password": PASSWORD})
        if number == 9:  # an account of one's own is no way out
            assert client.post(address, right).status_code == 302
            client.logout()
    assert client.post(address, {"username": "last", "password": PASSWORD}).status_code == 429
    refused = client.post(address, right)
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 900
    assert Client(REMOTE_ADDR="192.0.2.7").post(address, right).status_code == 302


def test_who_guesses_links_waits(study: Study, settings: Settings) -> None:
    client = Client()
    token = invite(study)
    for _ in range(settings.AXES_FAILURE_LIMIT):
        client.get(reverse("invite", args=["wrong"]))
    assert client.get(reverse("invite", args=[token])).status_code == 429
    other = Client(REMOTE_ADDR="192.0.2.7")
    assert other.get(reverse("invite", args=[token])).status_code == 200


def test_commands_make_studies_members_and_links(db: None) -> None:
    User.objects.create_user("ada")
    User.objects.create_user("bob")
    assert run_json("study", "create", "ours", "--owner", "ada")["name"] == "ours"
    run_json("study", "add-member", "ours", "bob", "--role", "adjudicator")
    assert run_json("study", "members", "ours")["members"] == {"ada": "owner", "bob": "adjudicator"}
    link = run_json("study", "invite-member", "ours", "--role", "viewer")["link"]
    invite_accept(token=link.rstrip("/").rpartition("/")[2], user=User.objects.create_user("eve"))
    assert run_json("study", "list")["studies"][0]["n_members"] == 3
    assert "exists" in failure("study", "create", "ours")
    assert "already" in failure("study", "add-member", "ours", "bob")
