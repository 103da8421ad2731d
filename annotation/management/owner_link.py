"""Links that commands print, and handing the owner's to whoever starts the site."""

import os
import tempfile
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandParser, OutputWrapper
from django.urls import reverse

from annotation.accounts.operations.owner_links import OwnerLink
from annotation.core.commands import OperationCommand

_FILE = "owner-link"


class LinkCommand(OperationCommand):
    """Makes a link of the site that people reach at `--site`."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--site",
            default="http://127.0.0.1:8000",
            metavar="URL",
            help="Where people reach the site (default %(default)s).",
        )


def link_address(link: OwnerLink, site: str) -> str:
    """Where the link leads on the site at `site`."""
    return site.rstrip("/") + reverse("owner-link", args=[link.token])


def hand_over(link: OwnerLink, *, site: str, stdout: OutputWrapper) -> str:
    """The link where a person reads the terminal; else the path of a file that only we can read.

    What is no terminal may be a log, which others read later.
    """
    address = link_address(link, site)
    return address if stdout.isatty() else str(_kept(address))


def _kept(address: str) -> Path:
    path = Path(settings.DATA_DIR) / _FILE
    # A file that is made anew has its mode from the start, whatever lay there before.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{_FILE}-")
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{address}\n")
    return Path(draft).replace(path)
