"""Handing the owner's link to whoever starts the site: on the terminal, or in a file of theirs."""

import os
import tempfile
from pathlib import Path

from django.conf import settings
from django.core.management.base import OutputWrapper
from django.urls import reverse

from annotation.accounts.operations.owner_links import OwnerLink

_FILE = "owner-link"


def address_of_link(link: OwnerLink, site: str) -> str:
    """Where the link leads on the site at `site`."""
    return site.rstrip("/") + reverse("owner-link", args=[link.token])


def hand_over(link: OwnerLink, *, site: str, stdout: OutputWrapper) -> str:
    """The link where a person reads the terminal; else the path of a file that only we can read.

    What is no terminal may be a log, which others read later.
    """
    address = address_of_link(link, site)
    return address if stdout.isatty() else str(_kept(address))


def _kept(address: str) -> Path:
    path = Path(settings.DATA_DIR) / _FILE
    # A file that is made anew has its mode from the start, whatever lay there before.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{_FILE}-")
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{address}\n")
    return Path(draft).replace(path)
