"""A web process takes the memory that pages need: what computes is imported when a job runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def _answer(folder: Path, *mode: str) -> str:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "FAIRPOOL_DATA_DIR": str(folder),
        "FAIRPOOL_OPEN": "1",
        "DATABASE_URL": f"sqlite:///{folder}/site.sqlite3",
        "CROWD_DATABASE_URL": f"sqlite:///{folder}/crowd.sqlite3",
    }
    command = [sys.executable, "-m", "tests.site.light_pages", *mode]
    ended = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return ended.stdout


def test_no_page_without_a_picture_or_a_figure_brings_what_computes(tmp_path: Path) -> None:
    assert json.loads(_answer(tmp_path)) == {}


@pytest.mark.long
def test_no_page_or_download_of_a_report_brings_pandas_or_what_draws(tmp_path: Path) -> None:
    _answer(tmp_path, "prepare")
    assert json.loads(_answer(tmp_path, "report")) == {}
