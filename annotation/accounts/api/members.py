"""The people of a study, and invitations to it."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import generics, serializers

from annotation.accounts.operations.invites import INVITE_MEMBER, REVOKE_INVITATION
from annotation.accounts.operations.members import CHANGE_ROLE, REMOVE_MEMBER
from annotation.accounts.queries.members import study_invites, study_members
from annotation.api.access import StudyView, found
from annotation.api.operation_views import StudyOperationView, does
from annotation.api.schema import listing
from annotation.api.serializers import NumberedSerializer
from annotation.models import Invite, Membership
from annotation.vocabulary import Action


class MemberSerializer(NumberedSerializer[Membership]):
    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ("number", "username", "role", "created_at")


class InviteSerializer(NumberedSerializer[Invite]):
    class Meta:
        model = Invite
        fields: tuple[str, ...] = ("number", "role", "actor", "created_at", "expires_at")


class NewInviteSerializer(InviteSerializer):
    """An invitation with the token of its link, which nobody can read again."""

    token = serializers.CharField()

    class Meta(InviteSerializer.Meta):
        fields: tuple[str, ...] = (*InviteSerializer.Meta.fields, "token")


@listing("study_members", MemberSerializer, Membership)
class Members(StudyView, generics.ListAPIView[Membership]):
    """The members of a study, by user name."""

    def get_queryset(self) -> QuerySet[Membership]:
        return study_members(study=self.study)


@does(
    CHANGE_ROLE,
    "member_role_set",
    method="patch",
    from_address={"member": "member"},
    shows=MemberSerializer,
    sample={"role": "adjudicator"},
)
@does(REMOVE_MEMBER, "member_remove", method="delete", from_address={"member": "member"})
class Member(StudyOperationView):
    def subject(self, **place: Any) -> Any:
        found(study_members(study=self.study), place["member"])
        return self.study


@listing("study_invites", InviteSerializer, Invite)
@does(
    INVITE_MEMBER,
    "invite_create",
    shows=NewInviteSerializer,
    status=201,
    sample={"role": "annotator"},
)
class Invites(StudyOperationView, generics.ListAPIView[Invite]):
    """The invitations that somebody can still use."""

    required_actions = {"GET": Action.MANAGE}

    def get_queryset(self) -> QuerySet[Invite]:
        return study_invites(study=self.study)


@does(
    REVOKE_INVITATION,
    "invite_revoke",
    method="delete",
    from_address={"invitation": "invite"},
)
class InviteRevoke(StudyOperationView):
    def subject(self, **place: Any) -> Any:
        found(self.study.invites.all(), place["invite"])
        return self.study
