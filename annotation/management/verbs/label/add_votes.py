"""Votes of files as more votes of a batch."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
from annotation.core.operations import Actor
from annotation.core.origin import actor
from annotation.core.perform import perform_here
from annotation.labels.operations.votes_added import ADD_VOTES
from annotation.management.verbs.label.import_votes import VoteFilesCommand


class Command(VoteFilesCommand):
    help = ADD_VOTES.about
    example = "label add-votes more.csv --name dogs --columns query_id=task --labels 0=n,1=f"

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_file_arguments(parser)
        parser.add_argument("--name", required=True, metavar="BATCH", help="The batch.")

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["name"])
        values = self.file_values(ADD_VOTES.parameters, options)
        with self.usage_errors():
            if self.says_how(options, ADD_VOTES.parameters, values):
                return
            done = perform_here(ADD_VOTES, batch, values, Actor(actor()))
        self.print_result(options, done.values, f"{batch.name}: " + "\n".join(done.made.lines))
