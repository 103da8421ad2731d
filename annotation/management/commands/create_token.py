"""create_token: what a program calls the API with."""

from annotation.accounts.operations.tokens import CREATE_TOKEN
from annotation.core.commands import OperationCommand


class Command(OperationCommand):
    operation = CREATE_TOKEN
    example = "create_token ada"
