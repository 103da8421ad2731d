"""Long work in the background: asked for, watched, cancelled."""

from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import ApiView, TaskView
from annotation.api.schema import example, listing, reading
from annotation.api.serializers import TaskSerializer
from annotation.core.access import batches_open_to, studies_open_to
from annotation.core.task_queue import task_cancel
from annotation.models import Task
from annotation.vocabulary import Action

_STATED = {
    "number": 7,
    "kind": "collect",
    "state": "running",
    "batch": 3,
    "study": None,
    "actor": "ada (API)",
    "done": 120,
    "total": 394,
    "result": {},
    "error": "",
    "created_at": "2026-11-21T09:00:00Z",
    "started_at": "2026-11-21T09:00:01Z",
    "finished_at": None,
}


@listing("tasks", TaskSerializer, Task)
class Tasks(ApiView, generics.ListAPIView[Task]):
    """The tasks of every study that you may see, the latest first."""

    filterset_fields: ClassVar[list[str]] = ["kind", "state", "batch", "study"]

    def get_queryset(self) -> QuerySet[Task]:
        user = self.request.user
        return Task.objects.filter(
            Q(batch__in=batches_open_to(user=user, action=Action.VIEW))
            | Q(study__in=studies_open_to(user=user, action=Action.VIEW))
        ).order_by("-pk")


class TaskDetail(TaskView):
    @reading("task", TaskSerializer, examples=[example(_STATED, of="response")])
    def get(self, **_: Any) -> Any:
        """Progress of a task, and its outcome."""
        return self.task


class TaskCancel(TaskView):
    @extend_schema(operation_id="task_cancel", request=None, responses=TaskSerializer)
    def post(self, _request: Request, **_: Any) -> Response:
        """Request that a task is not done, or not completed; what it has done stays done."""
        return Response(TaskSerializer(task_cancel(task_id=self.task.pk)).data)
