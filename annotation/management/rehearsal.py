"""A market for rehearsals beside the site, as long as it is served."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving


@contextmanager
def rehearsing() -> Iterator[str]:
    """Let the processes that are started meanwhile find Prolific's double in Prolific's place."""
    token = secrets.token_hex(16)
    before = {name: os.environ.get(name) for name in ("PROLIFIC_ADDRESS", "PROLIFIC_TOKEN")}
    with serving(Market(), token=token) as address:
        os.environ |= {"PROLIFIC_ADDRESS": address, "PROLIFIC_TOKEN": token}
        try:
            yield address
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
