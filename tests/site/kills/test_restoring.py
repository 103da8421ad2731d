"""A restore that is killed leaves whole databases, and the next one brings all back.

`python -m pytest -m soak tests/site/kills/test_restoring.py --log-cli-level=INFO` counts the kills.
"""

import json
import logging
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.project import ROOT
from tests.site.workers.profiles import Embedded, write_queries

pytestmark = [pytest.mark.timed, pytest.mark.long]

log = logging.getLogger(__name__)


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_a_restore_that_is_killed_again_and_again_is_whole_in_the_end(
    tmp_path: Path, kills: int
) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    project.run("crowd", "key", "--quiet")
    queries = write_queries(tmp_path / "queries.tsv", 2_000)
    project.run("batch", "create", "--name", "kept", "--queries", queries)
    noise = random.Random(kills)
    for number in range(20):  # so that there is something to interrupt
        (project.data_dir / f"file {number}").write_bytes(noise.randbytes(2_000_000))
    project.run("site", "backup", tmp_path / "backup")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.site.kills.restoring"),
            *(str(tmp_path / "backup"), str(kills), str(kills)),
        ],
        cwd=ROOT,
        env=project.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    log.info("%s", found)
    assert (found["damaged"], found["differing"]) == (0, 0)
    assert found["ended before"] < kills / 2
    assert project.json("batch", "show", "kept")["n_queries"] == 2_000
    assert project.json("site", "check")["broken"] == {}
