"""`python -m tests.site.kills.writing FOLDER KILLS SEED`: kill what writes files, and write again.

A backup, a scored collection, a bundle and votes of the study `kept` of the site in the environment
(SQLite) are written into FOLDER, where another process is writing all the time. Prints JSON: kills,
those that came after the end, parts that they left, and parts that others than their owner may
read; and what was not as it has to be after the next call.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - Django must be set up before
from django.db import connections  # noqa: E402

from annotation.management.backups import backup_verify  # noqa: E402
from config.program import main as fairpool  # noqa: E402
from metrics.io import parts  # noqa: E402
from metrics.io.files import sha256_of  # noqa: E402
from metrics.io.parts import is_part, part_file, part_folder  # noqa: E402

N_PASSAGES = 60_000


def back_up(output: Path) -> None:
    call_command("site", "backup", output, "--quiet")


def score(output: Path) -> None:
    collection = output.parent.with_suffix(".tsv")
    sys.exit(fairpool(["score", str(collection), "--output", str(output), "--quiet", "--force"]))


def bundle(output: Path) -> None:
    call_command("study", "bundle", "kept", "--output", output, "--quiet")


def votes(output: Path) -> None:
    call_command("label", "export-votes", "kept", "--output", output, "--quiet")


ACTS: dict[Callable[[Path], None], str] = {
    back_up: "backup",
    score: "m.parquet",
    bundle: "kept.zip",
    votes: "votes.csv",
}


def begin(act: Callable[[Path], None], output: Path) -> int:
    """A child that does the act as a process that has just been started; its id."""
    connections.close_all()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        parts._swept.clear()
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - until it ends
        act(output)
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        if code:
            traceback.print_exc()
        os._exit(code)


def ended_well(child: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def kill_within(act: Callable[[Path], None], output: Path, seconds: float) -> bool:
    """Return whether it had ended before."""
    child = begin(act, output)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return ended_well(child)


def is_whole(output: Path, expected: str) -> bool:
    """Return whether the next call wrote it as the first one did; a backup says so by itself."""
    if output.is_dir():
        backup_verify(output)
        return True
    return output.exists() and sha256_of(output) == expected


def main(folder: Path, kills: int, seed: int) -> dict[str, int]:
    chance, found = (
        random.Random(seed),
        dict.fromkeys(
            (
                "kills",
                "ended before",
                "left",
                "open to others",
                "failed",
                "not whole",
                "not removed",
            ),
            0,
        ),
    )
    lines = (f"d{n}\tShe left, he stayed: passage {n}\n" for n in range(N_PASSAGES))
    folder.with_suffix(".tsv").write_text("".join(lines))
    seconds, expected = {}, {}
    for act, name in ACTS.items():
        begun = time.monotonic()
        assert ended_well(begin(act, folder / name)), name
        seconds[act] = time.monotonic() - begun
        expected[act] = "" if act is back_up else sha256_of(folder / name)
    with part_file(folder / "alive.txt") as file, part_folder(folder / "alive") as draft:
        (draft / "secret").write_text("is being written")
        while found["kills"] < kills:
            act = chance.choice(list(ACTS))
            output = folder / ACTS[act]
            if output.is_dir():
                shutil.rmtree(output)
            found["ended before"] += kill_within(act, output, chance.uniform(0, seconds[act]))
            found["kills"] += 1
            left = {path for path in folder.iterdir() if is_part(path)} - {file, draft}
            found["left"] += bool(left)
            found["open to others"] += sum(bool(path.stat().st_mode & 0o077) for path in left)
            if chance.random() < 1 / 2:  # otherwise the next one is killed, too
                continue
            if output.is_dir():
                shutil.rmtree(output)
            found["failed"] += not ended_well(begin(act, output))
            found["not whole"] += not is_whole(output, expected[act])
            now = {path for path in folder.iterdir() if is_part(path)}
            found["not removed"] += len(now ^ {file, draft})
            found["not whole"] += not (draft / "secret").exists()
    return found


if __name__ == "__main__":
    where, number, start = sys.argv[1:]
    sys.stdout.write(json.dumps(main(Path(where), int(number), int(start))) + "\n")
