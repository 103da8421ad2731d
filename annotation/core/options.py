"""Options of the command line, derived from the parameters of operations."""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from getpass import getpass
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from rest_framework import serializers

from annotation.core.amounts import parse_amount
from annotation.core.base_command import FairpoolCommand
from annotation.core.consent import ConsentError
from annotation.core.operations import AnyOperation
from annotation.core.parameters import (
    ParametersError,
    PathField,
    fields_of,
    nearest,
)
from metrics.errors import InputError

#: Kinds of fields whose values are more than one text.
_COMPLEX = (serializers.BaseSerializer, serializers.DictField, serializers.RelatedField)


class ParametersCommand(FairpoolCommand):
    """Base of commands that take the parameters of operations."""

    #: Parameters that the command gets by other means.
    left_out: ClassVar[frozenset[str]] = frozenset()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        #: Options by parameter, if their names differ, for errors.
        self._options: dict[str, str] = {}
        self.parser = super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)
        return self.parser

    def run_from_argv(self, argv: list[str]) -> None:
        """Refuse an unknown option with the nearest known one."""
        self._called_from_command_line = True
        parser = self.create_parser(argv[0], argv[1])
        known = re.findall(r"--[a-z][a-z-]*", parser.format_help())
        for name in (word.partition("=")[0] for word in argv[2:] if word.startswith("--")):
            if name not in known:
                parser.error(f"{name} is not known; {nearest(name, known)}")
        super().run_from_argv(argv)

    def add_named(self, parser: ArgumentParser, noun: str) -> None:
        """Add the argument that names the study or batch that the command is about."""
        parser.add_argument("subject", metavar=noun.upper(), help=f"Name of the {noun}.")

    def add_parameters(self, parser: ArgumentParser, operation: AnyOperation) -> None:
        """Add an option for each parameter, and for consent."""
        self.add_fields(parser, fields_of(operation.parameters))
        if operation.spends:
            parser.add_argument(
                "--agreed",
                metavar="USD",
                help="Real money only: the exact cost, typed by a person.",
            )

    def add_fields(self, parser: ArgumentParser, fields: Mapping[str, Any]) -> None:
        """Add an option for each field; values that are not text are left to the command."""
        for name, field in fields.items():
            if _is_text(field) and not _is_secret(field) and name not in self.left_out:
                _add_option(parser, name, field)
                self._options[name] = _option(name, field)

    def sent(self, kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters given on the command line."""
        return {name: options[name] for name in fields_of(kind) if options.get(name) is not None}

    def amount(self, typed: str | None) -> Decimal | None:
        """Return the amount as typed."""
        if typed is None:
            return None
        try:
            return parse_amount(typed)
        except InputError:
            raise ParametersError({"agreed": ["That is not an amount of US dollars."]}) from None

    @contextmanager
    def usage_errors(self) -> Iterator[None]:
        """Report an invalid parameter as argparse reports its own errors."""
        try:
            yield
        except ParametersError as error:
            errors = [
                f"argument {self._options.get(name, _option(name, None))}: {' '.join(wrong)}"
                for name, wrong in error.errors.items()
            ]
            self.parser.error("; ".join(errors))
        except ConsentError as error:
            raise error.in_words("Give --agreed {cost} to agree.") from None


def _is_text(field: Any) -> bool:
    """Return whether the field's value can be written as text on the command line."""
    return not isinstance(getattr(field, "child", field), _COMPLEX)


def words_of(name: str, value: Any, fields: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line that give a parameter this value."""
    field = fields.get(name)
    if field is not None and _is_secret(field):
        return []
    option = [] if field is not None and field.style.get("positional") else [_option(name, field)]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for item in values for word in (option if item is True else [*option, str(item)])]


def _option(name: str, field: Any) -> str:
    name = field.style.get("option", name) if field is not None else name
    return f"--{name.replace('_', '-')}"


def _is_secret(field: Any) -> bool:
    return bool(field.style.get("secret"))


def secrets_of(kind: type[Any]) -> dict[str, str]:
    """Return the secret parameters, which are not options, as the list of processes shows these."""
    return {name: _ask_for(field) for name, field in fields_of(kind).items() if _is_secret(field)}


def _ask_for(field: Any) -> str:
    if sys.stdin.isatty():
        return getpass(f"{field.label}: ")
    return sys.stdin.readline().rstrip("\n")


def _add_option(parser: ArgumentParser, name: str, field: Any) -> None:
    """Add an option whose value the serializer reads, so that one place refuses it."""
    help_text = str(field.help_text or field.label or "").replace("%", "%%")
    option = _option(name, field)
    if field.style.get("positional"):
        # One with a default may be left out.
        how: dict[str, Any] = {} if field.required else {"nargs": "?"}
        kind: Any = Path if isinstance(field, PathField) else str
        parser.add_argument(name, type=kind, metavar=name.upper(), help=help_text, **how)
    elif isinstance(field, serializers.BooleanField):
        parser.add_argument(option, dest=name, action="store_true", default=None, help=help_text)
    else:
        is_list = isinstance(field, serializers.ListField)
        chosen = field.child if is_list else field
        choices = list(chosen.choices) if isinstance(chosen, serializers.ChoiceField) else None
        parser.add_argument(
            option,
            dest=name,
            required=field.required,
            action="append" if is_list else "store",
            choices=choices,
            metavar=None if choices else option.strip("-").replace("-", "_").upper(),
            help=help_text + (" May be repeated." if is_list else _default(field)),
        )


def _default(field: Any) -> str:
    """Return the end of an optional option's help."""
    usual = field.style.get("usual", field.default)
    # A mutable default is made anew each time: `dict` stands for an empty one.
    if usual in (serializers.empty, None, "", dict, list):
        return ""
    return f" (default: {str(usual).replace('%', '%%')})"
