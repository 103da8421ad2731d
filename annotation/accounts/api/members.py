"""The people of a study, and invitations to it."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.accounts.operations.invites import invite_create, invite_revoke
from annotation.accounts.operations.members import member_remove, member_role_set
from annotation.accounts.queries.members import study_invites, study_members
from annotation.api.access import StudyView
from annotation.api.schema import example, listing
from annotation.models import Invite, Membership
from annotation.vocabulary import Action, Role


class MemberShape(serializers.ModelSerializer[Membership]):
    number = serializers.IntegerField(source="pk", read_only=True)
    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ("number", "username", "role", "created_at")


class RoleAsked(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=Role.choices)


class InviteShape(serializers.ModelSerializer[Invite]):
    number = serializers.IntegerField(source="pk", read_only=True)

    class Meta:
        model = Invite
        fields: tuple[str, ...] = ("number", "role", "actor", "created_at", "expires_at")


class NewInviteShape(InviteShape):
    """An invitation with the token of its link, which nobody can read again."""

    token = serializers.CharField()

    class Meta(InviteShape.Meta):
        fields: tuple[str, ...] = (*InviteShape.Meta.fields, "token")


@listing("study_members")
class Members(StudyView, generics.ListAPIView[Membership]):
    """The members of a study, by user name."""

    serializer_class = MemberShape
    queryset = Membership.objects.none()

    def get_queryset(self) -> QuerySet[Membership]:
        return study_members(study=self.study)


class Member(StudyView):
    @extend_schema(
        operation_id="member_role_set",
        request=RoleAsked,
        responses=MemberShape,
        examples=[example({"role": "adjudicator"})],
    )
    def patch(self, _request: Request, member: int, **_: Any) -> Response:
        """Give a member another role; a study keeps an owner."""
        role = self.given(RoleAsked)["role"]
        self._check_is_there(member)
        changed = member_role_set(study=self.study, number=member, role=role, actor=self.actor)
        return Response(MemberShape(changed).data)

    @extend_schema(operation_id="member_remove", request=None, responses={204: None})
    def delete(self, _request: Request, member: int, **_: Any) -> Response:
        """End a membership; what the member has done stays."""
        self._check_is_there(member)
        member_remove(study=self.study, number=member, actor=self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _check_is_there(self, member: int) -> None:
        if not study_members(study=self.study).filter(pk=member).exists():
            raise Http404


class Invites(StudyView, generics.ListAPIView[Invite]):
    leave = {"GET": Action.MANAGE}
    serializer_class = InviteShape
    queryset = Invite.objects.none()

    def get_queryset(self) -> QuerySet[Invite]:
        return study_invites(study=self.study)

    @extend_schema(operation_id="study_invites")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The invitations that somebody can still use."""
        return self.list(request, *args, **kwargs)

    @extend_schema(
        operation_id="invite_create",
        request=RoleAsked,
        responses={201: NewInviteShape},
        examples=[example({"role": "annotator"})],
    )
    def post(self, _request: Request, **_: Any) -> Response:
        """Invite somebody by link: whoever opens it first becomes a member, within seven days."""
        role = self.given(RoleAsked)["role"]
        invite, token = invite_create(study=self.study, role=role, actor=self.actor)
        invite.token = token  # type: ignore[attr-defined] # shown this once
        return Response(NewInviteShape(invite).data, status=status.HTTP_201_CREATED)


class InviteRevoke(StudyView):
    @extend_schema(operation_id="invite_revoke", request=None, responses={204: None})
    def delete(self, _request: Request, invite: int, **_: Any) -> Response:
        """Make a link useless before anybody has used it."""
        if not self.study.invites.filter(pk=invite).exists():
            raise Http404
        invite_revoke(study=self.study, number=invite, actor=self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)
