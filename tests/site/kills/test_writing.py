"""What a killed backup, score or export leaves goes with the next one, and of nobody who lives.

`python -m pytest -m soak tests/site/kills/test_writing.py --log-cli-level=INFO` counts the kills.
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
from tests.site.workers.profiles import Embedded

pytestmark = [pytest.mark.timed, pytest.mark.long]

log = logging.getLogger(__name__)


@pytest.mark.parametrize("kills", [20, pytest.param(100, marks=pytest.mark.soak)])
def test_files_that_are_killed_again_and_again_while_they_are_written_leave_nothing(
    tmp_path: Path, kills: int
) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    project.run("crowd", "key", "--quiet")
    answers = tmp_path / "answers.csv"
    answers.write_text(
        "query_id,worker,label,query\n"
        + "".join(f"q{n},w{n % 3},{'nfm'[n % 3]},query {n}\n" for n in range(6_000))
    )
    project.run("study", "create", "kept")
    project.run("label", "import-votes", answers, "--name", "kept", "--study", "kept")
    noise = random.Random(kills)
    for number in range(5):  # so that there is something to interrupt
        (project.data_dir / f"file {number}").write_bytes(noise.randbytes(2_000_000))
    folder = tmp_path / "written"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.site.kills.writing", folder, str(kills), str(kills)],
        cwd=ROOT,
        env=project.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    log.info("%s", found)
    wrong = ("open to others", "failed", "not whole", "not removed")
    assert [found[name] for name in wrong] == [0, 0, 0, 0], done.stderr
    assert found["left"] > 0
    assert found["ended before"] < kills / 2
