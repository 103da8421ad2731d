"""Try every two operations on one batch at once: `python -m tests.site.pairs --help`.

On the database of `DATABASE_URL`, an empty one; without it on a file that goes with the run.
"""

import argparse
import logging
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import django

from tests.project import empty_databases


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.site.pairs", description=__doc__)
    parser.add_argument("--seconds", type=float, help="a sample that takes as long; else all")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample and the points")
    parser.add_argument("--only", action="append", default=[], help="with this act; twice: a pair")
    parser.add_argument("--trials", type=int, help="of each pair, whatever it writes")
    parser.add_argument("--share", default="1/1", help="2/3: the second part of three")
    parser.add_argument(
        "--after", action="append", default=[], type=Path, metavar="OUTPUT",
        help="what a run printed that was stopped: without the pairs that were tried",
    )  # fmt: skip
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fairpool-pairs-") as folder:
        _prepare(Path(folder))
        from tests.site.pairs.runs import run, tried_before  # noqa: PLC0415 - Django has to be set up before

        part, parts = map(int, options.share.split("/"))
        return run(
            Path(folder),
            seed=options.seed,
            until=time.monotonic() + options.seconds if options.seconds else None,
            only=options.only,
            trials=options.trials,
            share=(part - 1, parts),
            without={name for path in options.after for name in tried_before(path)},
        )


def _prepare(folder: Path) -> None:
    """Empty databases with tables; the crowd's is a file, as it is not what is tried."""
    made = os.environ.pop("FAIRPOOL_EMPTY", "")  # by whoever runs several of us
    shutil.copytree(made or empty_databases(), folder, dirs_exist_ok=True)
    os.environ |= {
        "FAIRPOOL_DATA_DIR": str(folder),
        "CROWD_DATABASE_URL": f"sqlite:///{folder / 'crowd.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    django.setup()
    logging.disable()  # what goes wrong is told with the trial
    if os.environ.get("DATABASE_URL", "").startswith("postgres"):
        from django.core.management import call_command  # noqa: PLC0415
        from django.db import connection  # noqa: PLC0415

        if connection.introspection.table_names():
            sys.exit("the database of DATABASE_URL has tables already: name an empty one.")
        call_command("migrate", verbosity=0)


if __name__ == "__main__":
    sys.exit(main())
