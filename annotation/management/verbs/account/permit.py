"""Command: permits of an account, to begin studies, publish and pay."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.operations.permits import SET_PERMITS
from annotation.accounts.queries.members import get_user
from annotation.accounts.queries.permits import permits_of
from annotation.core.base_command import FairpoolCommand
from annotation.core.operations import Actor
from annotation.core.origin import actor
from annotation.core.parameters import read_parameters
from annotation.core.perform import perform_here
from annotation.vocabulary import Permit


class Command(FairpoolCommand):
    help = (
        "Give an account permissions in addition to its roles (to begin studies, to publish, to "
        "pay), or show which it has. Members of staff have them all."
    )
    example = "account permit ada create_studies publish pay"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="User name of the account.")
        parser.add_argument(
            "permits",
            nargs="*",
            metavar="PERMISSION",
            help=f"To give: {', '.join(Permit.values)}. None: show what the account has.",
        )
        parser.add_argument("--withdraw", action="store_true", help="Take them instead of giving.")

    def handle(self, **options: Any) -> None:
        user = get_user(username=options["user"])
        before, named = permits_of(user=user).permits, set(options["permits"])
        if named:
            # Withdrawing a permit that the account lacks is a slip, too.
            read_parameters(SET_PERMITS.parameters, {"user": options["user"], "permits": [*named]})
            now = before - named if options["withdraw"] else before | named
            values = {"user": options["user"], "permits": sorted(now)}
            perform_here(SET_PERMITS, None, values, Actor(actor()))
            user = get_user(username=options["user"])
        has = sorted(permits_of(user=user).permits)
        result = {"user": user.get_username(), "permits": has}
        self.print_result(options, result, f"{user.get_username()}: {', '.join(has) or 'none'}")
