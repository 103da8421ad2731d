"""The crowd service passes its tests with its own settings, and without the rest of Fairpool."""

import subprocess
import sys

import pytest

from tests.project import ROOT

pytestmark = pytest.mark.long


def test_the_service_passes_its_tests_alone() -> None:
    own = ["tests/mturk_local", "--ds", "tests.mturk_local.settings"]
    subprocess.run([sys.executable, "-m", "pytest", *own, "-n", "2"], cwd=ROOT, check=True)
