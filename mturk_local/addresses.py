"""Addresses of the service, with which links and printed addresses begin."""

from pathlib import Path
from urllib.parse import urljoin

from django.conf import settings
from django.urls import reverse

#: File of the data folder with the address in use, without a path, as `http://127.0.0.1:8001`.
_SERVED = "served-at"
#: Default of the settings.
_USUAL = "http://127.0.0.1:8000/mturk/"


def endpoint() -> str:
    """Return the API's address, from settings or from the last start."""
    served = Path(settings.DATA_DIR) / _SERVED
    if settings.MTURK_LOCAL_ENDPOINT == _USUAL and served.exists():
        return urljoin(served.read_text(encoding="ascii").strip(), "/mturk/")
    return str(settings.MTURK_LOCAL_ENDPOINT)


def address(name: str, *args: str) -> str:
    """The whole address of one of the annotators' pages."""
    return urljoin(endpoint(), reverse(name, args=args))


def served_note() -> None:
    """Remember the address in force in this process, for the commands that print links."""
    served = Path(settings.DATA_DIR) / _SERVED
    served.write_text(urljoin(settings.MTURK_LOCAL_ENDPOINT, "/") + "\n", encoding="ascii")
