"""`manage.py NOUN VERB`: the verbs of a noun are its operations, its readings and its modules.

An operation has its verb by being registered, and what reads by being declared in `readings`. A
module below `verbs` is for those whose command does more.
"""

import importlib
import pkgutil
import re
import sys
from argparse import REMAINDER, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.database_faults import DATABASE_ERRORS, fault_of
from annotation.core.parameters import nearest
from annotation.management import verbs


class Noun(BaseCommand):
    """The command of the noun that its module is named after."""

    requires_system_checks: list[str] = []
    #: The noun has none of Django's options; its verbs have them.
    suppressed_base_arguments = {
        *("--version", "--verbosity", "--settings", "--pythonpath"),
        *("--traceback", "--no-color", "--force-color"),
    }

    @property
    def noun(self) -> str:
        return type(self).__module__.rpartition(".")[2]

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.usage = f"{parser.prog} VERB ..."
        lines = (
            f"  {verb:<19} {_summary(command)}" for verb, command in commands_of(self.noun).items()
        )
        parser.epilog = "\n".join(
            ["verbs:", *lines, "", f"A verb explains itself: {parser.prog} VERB --help"]
        )
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", metavar="VERB", help="One of those below.")
        parser.add_argument("arguments", nargs=REMAINDER, metavar="...", help="Those of the verb.")

    def run_from_argv(self, argv: list[str]) -> None:
        """Hand over to the verb, which reads the rest of the command line and ends as it does."""
        command = command_of(self.noun, argv[2]) if argv[2:] else None
        if command:
            try:
                command.run_from_argv([f"{argv[0]} {argv[1]}", *argv[2:]])
            except DATABASE_ERRORS as error:  # the crowd service's own commands let them through
                if (fault := fault_of(error)) is None:
                    raise
                sys.exit(f"CommandError: {fault}")
        else:
            super().run_from_argv(argv)

    def uses_databases(self, arguments: Sequence[str]) -> bool:
        """Return whether the verb at the head of `arguments` needs the site's databases."""
        command = command_of(self.noun, arguments[0]) if arguments else None
        return getattr(command, "needs_databases", True)

    def handle(self, *_args: Any, verb: str, arguments: list[str], **options: Any) -> None:
        command = command_of(self.noun, verb)
        if command is None:
            known = nearest(verb, commands_of(self.noun))
            raise CommandError(f"{self.noun} has no verb {verb!r}; {known}", returncode=2)
        streams = {name: options[name] for name in ("stdout", "stderr") if options.get(name)}
        call_command(command, *arguments, **streams)


def commands_of(noun: str) -> dict[str, BaseCommand]:
    """The commands of a noun by their verbs, in the order of the alphabet."""
    own = {verb: _load(path) for verb, path in _modules(noun).items()}
    return dict(sorted((_derived(noun) | own).items()))


def command_of(noun: str, verb: str) -> BaseCommand | None:
    """The command of a verb; None if there is no such verb."""
    path = _modules(noun).get(verb)
    return _load(path) if path else _derived(noun).get(verb)


def nouns() -> list[str]:
    """The nouns that have verbs."""
    return sorted(module.name for module in pkgutil.iter_modules(verbs.__path__))


def _modules(noun: str) -> dict[str, str]:
    """The modules of a noun by their verbs; those of the crowd service are its own."""
    packages = [f"{verbs.__name__}.{noun}"]
    if noun == "crowd":
        packages.insert(0, settings.CROWD_COMMANDS)
    folders = {package: importlib.import_module(package).__path__ for package in packages}
    return {
        module.name.replace("_", "-"): f"{package}.{module.name}"
        for package, folder in folders.items()
        for module in pkgutil.iter_modules(folder)
    }


def _load(path: str) -> BaseCommand:
    command: BaseCommand = importlib.import_module(path).Command()
    return command


def _derived(noun: str) -> dict[str, BaseCommand]:
    """Import the operations only here: with SciPy, Matplotlib and more they take a second."""
    derived = importlib.import_module("annotation.management.derived")
    readings = importlib.import_module("annotation.management.readings")
    return {**derived.commands_of(noun), **readings.readings_of(noun)}


def _summary(command: BaseCommand) -> str:
    """The first clause of a command's help."""
    return re.split(r"[.:;]( |$)", " ".join(command.help.split()), maxsplit=1)[0]
