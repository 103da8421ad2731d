"""Access of API calls: the same permissions as for a page, with problems instead of pages.

What a person cannot see is not there (404); what they see but may not do is refused (403).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, NoReturn, TypeVar, cast

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from rest_framework.exceptions import (
    AuthenticationFailed,
    NotFound,
    PermissionDenied,
    ValidationError,
)
from rest_framework.permissions import SAFE_METHODS, AllowAny
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.views import APIView

from annotation.api.problems import QueryStringError
from annotation.core.access import User as Anybody
from annotation.core.access import actions_in, permit_refusing, roles_with
from annotation.core.consent import ConsentError
from annotation.core.names_sent import check_names
from annotation.core.operations import Actor
from annotation.core.parameters import ParametersError, unknown_names
from annotation.models import Batch, Study, Task
from annotation.vocabulary import Action, Permit
from pooling.models import Pool

Row = TypeVar("Row", bound=Model)


class ApiView(APIView):
    """Base of API views. Refused calls count like all others, which limits guessing."""

    #: Permissions that methods require, other than to see (to read) or to manage (to write).
    required_actions: ClassVar[Mapping[str, Action]] = {}

    #: Parameters of the query string by method, beside filters and pages.
    query_shapes: ClassVar[Mapping[str, type[Serializer[Any]]]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not hasattr(self, str(request.method).lower()):
            self.http_method_not_allowed(request)
        try:
            check_names(request.query_params, self.query_names(str(request.method)))
        except ParametersError as error:
            raise QueryStringError(error.errors) from error

    def query_names(self, method: str) -> set[str]:
        """Every name that the query string of this method may have."""
        method = "GET" if method == "HEAD" else method
        shape = self.query_shapes.get(method)
        names = set(shape().fields) if shape else set()
        if method == "GET":
            names |= {*getattr(self, "filterset_fields", ())}
            if getattr(self, "paginator", None):
                names |= {"page", "limit"}
        return names

    def perform_authentication(self, request: Request) -> None:
        try:
            super().perform_authentication(request)
        except AuthenticationFailed:
            super().check_throttles(request)
            raise

    def check_permissions(self, request: Request) -> None:
        super().check_throttles(request)
        super().check_permissions(request)

    def check_throttles(self, request: Request) -> None:
        """Do nothing here: throttling is done with the permissions."""

    @property
    def required_action(self) -> Action:
        """The permission that this call requires."""
        method = str(self.request.method)
        default = Action.VIEW if method in SAFE_METHODS else Action.MANAGE
        return self.required_actions.get(method, default)

    @property
    def person(self) -> User:
        """The calling user; the API admits nobody without an account."""
        return cast("User", self.request.user)

    @property
    def actor(self) -> str:
        """The caller's name in the log."""
        return f"{self.request.user.get_username()} (API)"

    @property
    def who(self) -> Actor:
        """The caller's name in the log, with the account whose permissions count."""
        return Actor(self.actor, self.person)

    def read_body(self, kind: type[Serializer[Any]]) -> Any:
        """Return the body, read as `kind`."""
        serializer = kind(data=self.request.data, context={"user": self.request.user})
        if unknown := unknown_names(serializer, self.request.data):
            raise ValidationError(unknown)
        return _checked(serializer)

    def query_parameters(self) -> Any:
        """Return the query string, read by its serializer."""
        shape = self.query_shapes["GET"]
        return _checked(shape(data=self.request.query_params))

    def check_permission(self, study: Study | None) -> None:
        check_permission(user=self.request.user, study=study, action=self.required_action)


class StudyView(ApiView):
    """A view of the study `study` of the address."""

    study: Study
    #: Whether a removed study is found, too.
    of_removed: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        studies = Study.everything if self.of_removed else Study.objects
        self.study = found(studies.all(), kwargs["study"])
        self.check_permission(self.study)


class BatchView(ApiView):
    """A view of the batch `batch` of the address."""

    batch: Batch

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.batch = found(Batch.objects.select_related("study", "pool"), kwargs["batch"])
        self.check_permission(self.batch.study)


class PoolView(ApiView):
    """A view of the pool `pool` of the address."""

    pool: Pool

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.pool = found(Pool.objects.select_related("belongs__study"), kwargs["pool"])
        self.check_permission(self.pool.belongs.study)


class TaskView(ApiView):
    """A view of the task `task` of the address, of a batch or of a study as a whole."""

    task: Task

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        kept = Task.objects.filter(study__removed_at=None, batch__removed_at=None)
        self.task = found(kept.select_related("study", "batch__study"), kwargs["task"])
        self.check_permission(self.task.batch.study if self.task.batch else self.task.study)


def found(rows: QuerySet[Row], number: int) -> Row:
    """Return the object of that number; without one the address does not exist (404)."""
    row = rows.filter(pk=number).first()
    if row is None:
        raise Http404
    return row


def check_permission(*, user: Anybody, study: Study | None, action: Action) -> None:
    """Refuse what `user` may not do; objects that they may not see do not exist (404)."""
    may = actions_in(user=user, study=study)
    if not may:
        raise Http404
    if action not in may:
        if permit := permit_refusing(user=user, study=study, action=action):
            raise_lacking(permit)
        roles = roles_with(action)
        raise PermissionDenied(f"To {action.label} in this study, you need the role {_or(roles)}.")


def raise_lacking(permit: Permit) -> NoReturn:
    """Refuse an operation that takes a permit, and say who gives it."""
    raise PermissionDenied(
        f"To {permit.label}, you need the permission {permit.value!r}, which members of staff give."
    )


@contextmanager
def as_problems() -> Iterator[None]:
    """Report invalid parameters as invalid members of the body."""
    try:
        yield
    except ParametersError as error:
        raise ValidationError(error.errors) from error
    except ConsentError as error:
        raise error.in_words('Send "agreed": "{cost}" to agree.') from error


def _checked(serializer: BaseSerializer[Any]) -> Any:
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data


def _or(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


class Unknown(ApiView):
    """The answer of addresses that do not exist, the same for every method and everybody."""

    permission_classes = (AllowAny,)
    schema = None

    def http_method_not_allowed(self, request: HttpRequest, *_: Any, **__: Any) -> NoReturn:
        raise NotFound(
            f"There is nothing at {request.path}. Every address ends with a slash; /api/v1/docs/ "
            "lists them."
        )
