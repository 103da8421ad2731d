"""The people of a study, and invitations to it."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.accounts.operations.invites import INVITE_MEMBER, REVOKE_INVITATION
from annotation.accounts.operations.members import CHANGE_ROLE, REMOVE_MEMBER
from annotation.accounts.queries.members import study_invites, study_members
from annotation.api.access import StudyView, found
from annotation.api.operation_views import body_of
from annotation.api.schema import example, listing
from annotation.core.parameters import serializer_of
from annotation.models import Invite, Membership
from annotation.vocabulary import Action

_ROLE = body_of(CHANGE_ROLE, without="member")


class MemberSerializer(serializers.ModelSerializer[Membership]):
    number = serializers.IntegerField(source="pk", read_only=True)
    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ("number", "username", "role", "created_at")


class InviteSerializer(serializers.ModelSerializer[Invite]):
    number = serializers.IntegerField(source="pk", read_only=True)

    class Meta:
        model = Invite
        fields: tuple[str, ...] = ("number", "role", "actor", "created_at", "expires_at")


class NewInviteSerializer(InviteSerializer):
    """An invitation with the token of its link, which nobody can read again."""

    token = serializers.CharField()

    class Meta(InviteSerializer.Meta):
        fields: tuple[str, ...] = (*InviteSerializer.Meta.fields, "token")


@listing("study_members")
class Members(StudyView, generics.ListAPIView[Membership]):
    """The members of a study, by user name."""

    serializer_class = MemberSerializer
    queryset = Membership.objects.none()

    def get_queryset(self) -> QuerySet[Membership]:
        return study_members(study=self.study)


class Member(StudyView):
    @extend_schema(
        operation_id="member_role_set",
        request=_ROLE,
        responses=MemberSerializer,
        examples=[example({"role": "adjudicator"})],
    )
    def patch(self, _request: Request, member: int, **_: Any) -> Response:
        """Give a member another role; a study keeps an owner."""
        self.given(_ROLE)
        found(study_members(study=self.study), member)
        done = self.perform(CHANGE_ROLE, self.study, member=member)
        return Response(MemberSerializer(done.made).data)

    @extend_schema(operation_id="member_remove", request=None, responses={204: None})
    def delete(self, _request: Request, member: int, **_: Any) -> Response:
        """End a membership; what the member has done stays."""
        found(study_members(study=self.study), member)
        self.perform(REMOVE_MEMBER, self.study, member=member)
        return Response(status=status.HTTP_204_NO_CONTENT)


class Invites(StudyView, generics.ListAPIView[Invite]):
    required_actions = {"GET": Action.MANAGE}
    serializer_class = InviteSerializer
    queryset = Invite.objects.none()

    def get_queryset(self) -> QuerySet[Invite]:
        return study_invites(study=self.study)

    @extend_schema(operation_id="study_invites")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The invitations that somebody can still use."""
        return self.list(request, *args, **kwargs)

    @extend_schema(
        operation_id="invite_create",
        request=serializer_of(INVITE_MEMBER.parameters),
        responses={201: NewInviteSerializer},
        examples=[example({"role": "annotator"})],
    )
    def post(self, _request: Request, **_: Any) -> Response:
        """Invite somebody by link: whoever opens it first becomes a member, within seven days."""
        self.given(serializer_of(INVITE_MEMBER.parameters))
        done = self.perform(INVITE_MEMBER, self.study)
        return Response(NewInviteSerializer(done.made).data, status=status.HTTP_201_CREATED)


class InviteRevoke(StudyView):
    @extend_schema(operation_id="invite_revoke", request=None, responses={204: None})
    def delete(self, _request: Request, invite: int, **_: Any) -> Response:
        """Make a link useless before anybody has used it."""
        found(self.study.invites.all(), invite)
        self.perform(REVOKE_INVITATION, self.study, invitation=invite)
        return Response(status=status.HTTP_204_NO_CONTENT)
