"""Studies, and who calls."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import ApiView, StudyView
from annotation.api.schema import example
from annotation.models import Membership, Study
from annotation.selectors.access import actions_in, studies_open_to
from annotation.selectors.members import memberships_of
from annotation.services.studies import study_change, study_create
from annotation.vocabulary import Action

_STUDY = {"name": "Nuances 2026", "description": "Queries of MS MARCO, 14 lists."}


class NewStudyShape(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=100)
    description = serializers.CharField(max_length=2_000, allow_blank=True, default="")


class ChangeShape(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=100, required=False)
    description = serializers.CharField(max_length=2_000, allow_blank=True, required=False)


class StudyShape(serializers.ModelSerializer[Study]):
    number = serializers.IntegerField(source="pk", read_only=True)

    class Meta:
        model = Study
        fields: tuple[str, ...] = ("number", "name", "description", "created_at")


class StudyDetailShape(StudyShape):
    """A study, with what you may do in it."""

    may = serializers.SerializerMethodField()

    class Meta(StudyShape.Meta):
        fields: tuple[str, ...] = (*StudyShape.Meta.fields, "may")

    def get_may(self, study: Study) -> list[str]:
        return sorted(actions_in(user=self.context["user"], study=study))


class RoleShape(serializers.ModelSerializer[Membership]):
    """A study of yours, and your role in it."""

    name = serializers.CharField(source="study.name")

    class Meta:
        model = Membership
        fields = ("study", "name", "role")


class MeShape(serializers.Serializer[Any]):
    """Whose token it is. Members of staff see every study, also without a role."""

    username = serializers.CharField()
    is_staff = serializers.BooleanField()
    roles = RoleShape(many=True)


class Me(ApiView):
    @extend_schema(operation_id="me", responses=MeShape)
    def get(self, _request: Request) -> Response:
        """Who you are, and your role in each of your studies."""
        shown = {
            "username": self.person.get_username(),
            "is_staff": self.person.is_staff,
            "roles": memberships_of(user=self.person),
        }
        return Response(MeShape(shown).data)


class Studies(ApiView, generics.ListAPIView[Study]):
    serializer_class = StudyShape
    queryset = Study.objects.none()
    filterset_fields: ClassVar[list[str]] = ["name"]

    def get_queryset(self) -> QuerySet[Study]:
        opened = studies_open_to(user=self.request.user, action=Action.VIEW)
        return opened.order_by("-created_at", "name")

    @extend_schema(operation_id="studies")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The studies that you may see, the latest first."""
        return self.list(request, *args, **kwargs)

    @extend_schema(
        operation_id="study_create",
        request=NewStudyShape,
        responses={201: StudyDetailShape},
        examples=[example(_STUDY)],
        filters=False,
    )
    def post(self, request: Request) -> Response:
        """Begin a study; you are its owner."""
        given = self.given(NewStudyShape)
        study = study_create(owner=self.person, actor=self.actor, **given)
        return Response(_shown(study, request), status=status.HTTP_201_CREATED)


class StudyDetail(StudyView):
    @extend_schema(operation_id="study", responses=StudyDetailShape)
    def get(self, request: Request, **_: Any) -> Response:
        """One study, and what you may do in it."""
        return Response(_shown(self.study, request))

    @extend_schema(
        operation_id="study_change",
        request=ChangeShape,
        responses=StudyDetailShape,
        examples=[example({"description": "Queries of MS MARCO, 16 lists."})],
    )
    def patch(self, request: Request, **_: Any) -> Response:
        """Give the study another name or description."""
        kept = {"name": self.study.name, "description": self.study.description}
        given = {**kept, **self.given(ChangeShape)}
        study = study_change(study=self.study, actor=self.actor, **given)
        return Response(_shown(study, request))


def _shown(study: Study, request: Request) -> Any:
    return StudyDetailShape(study, context={"user": request.user}).data
