"""create_study: what pools, batches and people belong to."""

from annotation.core.commands import OperationCommand
from annotation.studies.operations.create import CREATE_STUDY

Command = OperationCommand.of(
    CREATE_STUDY, "create_study gender-2026 --owner ada --description 'Queries of the dev set'"
)
