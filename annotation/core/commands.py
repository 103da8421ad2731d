"""The command of an operation, derived from its parameters; see docs/recipes.md."""

import getpass
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from annotation.core.consent import Estimate
from annotation.core.operations import Actor, AnyOperation, Result
from annotation.core.options import ParametersCommand
from annotation.core.parameters import read_parameters
from annotation.core.perform import batch_of, estimate, perform_here
from annotation.models import Batch
from annotation.vocabulary import Environment
from metrics.errors import InputError


class OperationCommand(ParametersCommand):
    """Does `operation` here and now; ranges, states, money and words are the operation's own."""

    operation: ClassVar[AnyOperation]

    @classmethod
    def of(cls, operation: AnyOperation, example: str) -> Any:
        """The command of this operation, with one real call to show."""
        return type("Command", (cls,), {"operation": operation, "example": example})

    @property
    def help(self) -> str:  # type: ignore[override]
        """What the operation says about itself."""
        return self.operation.about

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_subject(parser)
        self.add_parameters(parser, self.operation)
        parser.add_argument("--dry-run", action="store_true", help="Say what it would do and cost.")
        if self.operation.asks_first:
            parser.add_argument("--yes", action="store_true", help="Do not ask (no real money).")

    def handle(self, **options: Any) -> None:
        subject, who = self.find(**options), Actor(actor())
        sent = self.sent(self.operation.parameters, options)
        with self.usage_errors():
            if options["dry_run"]:
                self._show(estimate(self.operation, subject, sent, who), options)
                return
            agreed = self._agreed(subject, sent, who, options)
            terms = read_parameters(self.operation.parameters, sent)
            total, title = self.operation.units(subject, terms), self.operation.title
            with self.progress(options, title, total, "HITs") as step:
                result = perform_here(self.operation, subject, sent, who, agreed, advance=step)
        self.tell(subject, result, options)

    def add_subject(self, parser: CommandParser) -> None:
        """The argument that names what the operation is done to."""
        if self.operation.subject is not None:
            noun = self.operation.subject.__name__.lower()
            parser.add_argument("subject", metavar=noun.upper(), help=f"Name of the {noun}.")

    def find(self, **options: Any) -> Any:
        """What the operation is done to."""
        kind: Any = self.operation.subject
        if kind is None:
            return None
        rows = kind.everything if self.operation.of_removed else kind.objects
        found = rows.filter(name=options["subject"]).order_by("-pk").first()
        if found is None:
            known = ", ".join(kind.objects.values_list("name", flat=True)[:10]) or "none"
            noun, name = kind.__name__.lower(), options["subject"]
            raise InputError(f"there is no {noun} named {name!r}.", remedy=f"There is: {known}.")
        return found

    def tell(self, subject: Any, result: Result, options: Mapping[str, Any]) -> None:
        """Say what came of it."""
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
        cost, left, facts = estimated.cost, estimated.budget_left, estimated.facts
        lines = [*facts, ("Cost", f"{cost} USD")]
        if left is not None:
            beyond = ", which is not enough" if estimated.is_beyond_budget else ""
            lines.append(("Left in the budget", f"{left} USD{beyond}"))
        shown = {"cost": cost, "facts": dict(facts), "budget_left": left}
        self.print_result(options, shown, (f"{term}: {value}" for term, value in lines))

    def _agreed(
        self, subject: Any, sent: Mapping[str, Any], who: Actor, options: Mapping[str, Any]
    ) -> Decimal | None:
        """The cost that a person agrees to: as an option, or asked for on a terminal."""
        typed, batch = options["agreed"], batch_of(subject)
        is_real = batch is not None and batch.environment == Environment.PRODUCTION
        if typed is None and is_real:
            cost = estimate(self.operation, subject, sent, who).cost
            typed = ask(f"{cost} USD of real money. Type it: ") if cost else None
        elif batch is not None and self.operation.asks_first and not options["yes"]:
            cost, where = estimate(self.operation, subject, sent, who).cost, batch.environment
            question = f"{self.operation.title} to {where} for {cost} USD? [y/N] "
            if not is_real and not (ask(question) or "").startswith("y"):
                raise InputError("nothing was done.", remedy="Answer y, or give --yes.")
        return self.amount(typed)


def actor() -> str:
    """Who types the command, for the record of what was done."""
    try:
        return f"{getpass.getuser()} (command line)"
    except OSError:
        return "command line"


def ask(question: str) -> str | None:
    """What a person answers; nothing where there is no person."""
    return input(question).strip().lower() if sys.stdin.isatty() else None
