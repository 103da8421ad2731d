"""add_member: give somebody with an account a role in a study."""

from annotation.accounts.operations.members import ADD_MEMBER
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(ADD_MEMBER, "add_member gender-2026 ada --role adjudicator")
