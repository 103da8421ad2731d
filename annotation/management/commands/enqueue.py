"""enqueue: ask for long work in the background."""

from argparse import ArgumentParser
from typing import Any

from annotation.agreement.aggregation import METHODS
from annotation.management.arguments import actor
from annotation.selectors.batches import batch_get
from annotation.tasks import task_send
from annotation.vocabulary import Environment, TaskKind
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand

#: What needs no more than the batch's name, and no agreement to a cost beside publishing's.
_KINDS = [
    str(kind)
    for kind in (
        TaskKind.PUBLISH,
        TaskKind.COLLECT,
        TaskKind.EXPIRE,
        TaskKind.LABEL,
        TaskKind.BUNDLE,
    )
]


class Command(FairpoolCommand):
    help = (
        "Ask a worker to do something to a batch in the background. Asking twice for what is not "
        "done yet makes one task. `tasks` shows how far it is."
    )
    example = "enqueue collect study"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=_KINDS, help="What is to be done.")
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        parser.add_argument(
            "--approve", action="store_true", help="collect: also pay for every readable answer."
        )
        parser.add_argument(
            "--method", choices=METHODS, help="label: how votes become a label (default: majority)."
        )

    def handle(self, *, kind: str, as_json: bool, **options: Any) -> None:
        batch = batch_get(name=options["batch"])
        if kind == TaskKind.PUBLISH and batch.environment == Environment.PRODUCTION:
            raise InputError(
                "publishing spends real money, which a person has to agree to.",
                remedy=f"Run: python manage.py publish_batch {batch.name}",
            )
        given = {name: options[name] for name in ("approve", "method") if options[name]}
        task = task_send(kind=kind, batch_id=batch.pk, actor=actor(), **given)
        if as_json:
            self.print_json({"task": task.pk, "state": task.state})
        else:
            self.stdout.write(f"Task {task.pk}: {task.get_kind_display()}, {batch.name}.")
