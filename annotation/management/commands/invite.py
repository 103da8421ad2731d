"""invite: a link that makes whoever opens it first a member of a study."""

from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse

from annotation.accounts.operations.invites import INVITE_MEMBER
from annotation.accounts.queries.members import study_get
from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.vocabulary import Role
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Print a link that makes one person a member of a study, within seven days. "
        "It is shown once: the database keeps its SHA-256 only."
    )
    example = "invite gender-2026 --role annotator --site https://fairpool.example.org"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")
        parser.add_argument(
            "--role",
            choices=Role.values,
            default=Role.VIEWER,
            help="What the person will be allowed to do (default viewer).",
        )
        parser.add_argument(
            "--site",
            default="http://127.0.0.1:8000",
            metavar="URL",
            help="Where people reach the site (default %(default)s).",
        )

    def handle(self, **options: Any) -> None:
        study = study_get(name=options["study"])
        sent = {"role": options["role"]}
        invite = perform_here(INVITE_MEMBER, study, sent, Actor(actor())).made
        link = options["site"].rstrip("/") + reverse("invite", args=[invite.token])
        if options["as_json"]:
            expires = invite.expires_at.isoformat(timespec="seconds")
            said = {"study": study.name, "role": invite.role, "link": link, "expires_at": expires}
            self.print_json(said)
            return
        self.stdout.write(link)
        self.note(f"One person can use it until {invite.expires_at:%Y-%m-%d %H:%M} UTC.")
