"""Studies, and who calls."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.accounts.queries.members import memberships_of
from annotation.accounts.queries.permits import permits_of
from annotation.api.access import ApiView
from annotation.api.operation_views import OperationView, StudyOperationView, does
from annotation.api.schema import listing, reading
from annotation.api.serializers import NumberedSerializer
from annotation.core.access import actions_in, studies_open_to
from annotation.core.operations import Result
from annotation.models import Membership, Study
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.studies import CHANGE_STUDY
from annotation.vocabulary import Action, Permit

_STUDY = {"name": "Nuances 2026", "description": "Queries of MS MARCO, 14 lists."}


class StudySerializer(NumberedSerializer[Study]):
    class Meta:
        model = Study
        fields: tuple[str, ...] = (*("number", "name", "description", "created_at", "archived_at"),)


class StudyDetailSerializer(StudySerializer):
    """A study, with what you may do in it."""

    may = serializers.SerializerMethodField()

    class Meta(StudySerializer.Meta):
        fields: tuple[str, ...] = (*StudySerializer.Meta.fields, "may")

    def get_may(self, study: Study) -> list[str]:
        return sorted(actions_in(user=self.context["user"], study=study))


class MembershipSerializer(serializers.ModelSerializer[Membership]):
    """A study of yours, and your role in it."""

    name = serializers.CharField(source="study.name")

    class Meta:
        model = Membership
        fields = ("study", "name", "role")


class MeSerializer(serializers.Serializer[Any]):
    """Whose token it is. Members of staff see every study, also without a role."""

    username = serializers.CharField()
    is_staff = serializers.BooleanField()
    roles = MembershipSerializer(many=True)
    permits = serializers.ListField(
        child=serializers.ChoiceField(Permit.choices),
        help_text="What you may do besides what your roles say; members of staff give it.",
    )


class Me(ApiView):
    @reading("me", MeSerializer)
    def get(self) -> Any:
        """Who you are, and your role in each of your studies."""
        return {
            "username": self.person.get_username(),
            "is_staff": self.person.is_staff,
            "roles": memberships_of(user=self.person),
            "permits": sorted(permits_of(user=self.person).permits),
        }


@listing("studies", StudySerializer, Study)
@does(CREATE_STUDY, "study_create", shows=StudyDetailSerializer, status=201, sent=_STUDY)
class Studies(OperationView, generics.ListAPIView[Study]):
    """The studies that you may see, the latest first."""

    filterset_fields: ClassVar[list[str]] = ["name"]

    def get_queryset(self) -> QuerySet[Study]:
        opened = studies_open_to(user=self.request.user, action=Action.VIEW)
        return opened.order_by("-created_at", "name")

    def subject(self, **_: Any) -> None:
        return None

    def answer(self, done: Result) -> Response:
        return Response(_shown(done.made, self.request), status=status.HTTP_201_CREATED)


@does(
    CHANGE_STUDY,
    "study_change",
    method="patch",
    shows=StudyDetailSerializer,
    sent={"description": "Queries of MS MARCO, 16 lists."},
)
class StudyDetail(StudyOperationView):
    @reading("study", StudyDetailSerializer)
    def get(self, **_: Any) -> Any:
        """One study, and what you may do in it."""
        return self.study

    def answer(self, done: Result) -> Response:
        return Response(_shown(done.made, self.request))


def _shown(study: Study, request: Request) -> Any:
    return StudyDetailSerializer(study, context={"user": request.user}).data
