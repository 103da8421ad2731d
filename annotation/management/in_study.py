"""What the commands share that may make something in a study, or outside of any."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser

from annotation.core.commands import OperationCommand
from annotation.core.operations import Result
from annotation.management.arguments import add_study_option, study_of


class InStudyCommand(OperationCommand):
    """Does `operation` in the study that `--study` names, or in none."""

    def add_subject(self, parser: CommandParser) -> None:
        add_study_option(parser)

    def find(self, **options: Any) -> Any:
        return study_of(options)

    def tell(self, subject: Any, result: Result, options: Mapping[str, Any]) -> None:
        made = replace(result, message=f"{result.values['name']}: {result.message}")
        super().tell(subject, made, options)
