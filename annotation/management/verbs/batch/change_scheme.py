"""Another scheme, or other words of it, for a draft."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.core.commands import OperationCommand
from annotation.management.arguments import add_scheme_option, scheme_given


class Command(OperationCommand):
    operation = CHANGE_SCHEME
    # Read here, where it is a file.
    left_out = frozenset({"scheme"})

    def add_subject(self, parser: CommandParser) -> None:
        super().add_subject(parser)
        add_scheme_option(
            parser, "What to ask: a built-in scheme, or a YAML file of one.", required=True
        )

    def handle(self, **options: Any) -> None:
        super().handle(**options | {"scheme": scheme_given(options["scheme"])})
