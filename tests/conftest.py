"""What every test may use."""

from pathlib import Path

import hypothesis
import pytest

# How long an example takes says more about what else runs on the machine than about our code.
hypothesis.settings.register_profile("fairpool", deadline=None)
hypothesis.settings.load_profile("fairpool")

SHARED_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real collections beside the checkout; without it the test is skipped."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real collections (../shared/data) are not beside this checkout")
    return SHARED_DATA
