"""Workers: made at a door, each one a person."""

from django.db import transaction

from annotation.mturk_local.ids import worker_id as new_worker_id
from annotation.mturk_local.models import Door, Worker


def worker_create(
    *,
    door: Door,
    person: str = "",
    worker_id: str = "",
    username: str | None = None,
    password: str = "",
    country: str = "",
) -> Worker:
    """A new worker. Without a `person` the worker is a person that no other door knows."""
    made_id = worker_id or new_worker_id()
    worker = Worker(
        worker_id=made_id,
        person=person or made_id,
        door=door,
        username=username,
        country=country,
    )
    if password:
        worker.set_password(password)
    worker.clean_fields(exclude=["password"])
    worker.save(force_insert=True)
    return worker


@transaction.atomic(using="crowd")
def simulated_worker_ensure(*, worker_id: str) -> Worker:
    """The simulated worker of this id, whose first visit this may be."""
    known = Worker.objects.filter(worker_id=worker_id).first()
    return known or worker_create(door=Door.SIMULATED, worker_id=worker_id)


def worker_sign_out_everywhere(*, worker: Worker) -> None:
    """End every session of the worker at once."""
    Worker.objects.filter(pk=worker.pk).update(session=worker.session + 1)
