"""Commands that read: a function that asks and says, declared with its subject and parameters.

A noun's are in its module here, and an operation's command needs no file at all.
"""

import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import wraps
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

from django.core.management.base import CommandParser
from django.db.models import Model, QuerySet
from rest_framework.serializers import BaseSerializer

from annotation.accounts.queries.members import get_study
from annotation.batches.queries.batches import get_batch
from annotation.core.options import ParametersCommand
from annotation.core.parameters import NoParameters, fields_of, parameter, read_parameters
from metrics.errors import InputError

Row = TypeVar("Row", bound=Model)

_FINDERS: Mapping[str, Callable[..., Any]] = {"study": get_study, "batch": get_batch}


@dataclass(frozen=True)
class Answer:
    """The output of a command: a result for programs, lines for people, then notes or a fault."""

    result: object
    lines: str | Iterable[str]
    notes: Sequence[str] = ()
    problem: InputError | None = None


@dataclass(frozen=True)
class InStudy:
    """The study whose rows a list has; without one it has those of all."""

    study: str | None = parameter(None, help_text="Only those of this study.")

    def among(self, rows: QuerySet[Row], *, path: str) -> QuerySet[Row]:
        """Those of `rows` that belong to the study, which `path` leads to."""
        return rows.filter(**{path: get_study(name=self.study)}) if self.study else rows


class ReadingCommand(ParametersCommand):
    """Calls `read` with the subject and the parameters that it has, and prints the answer."""

    read: ClassVar[Callable[..., Answer]]
    subject: ClassVar[str | None]
    parameters: ClassVar[type[Any]]

    def add_arguments(self, parser: CommandParser) -> None:
        if self.subject:
            self.add_named(parser, self.subject)
        self.add_fields(parser, fields_of(self.parameters))

    def handle(self, **options: Any) -> None:
        with self.usage_errors():
            parameters = read_parameters(self.parameters, self.sent(self.parameters, options))
        arguments = [_FINDERS[self.subject](name=options["subject"])] if self.subject else []
        if self.parameters is not NoParameters:
            arguments.append(parameters)
        answer = type(self).read(*arguments)
        self.print_result(options, answer.result, answer.lines)
        for note in answer.notes:
            self.note(note)
        if answer.problem:
            raise answer.problem


def reads(
    example: str,
    *,
    subject: str | None = None,
    parameters: type[Any] = NoParameters,
    needs_databases: bool = True,
) -> Callable[[Callable[..., Answer]], type[ReadingCommand]]:
    """Make a function a command: noun and verb are the example's, the help is its docstring."""

    def command(read: Callable[..., Answer]) -> type[ReadingCommand]:
        members = {
            "help": " ".join((inspect.getdoc(read) or "").split()),
            "example": example,
            "read": staticmethod(read),
            "subject": subject,
            "parameters": parameters,
            "needs_databases": needs_databases,
        }
        return type("Command", (ReadingCommand,), members)

    return command


def lists(
    example: str, row: type[BaseSerializer[Any]], columns: Mapping[str, str], **options: Any
) -> Callable[[Callable[..., Iterable[Any]]], type[ReadingCommand]]:
    """Make a query a command: its rows as the API shows them, or some `columns` as a table.

    `columns` are headings with the attributes of a row below them; `options` are those of `reads`.
    """

    def command(find: Callable[..., Iterable[Any]]) -> type[ReadingCommand]:
        @wraps(find)
        def read(*arguments: Any) -> Answer:
            rows = list(find(*arguments))
            return Answer({find.__name__: row(rows, many=True).data}, _table(rows, columns))

        return reads(example, **options)(read)

    return command


def _table(rows: Iterable[Any], columns: Mapping[str, str]) -> list[str]:
    lines = [[*columns], *([_cell(attrgetter(of)(row)) for of in columns.values()] for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in lines]


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(" ".join(map(str, pair)) for pair in value)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, Decimal):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def readings_of(noun: str) -> dict[str, ReadingCommand]:
    """The commands of a noun that read, by verb."""
    name = f"{__name__}.{noun}"
    if importlib.util.find_spec(name) is None:
        return {}
    kinds = [
        kind
        for kind in vars(importlib.import_module(name)).values()
        if inspect.isclass(kind) and issubclass(kind, ReadingCommand)
    ]
    return {kind.example.split()[1]: kind() for kind in kinds}
