"""The commands of operations: options, ranges, help and example are the operation's own."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.operations.reviewing import get_assignment
from annotation.batches.queries.batches import get_batch
from annotation.core.commands import OperationCommand, words_of_command
from annotation.core.operations import AnyOperation, Result
from annotation.jobs.registry import OPERATIONS
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.management.arguments import add_study_option, study_of
from annotation.models import Assignment
from annotation.workers.operations.about_worker import WorkerOperation
from annotation.workers.operations.discard_votes import voter_of


class AnswerCommand(OperationCommand):
    """An operation on the answer that batch and assignment name."""

    def add_subject(self, parser: CommandParser) -> None:
        self.add_named(parser, "batch")
        parser.add_argument("assignment", metavar="ASSIGNMENT", help="Id of the assignment.")

    def find(self, options: dict[str, Any]) -> Any:
        batch = get_batch(name=options["subject"])
        return get_assignment(batch=batch, assignment_id=options["assignment"])


class WorkerCommand(OperationCommand):
    """An operation on a worker of a batch, named by the id that the crowd knows."""

    left_out = frozenset({"worker"})

    def example_subject(self) -> tuple[str, ...]:
        return "first", "A1B2C3"

    def add_subject(self, parser: CommandParser) -> None:
        self.add_named(parser, "batch")
        parser.add_argument("worker_id", metavar="WORKER", help="The worker's id.")

    def find(self, options: dict[str, Any]) -> Any:
        batch = get_batch(name=options["subject"])
        options["worker"] = voter_of(batch, options["worker_id"]).pk
        return batch


class InStudyCommand(OperationCommand):
    """An operation that makes something with a name of its own, in a study or outside of any."""

    def example_subject(self) -> tuple[str, ...]:
        return ()

    def add_subject(self, parser: CommandParser) -> None:
        add_study_option(parser)

    def find(self, options: dict[str, Any]) -> Any:
        return study_of(options)

    def tell(self, subject: Any, result: Result, options: Mapping[str, Any]) -> None:
        made = replace(result, message=f"{result.values['name']}: {result.message}")
        super().tell(subject, made, options)


def commands_of(noun: str) -> dict[str, OperationCommand]:
    """The commands of the operations of a noun, by verb."""
    return {
        words[1]: _kind(operation).of(operation)
        for operation in OPERATIONS
        if (words := words_of_command(operation)) and words[0] == noun
    }


def _kind(operation: AnyOperation) -> type[OperationCommand]:
    if operation.subject is Assignment:
        return AnswerCommand
    if isinstance(operation, WorkerOperation):
        return WorkerCommand
    return InStudyCommand if operation is IMPORT_LABELS else OperationCommand
