"""create_token: what a program calls the API with."""

from annotation.accounts.operations.tokens import CREATE_TOKEN
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(CREATE_TOKEN, "create_token ada")
