"""enqueue: do an operation on a batch in the background."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of
from annotation.core.perform import perform
from annotation.jobs.registry import JOBS
from annotation.models import Batch, Task
from metrics.errors import InputError

_OPERATIONS = {kind: one for kind, one in JOBS.items() if one.subject is Batch}


class Command(ParametersCommand):
    help = (
        "Ask a worker to do something to a batch in the background. Asking twice for what is not "
        "done yet makes one task. `tasks` shows how far it is."
    )
    example = "enqueue collect study"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=[str(kind) for kind in _OPERATIONS])
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        self.add_parameters(parser, *_OPERATIONS.values())

    def handle(self, **options: Any) -> None:
        batch = batch_get(name=options["batch"])
        names = {name for one in _OPERATIONS.values() for name in fields_of(one.parameters)}
        sent = {name: options[name] for name in names if options[name] is not None}
        with self.usage_errors():
            agreed = self.amount(options["agreed"])
            task = perform(_OPERATIONS[options["kind"]], batch, sent, Actor(actor()), agreed)
        if not isinstance(task, Task):
            raise InputError("that is no work for the background.")
        line = f"Task {task.pk}: {task.get_kind_display()}, {batch.name}."
        self.print_result(options, {"task": task.pk, "state": task.state}, line)
