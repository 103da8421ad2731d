"""Processes that pay bonuses on Prolific die at each commit and call: nobody is paid twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# For the fixtures of this folder; the processes have databases of their own.
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.mark.long
def test_no_bonus_is_paid_twice_wherever_the_process_dies(tmp_path: Path) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "FAIRPOOL_DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
        "CROWD_DATABASE_URL": f"sqlite:///{tmp_path}/crowd.sqlite3",
    }
    command = [sys.executable, "-m", "tests.annotation.publishing.killed_while_paying", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["rounds"], told["twice"]) == (14, 0)
    assert set(told["found"]) == {"confirmed", "uncertain"}
