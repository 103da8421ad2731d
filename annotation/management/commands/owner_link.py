"""owner_link: a link that signs the owner of the site in, once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.operations.owner_links import CREATE_OWNER_LINK
from annotation.core.commands import OperationCommand
from annotation.core.operations import Result
from annotation.management.owner_link import address_of_link, hand_over


class Command(OperationCommand):
    operation = CREATE_OWNER_LINK
    example = "owner_link --site https://fairpool.example.org"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--site",
            default="http://127.0.0.1:8000",
            metavar="URL",
            help="Where people reach the site (default %(default)s).",
        )

    def tell(self, subject: Any, result: Result, options: Mapping[str, Any]) -> None:
        link, site = result.made, options["site"]
        if options["as_json"]:
            handed = replace(result, values={**result.values, "link": address_of_link(link, site)})
        else:
            handed = replace(result, message=hand_over(link, site=site, stdout=self.stdout))
        super().tell(subject, handed, options)
