"""duplicate_study: a study like another one, without its votes."""

from annotation.core.commands import OperationCommand
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY

Command = OperationCommand.of(DUPLICATE_STUDY, "duplicate_study gender-2026 --name gender-2027")
