"""A market for rehearsals beside the site, as long as it is served."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving


@contextmanager
def rehearsing(site: str) -> Iterator[str]:
    """Let the processes that are started meanwhile find Prolific's double in Prolific's place.

    It tells `site` of its events, unless that has an address already. Gives the assignments that
    let other commands find it, too.
    """
    token = secrets.token_hex(16)
    with serving(Market(), token=token) as address:
        changed = {"PROLIFIC_ADDRESS": address, "PROLIFIC_TOKEN": token}
        changed["FAIRPOOL_SITE"] = os.environ.get("FAIRPOOL_SITE") or site
        before = {name: os.environ.get(name) for name in changed}
        os.environ |= changed
        try:
            yield f"PROLIFIC_ADDRESS={address} PROLIFIC_TOKEN={token}"
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
