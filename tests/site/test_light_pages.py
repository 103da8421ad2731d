"""A web process takes the memory that pages need: what computes is imported when a job runs."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_no_page_without_a_picture_or_a_figure_brings_what_computes(tmp_path: Path) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "FAIRPOOL_DATA_DIR": str(tmp_path),
        "FAIRPOOL_OPEN": "1",
        "DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3",
        "CROWD_DATABASE_URL": f"sqlite:///{tmp_path}/crowd.sqlite3",
    }
    command = [sys.executable, "-m", "tests.site.light_pages"]
    ended = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert json.loads(ended.stdout) == {}
