"""Command: a link that makes the first person who opens it a member of a study."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.urls import reverse

from annotation.accounts.operations.invites import INVITE_MEMBER
from annotation.core.operations import Result
from annotation.management.owner_link import LinkCommand


class Command(LinkCommand):
    operation = INVITE_MEMBER
    example = "study invite-member gender-2026 --role annotator --site https://fairpool.example.org"

    def tell(self, subject: Any, result: Result, options: Mapping[str, Any]) -> None:
        link = options["site"].rstrip("/") + reverse("invite", args=[result.made.token])
        with_link = replace(result, values={**result.values, "link": link}, message=link)
        super().tell(subject, with_link, options)
