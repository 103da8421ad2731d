"""One machine with SQLite whose only disk is full for a while, at each stage of a batch."""

import contextlib
import time
from pathlib import Path

import pytest
import requests

from tests.ports import free_port
from tests.site.faults.disks import Disk
from tests.site.faults.driving import Driver, begin_to_answer, wait_for
from tests.site.faults.people import Journal
from tests.site.faults.test_kills import ASSIGNMENTS, N_DOCUMENTS, N_HITS, check, ended
from tests.site.workers.profiles import Embedded, wait_until

_SECONDS_FULL = 4
_BEGUN = "SELECT id FROM annotation_task WHERE state <> 'queued' ORDER BY id DESC"


def fill_for_a_while(disk: Disk, url: str) -> None:
    """The disk is full for some seconds; the site goes on running meanwhile."""
    disk.fill()
    time.sleep(_SECONDS_FULL)
    requests.get(f"{url}/healthz", timeout=30).raise_for_status()
    disk.free()


@pytest.mark.faults
def test_no_hit_and_no_answer_is_lost_while_the_only_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TASK_LEASE_SECONDS", "2")
    monkeypatch.setenv("COLLECT_EVERY_SECONDS", "0")
    with contextlib.closing(Disk(tmp_path / "disk", megabytes=256)) as disk:
        if not disk.is_small:
            pytest.skip("this account may not mount a small disk to fill")
        project = Embedded(data_dir=disk.folder / "var", port=free_port())
        project.data_dir.mkdir()
        project.prepare()
        with (
            project.site() as url,
            contextlib.closing(Driver(project.environment)) as driver,
        ):
            driver("create", "b", N_HITS, N_DOCUMENTS)
            journal = Journal()
            for step in ("publish", "answer", "collect", "score"):
                if step == "answer":
                    people = begin_to_answer(url, driver, "b", journal)
                    fill_for_a_while(disk, url)
                    wait_for(people)
                    continue
                task = driver("send", step, "b")
                wait_until(lambda: project.first(_BEGUN) == task, seconds=60, what=f"{step} begins")  # noqa: B023 - called at once
                fill_for_a_while(disk, url)
                wait_until(lambda: ended(driver, task), seconds=240, what=step)  # noqa: B023 - called at once
            # Somebody noticed: pages failed, and tasks were taken up again.
            assert journal.errors
            assert project.first("SELECT MAX(attempts) FROM annotation_task") != 1
            assert len(journal.taken) == N_HITS * ASSIGNMENTS
            check(driver, "b", journal)
