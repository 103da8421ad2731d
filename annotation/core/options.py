"""Options of the command line, derived from the parameters of operations."""

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from rest_framework import serializers

from annotation.core.consent import ConsentError
from annotation.core.operations import AnyOperation
from annotation.core.parameters import (
    MOST_USD,
    ParametersError,
    PathField,
    fields_of,
    nearest,
)
from metrics.management.command import FairpoolCommand

#: Kinds of fields for whose values one text is not enough.
_COMPLEX = (serializers.BaseSerializer, serializers.ListField, serializers.RelatedField)


class ParametersCommand(FairpoolCommand):
    """What commands share that take the parameters of operations."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        #: By parameter, where their names differ: for errors.
        self._options: dict[str, str] = {}
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
        self.add_fields(parser, fields, may_lack=len(operations) > 1)
        amount = [] if "amount" in fields else ["--amount"]
        parser.add_argument(
            *("--agreed", *amount),
            dest="agreed",
            metavar="USD",
            help="Real money only: the exact cost, typed by a person.",
        )

    def add_fields(
        self, parser: ArgumentParser, fields: Mapping[str, Any], *, may_lack: bool = False
    ) -> None:
        """An option for each field; what no single text can say is left to the command."""
        for name, field in fields.items():
            if not isinstance(field, _COMPLEX):
                _add_option(parser, name, field, required=field.required and not may_lack)
                self._options[name] = _option(field.style.get("option", name))

    def sent(self, kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that were given."""
        return {name: options[name] for name in fields_of(kind) if options.get(name) is not None}

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
            errors = [
                f"argument {self._options.get(name, _option(name))}: {' '.join(wrong)}"
                for name, wrong in error.errors.items()
            ]
            self.parser.error("; ".join(errors))
        except ConsentError as error:
            raise error.in_words("Give --agreed {cost} to agree.") from None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _add_option(parser: ArgumentParser, name: str, field: Any, *, required: bool) -> None:
    """An option whose value the serializer reads, so that it is refused in one place."""
    help_text = str(field.help_text or field.label or "").replace("%", "%%")
    option = _option(field.style.get("option", name))
    if field.style.get("positional"):
        kind: Any = Path if isinstance(field, PathField) else str
        parser.add_argument(name, type=kind, metavar=name.upper(), help=help_text)
    elif isinstance(field, serializers.BooleanField):
        parser.add_argument(option, dest=name, action="store_true", default=None, help=help_text)
    else:
        usual = field.style.get("usual", field.default)
        has_usual = usual not in (serializers.empty, None, "")
        choices = list(field.choices) if isinstance(field, serializers.ChoiceField) else None
        parser.add_argument(
            option,
            dest=name,
            required=required,
            choices=choices,
            metavar=None if choices else option.strip("-").replace("-", "_").upper(),
            help=f"{help_text} (default: {str(usual).replace('%', '%%')})"
            if has_usual
            else help_text,
        )
