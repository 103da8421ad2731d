"""The key pair with which the platform signs its calls to the crowd service."""

import json
import re
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from mturk_local import money
from mturk_local.addresses import endpoint
from mturk_local.keys import key_file_ensure, key_pair_issue
from mturk_local.lifecycle.funds import deposit


class Command(BaseCommand):
    help = (
        "Make sure that the key file of the local requester exists and is valid, and print the "
        "pair on a terminal. Elsewhere it might end in a log, so it is printed only with --json "
        "or --shell. Running it again changes nothing. With --new, issue another pair and only "
        "print it."
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.epilog = f"Example:\n  {parser.prog} --requester lab-2 --new"
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--requester", default="fairpool", help="Name of the requester (default: fairpool)."
        )
        parser.add_argument(
            "--new", action="store_true", help="Issue a further pair and print it; no file changes."
        )
        parser.add_argument(
            "--deposit",
            metavar="USD",
            help="Also pay this much play money into the requester's account, e.g. 5000.",
        )
        parser.add_argument("--quiet", action="store_true", help="Print nothing.")
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="Print one JSON object."
        )
        parser.add_argument(
            "--shell",
            action="store_true",
            help='Print what a shell sets for boto3 and the AWS CLI: eval "$(... key --shell)".',
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        path = Path(settings.MTURK_LOCAL_KEY_FILE)
        is_printed = self.stdout.isatty() or options["as_json"] or options["shell"]
        if options["new"] and not (is_printed or options["quiet"]):
            raise CommandError("the pair is printed on a terminal only, or with --json or --shell.")
        if options["new"]:
            pair = key_pair_issue(requester_name=options["requester"])
        else:
            pair = key_file_ensure(path, requester_name=options["requester"])
        if options["deposit"]:
            deposit(pair.requester, _cents(options["deposit"]))
        content = {
            "access_key_id": pair.access_key_id,
            "secret_access_key": pair.secret_access_key,
            "endpoint": endpoint(),
        }
        if options["quiet"]:
            return
        if options["as_json"]:
            self.stdout.write(json.dumps(content, indent=2))
            return
        if not is_printed:
            self.stdout.write(f"{path} has the pair; a terminal shows it, --json and --shell.")
            return
        self.stdout.write(
            f"export AWS_ACCESS_KEY_ID={content['access_key_id']}\n"
            f"export AWS_SECRET_ACCESS_KEY={content['secret_access_key']}\n"
            f"export AWS_ENDPOINT_URL_MTURK={content['endpoint']} AWS_DEFAULT_REGION=us-east-1"
        )


def _cents(written: str) -> int:
    if not re.fullmatch(r"[0-9]{1,8}(\.[0-9]{1,2})?", written):
        raise CommandError(f"{written!r} is not an amount. Write e.g. 5000 or 12.50.")
    return money.cents(written)
