"""The buttons of a batch. They ask for what the commands do, under the same rules for money."""

from django.http import HttpRequest

from annotation.models import Batch
from annotation.services.preflight import cost_to_come
from annotation.tasks import task_send
from annotation.vocabulary import Action, Environment, TaskKind
from annotation.web.access import actor_of
from annotation.web.pages import batch_act
from metrics.errors import InputError


@batch_act(Action.MANAGE)
def publish(request: HttpRequest, batch: Batch) -> str:
    _agree_to_cost(request, batch)
    task_send(kind=TaskKind.PUBLISH, batch_id=batch.pk, actor=actor_of(request))
    return "Publishing. This page counts along."


@batch_act(Action.MANAGE)
def collect(request: HttpRequest, batch: Batch) -> str:
    approve = "approve" in request.POST
    actor = actor_of(request)
    task_send(kind=TaskKind.COLLECT, batch_id=batch.pk, actor=actor, approve=approve)
    return "Collecting answers. This page counts along."


@batch_act(Action.MANAGE)
def stop(request: HttpRequest, batch: Batch) -> str:
    task_send(kind=TaskKind.EXPIRE, batch_id=batch.pk, actor=actor_of(request))
    return "Stopping. What was accepted may still be handed in, and is collected."


def _agree_to_cost(request: HttpRequest, batch: Batch) -> None:
    """Real money is spent only by whoever types how much."""
    cost = cost_to_come(batch)
    typed = request.POST.get("amount", "").strip()
    if batch.environment == Environment.PRODUCTION and typed != str(cost):
        raise InputError(
            f"publishing spends {cost} USD of real money, and that was not typed.",
            remedy=f"Type {cost} beside the button to agree.",
        )
