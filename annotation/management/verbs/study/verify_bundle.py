"""Compute a bundle's numbers again from its votes."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.core.base_command import FairpoolCommand
from annotation.reports.bundle.verify import verify_bundle

_SHOWN = 20


class Command(FairpoolCommand):
    needs_databases = False
    help = (
        "Check every checksum of a bundle, and compute its labels, agreement and bias again from "
        "the votes and documents in it. Exits 1 and lists what differs. Needs no database."
    )
    example = "study verify-bundle study.zip"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", metavar="B.zip", help="A file that `study bundle` wrote.")

    def handle(self, **options: Any) -> None:
        verified = verify_bundle(options["bundle"])
        if options["as_json"]:
            self.print_json({"ok": verified.ok, **asdict(verified)})
        else:
            checked = ", ".join(f"{count:,} {what}" for what, count in verified.checked.items())
            self.stdout.write("\n".join([f"Checked {checked}.", *verified.notes]))
        if not verified.ok:
            more = len(verified.differences) - _SHOWN
            lines = verified.differences[:_SHOWN] + ([f"and {more} more."] if more > 0 else [])
            raise CommandError("\n".join([f"{options['bundle']}: is not right.", *lines]))
        if not options["as_json"]:
            rest = "Everything else" if verified.notes else "Everything"
            self.stdout.write(f"{rest} in it follows from its votes.")
