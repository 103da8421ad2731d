"""verify_bundle: compute a bundle's numbers again from its votes."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.reports.bundle.verify import verify_bundle
from metrics.management.command import FairpoolCommand

_SHOWN = 20


class Command(FairpoolCommand):
    help = (
        "Check every checksum of a bundle, and compute its labels, agreement and bias again from "
        "the votes and documents in it. Exits 1 and lists what differs. Needs no database."
    )
    example = "verify_bundle study.zip"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", metavar="B.zip", help="A file that `bundle` wrote.")

    def handle(self, **options: Any) -> None:
        found = verify_bundle(options["bundle"])
        if options["as_json"]:
            self.print_json(
                {"ok": found.ok, "checked": found.checked, "differences": found.differences}
            )
        else:
            checked = ", ".join(f"{count:,} {what}" for what, count in found.checked.items())
            self.stdout.write(f"Checked {checked}.")
        if not found.ok:
            more = len(found.differences) - _SHOWN
            lines = found.differences[:_SHOWN] + ([f"and {more} more."] if more > 0 else [])
            raise CommandError("\n".join([f"{options['bundle']}: is not right.", *lines]))
        if not options["as_json"]:
            self.stdout.write("Everything in it follows from its votes.")
