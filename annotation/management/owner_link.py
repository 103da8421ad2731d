"""Links that commands print, and the owner's link at the start of the site."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandParser, OutputWrapper
from django.urls import reverse

from annotation.accounts.operations.owner_links import OwnerLink
from annotation.core.commands import OperationCommand
from annotation.core.site_address import USUAL, served_file, site_address
from metrics.io.parts import part_file

_FILE = "owner-link"


class LinkCommand(OperationCommand):
    """Makes a link of the site that people reach at `--site`."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--site",
            default=site_address(),
            metavar="URL",
            help="Where people reach the site (default: FAIRPOOL_SITE, or where the site listens).",
        )


def site_note(address: str | None) -> str:
    """Remember where this machine serves the site, for the commands that print links.

    None means that it listens at no port. Returns a warning if no setting has the address either,
    otherwise "".
    """
    served = served_file()
    if address is not None:
        served.write_text(f"{address}\n", encoding="ascii")
        return ""
    served.unlink(missing_ok=True)
    if settings.SITE_ADDRESS != USUAL:
        return ""
    return (
        f"Links in mails and of commands begin with {USUAL}, which is not the address of this "
        "site. Set FAIRPOOL_SITE to the address at which people reach it."
    )


def link_address(link: OwnerLink, site: str) -> str:
    """Return the address of the link on the site at `site`."""
    return site.rstrip("/") + reverse("owner-link", args=[link.token])


def hand_over(link: OwnerLink, *, site: str, stdout: OutputWrapper) -> str:
    """Return the link on a terminal; otherwise the path of a file for its owner alone.

    Other outputs may be logs, which others read later.
    """
    address = link_address(link, site)
    return address if stdout.isatty() else str(_kept(address))


def _kept(address: str) -> Path:
    path = Path(settings.DATA_DIR) / _FILE
    # A new file has its mode from the start, whatever was there before.
    with part_file(path) as draft:
        draft.write_text(f"{address}\n", encoding="ascii")
        return draft.replace(path)
