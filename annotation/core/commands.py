"""The command of an operation, derived from its parameters; see docs/recipes.md."""

import shlex
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from annotation.core.consent import Estimate
from annotation.core.operations import Actor, AnyOperation, Result
from annotation.core.options import ParametersCommand, secrets_of, words_of
from annotation.core.origin import actor
from annotation.core.parameters import check_parameters, fields_of, read_parameters
from annotation.core.perform import estimate, perform, perform_here
from annotation.models import Assignment, Batch, Study
from metrics.errors import InputError

#: The noun of an operation's command, and the name in its example, by the kind of its subject.
_NOUNS: Mapping[Any, str] = {Study: "study", Batch: "batch", Assignment: "batch"}
_EXAMPLES: Mapping[Any, tuple[str, ...]] = {
    Study: ("gender-2026",),
    Batch: ("first",),
    Assignment: ("first", "3ABC"),
    None: (),
}


class OperationCommand(ParametersCommand):
    """Does `operation` here and now; ranges, states, money and texts are the operation's own."""

    operation: ClassVar[AnyOperation]

    @classmethod
    def of(cls, operation: AnyOperation) -> "OperationCommand":
        """The command of this operation."""
        made: OperationCommand = type("Command", (cls,), {"operation": operation})()
        return made

    @property
    def help(self) -> str:  # type: ignore[override]
        """The operation's description of itself."""
        return self.operation.about

    @property
    def example(self) -> str:  # type: ignore[override]
        """A call with the values that the operation shows as an example."""
        values, fields = self.operation.example, fields_of(self.operation.parameters)
        options = [word for name in values for word in words_of(name, values[name], fields)]
        return shlex.join([*words_of_command(self.operation), *self.example_subject(), *options])

    def example_subject(self) -> tuple[str, ...]:
        """The words that name the subject in the example."""
        return _EXAMPLES[self.operation.subject]

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_subject(parser)
        self.add_parameters(parser, self.operation)
        parser.add_argument(
            "--by", default=actor(), help="Who does it, for the log (default: your user name here)."
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Print what it would do and cost."
        )
        if self.operation.asks_first:
            parser.add_argument("--yes", action="store_true", help="Do not ask (no real money).")
        if self.operation.job:
            parser.add_argument(
                "--background",
                action="store_true",
                help="Run it as a background job; see `job list`.",
            )

    def handle(self, **options: Any) -> None:
        kind, who = self.operation.parameters, Actor(options["by"])
        options |= secrets_of(kind)
        with self.usage_errors():
            # Typing errors are reported before anything is looked up.
            check_parameters(kind, self.sent(kind, options))
            subject = self.find(options)
            values = self.sent(kind, options)
            if options["dry_run"]:
                self._show(estimate(self.operation, subject, values, who), options)
                return
            agreed = self._agreed(subject, values, who, options)
            if options.get("background"):
                self._queued(perform(self.operation, subject, values, who, agreed), options)
                return
            terms = read_parameters(kind, values)
            total, title = self.operation.units(subject, terms), self.operation.title
            with self.progress(options, title, total, self.operation.unit) as step:
                result = perform_here(self.operation, subject, values, who, agreed, advance=step)
        self.tell(subject, result, options)

    def add_subject(self, parser: CommandParser) -> None:
        """The argument that names what the operation is done to."""
        if self.operation.subject is not None:
            self.add_named(parser, self.operation.subject.__name__.lower())

    def find(self, options: dict[str, Any]) -> Any:
        """The object of the operation."""
        kind: Any = self.operation.subject
        if kind is None:
            return None
        rows = kind.everything if self.operation.of_removed else kind.objects
        subject = rows.filter(name=options["subject"]).order_by("-pk").first()
        if subject is None:
            known = ", ".join(kind.objects.values_list("name", flat=True)[:10]) or "none"
            noun, name = kind.__name__.lower(), options["subject"]
            raise InputError(f"there is no {noun} named {name!r}.", remedy=f"Known are: {known}.")
        return subject

    def tell(self, subject: Any, result: Result, options: Mapping[str, Any]) -> None:
        """Print the result."""
        named = {"name": subject.name} if isinstance(subject, Batch) else {}
        lines = [": ".join([*named.values(), result.message])]
        if address := result.values.get("url"):
            lines.append(address)
        self.print_result(options, {**named, **result.values}, lines)
        if result.note:
            self.note(result.note)
        if result.problem:
            raise InputError(result.problem)

    def _show(self, estimated: Estimate, options: Mapping[str, Any]) -> None:
        result = {
            "cost": estimated.cost,
            "facts": dict(estimated.facts),
            "budget_left": estimated.budget_left,
        }
        self.print_result(options, result, _facts(estimated))

    def _queued(self, task: Any, options: Mapping[str, Any]) -> None:
        line = f"Task {task.pk}: {task.get_kind_display()}, {task.subject}."
        self.print_result(options, {"task": task.pk, "state": task.state}, line)

    def _agreed(
        self, subject: Any, values: Mapping[str, Any], who: Actor, options: Mapping[str, Any]
    ) -> Decimal | None:
        """The cost that a person agrees to: as an option, or asked for on a terminal."""
        typed, is_real = options.get("agreed"), self.operation.is_real(subject)
        if typed is None and is_real and self.operation.spends:
            cost = estimate(self.operation, subject, values, who).cost
            typed = ask(f"{cost} USD of real money. Type it: ") if cost else None
        elif self.operation.asks_first and not (is_real or options["yes"]):
            facts = "; ".join(_facts(estimate(self.operation, subject, values, who)))
            if not (ask(f"{self.operation.title}? {facts} [y/N] ") or "").startswith("y"):
                raise InputError("nothing was done.", remedy="Answer y, or give --yes.")
        return self.amount(typed)


def words_of_command(operation: AnyOperation) -> list[str]:
    """Noun and verb of the operation's command; none if it has no command."""
    if operation.command is None or operation.command:
        return (operation.command or "").split()
    return [_NOUNS[operation.subject], operation.name.replace(" ", "-")]


def _facts(estimated: Estimate) -> Iterator[str]:
    yield from (f"{term}: {value}" for term, value in estimated.facts)
    if estimated.cost or not estimated.facts:
        yield f"Cost: {estimated.cost} USD"
    if estimated.budget_left is not None:
        beyond = ", which is not enough" if estimated.is_beyond_budget else ""
        yield f"Left in the budget: {estimated.budget_left} USD{beyond}"


def ask(question: str) -> str | None:
    """Ask a person; return nothing without a terminal."""
    return input(question).strip().lower() if sys.stdin.isatty() else None
