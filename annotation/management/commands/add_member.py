"""add_member: give somebody with an account a role in a study."""

from annotation.accounts.operations.members import ADD_MEMBER
from annotation.core.commands import OperationCommand


class Command(OperationCommand):
    operation = ADD_MEMBER
    example = "add_member gender-2026 ada --role adjudicator"
