"""`python -m measurements.load`: annotators at work on a site of its own, every answer checked.

    python -m measurements.load --annotators 500 --seconds 120
    python -m measurements.load --annotators 50 --database sqlite
    python -m measurements.load --annotators 500 --beside turkle    # installs it, in a folder

The annotators share the machine with the site and its database. Exit status 1 if an answer was
lost, doubled or put in the wrong place, or if any page failed.
"""

import argparse
import contextlib
import math
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from measurements.load import approvals, fairpool_site, turkle_site
from measurements.load.journal import Record, read, table
from tests.ports import free_port
from tests.project import ROOT
from tests.site.faults.servers import children

_WIND_DOWN_SECONDS = 300


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m measurements.load",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--annotators", type=int, default=500, help="At once (default 500).")
    parser.add_argument("--seconds", type=float, default=120, help="Of full load (default 120).")
    parser.add_argument("--arriving", type=float, default=30, help="Seconds before (default 30).")
    parser.add_argument(
        "--thinking", type=float, default=30, help="Mean seconds for ten queries (default 30)."
    )
    parser.add_argument(
        "--machines", type=int, default=1, help="Web servers behind one address (default 1)."
    )
    parser.add_argument("--database", choices=["postgres", "sqlite"], default="postgres")
    parser.add_argument(
        "--beside", choices=["turkle"], help="The same afterwards on another site, for comparison."
    )
    parser.add_argument(
        "--through", default="", help="A command that starts the annotators, e.g. `nice -n 5`."
    )
    parser.add_argument(
        "--approvals",
        type=int,
        default=0,
        help="Approve so many answers at once, through the API, under full load (default 0).",
    )
    options = parser.parse_args()
    if options.machines > 1 and options.database == "sqlite":
        parser.error("--machines: SQLite serves one web server.")
    hits = hits_needed(options)
    with tempfile.TemporaryDirectory(prefix="fairpool-load-") as name:
        good = on_fairpool(Path(name), hits, options)
        if options.beside:
            on_turkle(Path(name) / "turkle", hits, options)
    return 0 if good else 1


def on_fairpool(folder: Path, hits: int, options: argparse.Namespace) -> bool:
    """Load a Fairpool site; return whether every page came and every answer is where it belongs."""
    postgres = options.database == "postgres"
    with (
        fairpool_site.prepared(folder, free_port(), postgres=postgres) as project,
        fairpool_site.serving(project, options.machines),
    ):
        fairpool_site.furnish(project, annotators=options.annotators, hits=hits)
        answers = approvals.answer(project, options.approvals) if options.approvals else []
        url = f"http://127.0.0.1:{project.port}"
        before = site_seconds()
        beside = (
            approvals.approving(project, answers, after=options.arriving)
            if answers
            else contextlib.nullcontext()
        )
        with beside as approved:
            record = let_work("on_fairpool", url, folder / "journal.json", options)
        used = site_seconds() - before
        checked = fairpool_site.check(project, record.answers)
        log = (project.data_dir / "site.log").read_text()
    site = f"Fairpool on {options.database}, {options.machines} web server(s)"
    failed = tell(site, record, used, checked, options)
    if approved is not None:
        say(f"  {approved}")
    if failed:
        say(log[-4000:])
    return checked.clean and not failed


def on_turkle(folder: Path, hits: int, options: argparse.Namespace) -> None:
    sizes = {"queries": fairpool_site.QUERIES_PER_HIT, "assignments": fairpool_site.ASSIGNMENTS}
    with turkle_site.installed(folder) as turkle, turkle_site.serving(turkle) as url:
        turkle_site.furnish(turkle, annotators=options.annotators, tasks=hits, **sizes)
        before = site_seconds()
        record = let_work("on_turkle", url, folder / "journal.json", options)
        used = site_seconds() - before
        checked = turkle_site.check(turkle, record.answers, **sizes)
    tell(f"{turkle_site.PACKAGES[0]} on postgres", record, used, checked, options)


def site_seconds() -> float:
    """Processor seconds of what this program has started and what is running: the site."""
    ticks = 0
    for process in children(os.getpid()):
        with contextlib.suppress(OSError):
            # Of the process itself and of its children that have ended, after its name.
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def tell(
    site: str, record: Record, used: float, checked: object, options: argparse.Namespace
) -> bool:
    """Write what happened; whether any page failed."""
    say(summary(site, record, options))
    say(
        f"processor ms of the site for an answer {1000 * used / max(1, len(record.answers)):.0f}, "
        "without its database, with the first sign-in"
    )
    say(f"\n{checked}")
    failed = [page for page in record.pages if page.error]
    for (name, error), number in Counter((p.name, p.error[:90]) for p in failed).most_common(9):
        say(f"  {number} x {name}: {error}")
    return bool(failed)


def hits_needed(options: argparse.Namespace) -> int:
    """Enough that nobody runs out of them: a third more than can be done in the time."""
    done: float = options.annotators * (1 + (options.arriving + options.seconds) / options.thinking)
    most_of_one: float = 3 + 3 * (options.arriving + options.seconds) / options.thinking
    return math.ceil(max(1.3 * done / fairpool_site.ASSIGNMENTS, most_of_one))


def let_work(locustfile: str, url: str, journal: Path, options: argparse.Namespace) -> Record:
    """Let annotators work at `url`; what they saw."""
    command = [
        *(*shlex.split(options.through), sys.executable, "-m", "locust", "--headless"),
        *("--locustfile", str(ROOT / "tests" / "load" / f"{locustfile}.py"), "--host", url),
        *("--users", str(options.annotators), "--only-summary", "--loglevel", "WARNING"),
        *("--spawn-rate", str(max(1.0, options.annotators / options.arriving))),
        *("--run-time", f"{math.ceil(options.arriving + options.seconds)}s"),
        # Who is at a task when the time is over finishes it.
        *("--stop-timeout", str(_WIND_DOWN_SECONDS)),
    ]
    environment = os.environ | {
        "LOAD_JOURNAL": str(journal),
        "LOAD_THINKING": str(options.thinking),
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "default",
    }
    log = journal.with_suffix(".log")
    with log.open("wb") as output:
        subprocess.run(
            command, cwd=ROOT, env=environment, stdout=output, stderr=output, check=False
        )
    if not journal.exists():
        raise SystemExit(log.read_text())
    return read(journal)


def summary(site: str, record: Record, options: argparse.Namespace) -> str:
    """Markdown: the pages of the time of full load, and how much was done in it."""
    first, last = options.arriving, options.arriving + options.seconds
    pages = [page for page in record.pages if first <= page.at <= last]
    answers = [answer for answer in record.answers if first <= answer.at <= last]
    votes = sum(len(answer.qids) for answer in answers)
    return (
        f"\n{site}: {options.annotators} annotators, {options.thinking:g} s a page\n"
        f"{table(pages)}\n\n"
        f"{len(pages) / options.seconds:.0f} pages/s, {len(answers) / options.seconds:.1f} "
        f"answers/s, {votes / options.seconds:.0f} votes/s for {options.seconds:g} s; "
        f"errors {sum(bool(page.error) for page in record.pages)}; processor seconds of the "
        f"annotators {record.cpu_seconds:.0f}"
    )


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a program for the terminal


if __name__ == "__main__":
    sys.exit(main())
