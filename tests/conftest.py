"""What every test may use."""

import os
from pathlib import Path
from wsgiref.headers import Headers

import hypothesis
import pytest
from django.core.servers import basehttp

# How long an example takes, or making one, says more about what else runs on the machine than
# about our code. The same examples every time: a test that fails for one of us fails for all.
hypothesis.settings.register_profile(
    "fairpool",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
# `make soak` looks for new examples instead.
hypothesis.settings.register_profile(
    "soak", hypothesis.settings.get_profile("fairpool"), derandomize=False, print_blob=True
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fairpool"))

# The live server sends head and body of a reply apart, and the system would hold the second back
# for 40 ms each time.
basehttp.WSGIRequestHandler.disable_nagle_algorithm = True


class _OneReply(basehttp.ServerHandler):
    """Ends each connection with its reply.

    One that a client keeps alive would keep a thread of the live server, and its database, beyond
    the test; such a thread ends with an error when the database is taken from it.
    """

    headers: Headers
    request_handler: basehttp.WSGIRequestHandler

    def cleanup_headers(self) -> None:
        super().cleanup_headers()
        self.headers["Connection"] = "close"
        self.request_handler.close_connection = True


basehttp.ServerHandler = _OneReply  # type: ignore[misc] # where the live server looks for it

SHARED_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real collections beside the checkout; without it the test is skipped."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real collections (../shared/data) are not beside this checkout")
    return SHARED_DATA
