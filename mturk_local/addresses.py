"""Where people and programs reach the service: what links and printed addresses begin with."""

from pathlib import Path
from urllib.parse import urljoin

from django.conf import settings
from django.urls import reverse

#: In the data folder, by whoever serves: the address without a path, as `http://127.0.0.1:8001`.
_SERVED = "served-at"
#: What the settings say where nobody set anything.
_USUAL = "http://127.0.0.1:8000/mturk/"


def endpoint() -> str:
    """The address of the API: that of the settings, or where nobody set one, what serves last."""
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
