"""Options of the command line, derived from the parameters of operations."""

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandParser
from rest_framework import serializers

from annotation.core.consent import ConsentError
from annotation.core.operations import AnyOperation
from annotation.core.parameters import MOST_USD, ParametersError, fields_of, nearest
from metrics.management.command import FairpoolCommand


class ParametersCommand(FairpoolCommand):
    """What commands share that take the parameters of operations."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        self.parser = super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)
        return self.parser

    def run_from_argv(self, argv: list[str]) -> None:
        """Refuse an unknown option with the nearest known one."""
        self._called_from_command_line = True
        parser = self.create_parser(argv[0], argv[1])
        known = re.findall(r"--[a-z][a-z-]*", parser.format_help())
        for name in (one.partition("=")[0] for one in argv[2:] if one.startswith("--")):
            if name not in known:
                parser.error(f"{name} is not known; {nearest(name, known)}")
        super().run_from_argv(argv)

    def add_parameters(self, parser: ArgumentParser, *operations: AnyOperation) -> None:
        """An option for each parameter, and for what is agreed to.

        Of several operations at once no option is required: each says what it lacks.
        """
        fields = {k: v for one in operations for k, v in fields_of(one.parameters).items()}
        for name, field in fields.items():
            _add_option(parser, name, field, required=field.required and len(operations) == 1)
        amount = [] if "amount" in fields else ["--amount"]
        parser.add_argument(
            *("--agreed", *amount),
            dest="agreed",
            metavar="USD",
            help="Real money only: the exact cost, typed by a person.",
        )

    def sent(self, operation: AnyOperation, options: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that were given."""
        names = fields_of(operation.parameters)
        return {name: options[name] for name in names if options[name] is not None}

    def amount(self, typed: str | None) -> Decimal | None:
        """The amount that was typed."""
        if typed is None:
            return None
        try:
            amount = Decimal(typed)
        except InvalidOperation:
            amount = Decimal("NaN")
        if not amount.is_finite() or not 0 <= amount <= MOST_USD:
            raise ParametersError({"agreed": ["That is no amount of US dollars."]})
        return amount

    @contextmanager
    def usage_errors(self) -> Iterator[None]:
        """End as argparse does for what it finds itself where a parameter cannot be used."""
        try:
            yield
        except ParametersError as error:
            told = [f"argument {_option(name)}: {' '.join(w)}" for name, w in error.errors.items()]
            self.parser.error("; ".join(told))
        except ConsentError as error:
            raise error.told("Give --agreed {cost} to agree.") from None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _add_option(parser: ArgumentParser, name: str, field: Any, *, required: bool) -> None:
    """An option whose value the serializer reads, so that it is refused in one place."""
    told = str(field.help_text or field.label or "").replace("%", "%%")
    if field.style.get("positional"):
        parser.add_argument(name, metavar=name.upper(), help=told)
    elif isinstance(field, serializers.BooleanField):
        parser.add_argument(_option(name), action="store_true", default=None, help=told)
    else:
        usual = field.default not in (serializers.empty, None, "")
        choices = list(field.choices) if isinstance(field, serializers.ChoiceField) else None
        parser.add_argument(
            _option(name),
            required=required,
            choices=choices,
            metavar=None if choices else name.upper(),
            help=f"{told} (default: {field.default})" if usual else told,
        )
