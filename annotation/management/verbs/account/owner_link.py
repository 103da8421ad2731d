"""A link that signs the owner of the site in, once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from annotation.accounts.operations.owner_links import CREATE_OWNER_LINK
from annotation.core.operations import Result
from annotation.management.owner_link import LinkCommand, hand_over, link_address


class Command(LinkCommand):
    operation = CREATE_OWNER_LINK
    example = "account owner-link --site https://fairpool.example.org"

    def tell(self, subject: Any, result: Result, options: Mapping[str, Any]) -> None:
        link, site = result.made, options["site"]
        if options["as_json"]:
            handed = replace(result, values={**result.values, "link": link_address(link, site)})
        else:
            handed = replace(result, message=hand_over(link, site=site, stdout=self.stdout))
        super().tell(subject, handed, options)
