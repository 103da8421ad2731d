"""Let annotators in, by an account, an invite link or an external panel."""

import getpass
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from datetime import timedelta
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError
from django.utils import timezone

from mturk_local.addresses import address, endpoint
from mturk_local.lifecycle.panel_keys import is_keys_url
from mturk_local.lifecycle.visits import invite_create, invite_revoke, invite_token
from mturk_local.models import EntryChannel, Invite, Panel, Worker
from mturk_local.numbers import whole_number
from mturk_local.workers import worker_create, worker_sign_out_everywhere

_EXAMPLE = """Examples:
  {prog} account anna --country AT
  {prog} invite --note Anna --days 14
  {prog} panel prolific-1 --provider prolific --completion-code C1A2B3"""


class Command(BaseCommand):
    help = "Let annotators in: an account, an invite link, or an external panel's study."
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.epilog = _EXAMPLE.format(prog=parser.prog)
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        channels = parser.add_subparsers(dest="channel", required=True)
        account = channels.add_parser("account", help="An account with a password, asked for here.")
        account.add_argument("username")
        account.add_argument("--person", default="", help="Who it is, if known by another channel.")
        account.add_argument("--country", default="", help="Two letters, for Worker_Locale.")
        invite = channels.add_parser("invite", help="A link for one person.")
        invite.add_argument("--note", default="", help="Whom it is for.")
        invite.add_argument("--person", default="", help="Who it is, if known by another channel.")
        invite.add_argument(
            "--days",
            type=whole_number(1, 3_650),
            default=14,
            help="How long it lasts (default 14).",
        )
        revoke = channels.add_parser("revoke", help="Close an invite or an account at once.")
        revoke.add_argument("who", help="The invite's id, or the account's name.")
        panel = channels.add_parser("panel", help="A study on an external panel.")
        panel.add_argument("slug", help="Part of the address that participants are sent to.")
        panel.add_argument("--provider", required=True, help="E.g. prolific, connect, sona.")
        panel.add_argument("--participant-parameter", default="PROLIFIC_PID")
        panel.add_argument("--study-parameter", default="STUDY_ID")
        panel.add_argument("--session-parameter", default="SESSION_ID")
        panel.add_argument(
            "--keys",
            default="",
            metavar="URL",
            help="The panel signs its links: where its public keys are. Prolific's are at "
            "https://api.prolific.com/.well-known/study/jwks.json.",
        )
        panel.add_argument(
            "--audience", default="", help="The domain that links are signed for (this site's)."
        )
        panel.add_argument("--token-parameter", default="prolific_token")
        panel.add_argument(
            "--claim", default="prolific", help="The member of the token that says who it is."
        )
        panel.add_argument("--group", default="", help="HITGroupId of the only HITs on offer.")
        panel.add_argument(
            "--tasks", type=whole_number(1, 1_000), default=1, help="Tasks per visit (default 1)."
        )
        panel.add_argument("--completion-code", required=True)
        panel.add_argument("--completion-url", default="")
        for end in ("screen-out", "no-consent", "withdrawal"):
            panel.add_argument(f"--{end}-code", default="")
            panel.add_argument(f"--{end}-url", default="")

    def handle(self, *_args: Any, channel: str, **options: Any) -> None:
        channels = {
            "account": self._account,
            "invite": self._invite,
            "revoke": self._revoke,
            "panel": self._panel,
        }
        try:
            channels[channel](options)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except IntegrityError as error:
            raise CommandError("There is one of this name already. Choose another.") from error

    def _account(self, options: dict[str, Any]) -> None:
        password = getpass.getpass("Password: ")
        if not password:
            raise CommandError("An account needs a password.")
        validate_password(password, User(username=options["username"]))  # looks at the name
        worker = worker_create(
            entry_channel=EntryChannel.ACCOUNT,
            username=options["username"],
            password=password,
            person=options["person"],
            country=options["country"],
        )
        self.stdout.write(f"{options['username']} is worker {worker.worker_id}.")

    def _invite(self, options: dict[str, Any]) -> None:
        invite = invite_create(
            note=options["note"],
            person=options["person"],
            lasts=timedelta(days=options["days"]),
            now=timezone.now(),
        )
        self._print_address("crowd-join-invited", invite_token(invite))
        self.stdout.write(f"Take it back with: channel revoke {invite.invite_id}")

    def _revoke(self, options: dict[str, Any]) -> None:
        invite = Invite.objects.filter(invite_id=options["who"]).first()
        worker = Worker.objects.filter(username=options["who"]).first()
        if invite is not None:
            invite_revoke(invite=invite, now=timezone.now())
        elif worker is not None:
            Worker.objects.filter(pk=worker.pk).update(active=False)
            worker_sign_out_everywhere(worker=worker)
        else:
            raise CommandError(f"There is neither an invite nor an account {options['who']!r}.")
        self.stdout.write("Closed. What was handed in stays.")

    def _panel(self, options: dict[str, Any]) -> None:
        if options["keys"] and not is_keys_url(options["keys"]):
            raise CommandError(
                "Keys have to come over https: --keys https://..., or from a host that "
                "MTURK_LOCAL_KEYS_HOSTS lists."
            )
        panel = Panel(
            keys_url=options["keys"],
            audience=options["audience"] or urlsplit(endpoint()).hostname or "",
            token_parameter=options["token_parameter"],
            token_claim=options["claim"],
            slug=options["slug"],
            provider=options["provider"],
            participant_parameter=options["participant_parameter"],
            study_parameter=options["study_parameter"],
            session_parameter=options["session_parameter"],
            hit_group_id=options["group"],
            tasks_per_visit=options["tasks"],
            completion_code=options["completion_code"],
            completion_url=options["completion_url"],
            screen_out_code=options["screen_out_code"],
            screen_out_url=options["screen_out_url"],
            no_consent_code=options["no_consent_code"],
            no_consent_url=options["no_consent_url"],
            withdrawal_code=options["withdrawal_code"],
            withdrawal_url=options["withdrawal_url"],
        )
        panel.full_clean()
        panel.save(force_insert=True)
        self._print_address("crowd-panel", panel.slug)
        if not panel.keys_url:
            self.stdout.write(
                "Its links are not signed: votes count once the panel's list of approved "
                "submissions is imported."
            )

    def _print_address(self, name: str, end: str) -> None:
        """The address of a page; on standard error, if nobody elsewhere reaches it."""
        whole = address(name, end)
        self.stdout.write(whole)
        if _is_loopback(urlsplit(whole).hostname or ""):
            self.stderr.write(
                "Only this machine can reach this address. For others, set MTURK_LOCAL_ENDPOINT "
                "to this machine's name or number in their network, as in "
                "http://192.168.1.20:8000/mturk/, and serve there (--host)."
            )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
