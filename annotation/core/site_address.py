"""The address of the site, with which links in mails and of commands begin."""

from pathlib import Path

from django.conf import settings

#: Default of the settings.
USUAL = "http://127.0.0.1:8000"
_SERVED = "served-at"


def served_file() -> Path:
    """File of the data folder with the address at which this machine served the site last."""
    return Path(settings.DATA_DIR) / _SERVED


def site_address() -> str:
    """Return the site's address, from settings or from the last start."""
    served = served_file()
    if settings.SITE_ADDRESS == USUAL and served.exists():
        return served.read_text(encoding="ascii").strip()
    return str(settings.SITE_ADDRESS)
