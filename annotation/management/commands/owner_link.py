"""owner_link: a link that signs the owner of the site in, once."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.operations.owner_links import owner_link_create
from annotation.management.owner_link import address_of_link, hand_over
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Print a link that signs the owner of the site in, once, within fifteen minutes; where the "
        "output is no terminal, the path of a file with the link that only you can read. Without "
        "an account, it makes the first: `owner`, a superuser who can set a password then."
    )
    example = "owner_link --site https://fairpool.example.org"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--user", default="", metavar="NAME", help="Another member of staff to sign in."
        )
        parser.add_argument(
            "--site",
            default="http://127.0.0.1:8000",
            metavar="URL",
            help="Where people reach the site (default %(default)s).",
        )

    def handle(self, **options: Any) -> None:
        link = owner_link_create(username=options["user"])
        if options["as_json"]:
            expires = link.expires_at.isoformat(timespec="seconds")
            address = address_of_link(link, options["site"])
            self.print_json(
                {"user": link.user.get_username(), "link": address, "expires_at": expires}
            )
            return
        self.stdout.write(hand_over(link, site=options["site"], stdout=self.stdout))
        name = link.user.get_username()
        self.note(f"Signs {name} in, once, until {link.expires_at:%Y-%m-%d %H:%M} UTC.")
