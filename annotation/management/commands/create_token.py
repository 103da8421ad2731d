"""create_token: what a program calls the API with."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.operations.tokens import token_create
from annotation.accounts.queries.members import user_get
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Print a token of the API for a person: whoever has it may do what the person may, until "
        "it ends. It cannot be shown again."
    )
    example = "create_token ada"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="User name of the account.")

    def handle(self, **options: Any) -> None:
        stored, token = token_create(user=user_get(username=options["user"]))
        if options["as_json"]:
            self.print_json({"token": token, "expires_at": stored.expiry.isoformat()})
            return
        self.stdout.write(token)
        self.note(f"It ends on {stored.expiry:%Y-%m-%d}. Send it as: Authorization: Bearer TOKEN")
