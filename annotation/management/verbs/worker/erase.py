"""Delete a worker's personal data, on request; the study stays whole."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.workers import workers_with_id
from annotation.core.base_command import FairpoolCommand
from annotation.core.operations import Actor, Result
from annotation.core.origin import actor
from annotation.core.perform import perform_here
from annotation.management.arguments import add_study_option, study_of
from annotation.models import Batch, Study, Worker
from annotation.vocabulary import Environment
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.erasure import batches_of, nobody_here


class Command(FairpoolCommand):
    help = (
        "Delete the personal data of a worker permanently: ids, answers as they arrived, times, "
        "notes, qualifications, and the identity at our own crowd service, of every channel. "
        "Votes and money stay, under another name in each study."
    )
    example = "worker erase A1B2C3D4E5F6G7"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("worker", metavar="WORKER", help="The worker's id.")
        parser.add_argument(
            "--environment",
            choices=Environment.values,
            help="Where the worker has this id (default: everywhere).",
        )
        add_study_option(parser, "Only in this study (default: in all of them).")

    def handle(self, **options: Any) -> None:
        study = study_of(options)
        workers = workers_with_id(options["worker"], environment=options["environment"])
        done = [
            {"environment": worker.environment, **_erase(worker, study).values}
            for worker in workers
        ]
        lines = (
            f"{erased['environment']}: erased in {erased['batches']} batches; {erased['votes']} "
            f"votes and {erased['answers']} answers stay, under another name."
            for erased in done
        )
        self.print_result(options, {"worker": options["worker"], "forgotten": done}, lines)
        for erased in done:
            if not (erased["crowd_forgot"] or options["as_json"]):
                self.note("Other studies, or other requesters, still know the person.")


def _erase(worker: Worker, study: Study | None) -> Result:
    """Erase in one study, or everywhere, also after an interrupted attempt."""
    batches = batches_of(worker=worker)
    if study is not None:
        batches = batches.filter(study=study)
    # An interrupted attempt may have left no batch: then any batch serves.
    batch = batches.first() or (study is None and Batch.everything.first())
    if not batch:
        raise nobody_here()
    values = {"worker": worker.pk, "everywhere": study is None}
    return perform_here(ERASE_PERSON, batch, values, Actor(actor()))
