"""Studies, and the calling user."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.accounts.queries.members import memberships_of
from annotation.accounts.queries.permits import permits_of
from annotation.api.access import ApiView, as_problems, raise_lacking
from annotation.api.operation_views import OperationView, StudyOperationView, does
from annotation.api.schema import listing, reading
from annotation.api.serializers import NumberedSerializer
from annotation.core.access import actions_in, is_permitted, studies_open_to
from annotation.core.operations import Result
from annotation.core.parameters import serializer_of
from annotation.core.perform import perform_here
from annotation.models import Membership, Study
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE, BundleParameters
from annotation.studies.api.files import BYTES, Bytes, stream_of
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.studies import CHANGE_STUDY
from annotation.studies.queries.files_missing import files_missing
from annotation.vocabulary import Action, FileKind, Permit

_STUDY = {"name": "Nuances 2026", "description": "Queries of MS MARCO, 14 lists."}


class StudySerializer(NumberedSerializer[Study]):
    class Meta:
        model = Study
        fields: tuple[str, ...] = (*("number", "name", "description", "created_at", "archived_at"),)


class MissingFileSerializer(serializers.Serializer[Any]):
    """A file that the imported bundle names; add one with its digest."""

    kind = serializers.ChoiceField(FileKind.choices)
    name = serializers.CharField()
    size = serializers.IntegerField()
    digest = serializers.CharField()


class StudyDetailSerializer(StudySerializer):
    """A study, with your permissions in it, and the files still missing for measuring it again."""

    may = serializers.SerializerMethodField()
    files_missing = serializers.SerializerMethodField()

    class Meta(StudySerializer.Meta):
        fields: tuple[str, ...] = (*StudySerializer.Meta.fields, "may", "files_missing")

    @extend_schema_field(MissingFileSerializer(many=True))
    def get_files_missing(self, study: Study) -> Any:
        return MissingFileSerializer(files_missing(study=study), many=True).data

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
        """Your name and permits, and your role in each of your studies."""
        return {
            "username": self.person.get_username(),
            "is_staff": self.person.is_staff,
            "roles": memberships_of(user=self.person),
            "permits": sorted(permits_of(user=self.person).permits),
        }


@listing("studies", StudySerializer, Study)
@does(CREATE_STUDY, "study_create", shows=StudyDetailSerializer, status=201, sample=_STUDY)
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


class BundlesImported(ApiView):
    parser_classes = (Bytes,)
    query_shapes = {"POST": serializer_of(BundleParameters)}

    @extend_schema(
        operation_id="study_import_bundle",
        parameters=[serializer_of(BundleParameters)],
        request={BYTES: OpenApiTypes.BINARY},
        responses={201: StudyDetailSerializer},
        filters=False,
    )
    def post(self, request: Request) -> Response:
        """Make a study of a bundle: the body is the zip itself.

        All its numbers are computed again first; one that differs imports nothing.
        """
        # Before the file is read.
        if not is_permitted(user=self.person, permit=Permit.CREATE_STUDIES):
            raise_lacking(Permit.CREATE_STUDIES)
        values = {**request.query_params.dict(), "stream": stream_of(request)}
        with as_problems():
            done = perform_here(IMPORT_BUNDLE, None, values, self.who)
        return Response(_shown(done.made, request), status=status.HTTP_201_CREATED)


@does(
    CHANGE_STUDY,
    "study_change",
    method="patch",
    shows=StudyDetailSerializer,
    sample={"description": "Queries of MS MARCO, 16 lists."},
)
class StudyDetail(StudyOperationView):
    @reading("study", StudyDetailSerializer)
    def get(self, **_: Any) -> Any:
        """One study, and your permissions in it."""
        return self.study

    def answer(self, done: Result) -> Response:
        return Response(_shown(done.made, self.request))


def _shown(study: Study, request: Request) -> Any:
    return StudyDetailSerializer(study, context={"user": request.user}).data
