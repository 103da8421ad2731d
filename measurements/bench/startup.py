"""Time of starting the program, and of measuring small inputs."""

import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from measurements.bench.collections import bodies, write_tsv
from measurements.bench.measuring import ROUNDS, say
from measurements.bench.runs import Size, write_run

# As many passages, runs and queries as the judged part of TREC DL 2019 in the tests of real runs.
_PASSAGES = 14_581
_SMALL = Size(n_runs=6, n_queries=43, n_documents=100, n_collection=_PASSAGES)
_ONE = replace(_SMALL, n_queries=1, n_documents=10)
_REPORTED = replace(_SMALL, n_queries=54)
_BARE, _LIBRARIES = "Python alone", "NumPy and Arrow's Parquet alone"


def run(folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown: the median of each call with its least and greatest seconds."""
    say("startup")
    collection = write_tsv(folder / "c.tsv", _PASSAGES, bodies(_PASSAGES))
    scored = folder / "m.parquet"
    scoring = ["score", str(collection), "--quiet", "--force", "--output", str(scored)]
    for number in range(_SMALL.n_runs):
        write_run(folder / f"{number}.run", _SMALL, number)
    write_run(folder / "one.run", _ONE, 0)
    runs = [f"--run=R{number}={folder / f'{number}.run'}" for number in range(_SMALL.n_runs)]
    program = ["-m", "config.program"]
    reporting = [*program, *_report_of(folder, scored)]
    measuring = [*program, "measure", "--quiet", f"--scores={scored}"]
    calls = {
        _BARE: ["-c", "pass"],
        _LIBRARIES: ["-c", "import numpy, pyarrow.parquet"],
        "`import fairpool`": ["-c", "import metrics"],
        "`fairpool --version`": [*program, "--version"],
        "`fairpool --help`": [*program, "--help"],
        "`fairpool measure`, ten documents": [*measuring, f"--run=one={folder / 'one.run'}"],
        f"`fairpool measure`, {_SMALL.n_runs} runs": [*measuring, *runs],
        f"`fairpool score`, {_PASSAGES:,} passages": [*program, *scoring],
        f"`fairpool report`, {_REPORTED.n_queries} queries, {_REPORTED.n_runs} runs": reporting,
    }
    _seconds([*program, *scoring])  # makes what the others read
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(2 if quick else 2 * ROUNDS):
        for name, arguments in calls.items():
            took[name].append(_seconds(arguments))
    about = (
        "Each call as a process of its own, from its start to its end, in every round. Six runs of "
        f"{_SMALL.n_queries} queries x {_SMALL.n_documents} documents on {_PASSAGES:,} passages "
        "are a little less than TREC DL 2019 has here. *Processor*: seconds of it, which other "
        "work on the machine changes less."
    )
    lines = ["## Start, and small inputs", "", about, ""]
    lines += ["| call | seconds | least | greatest | processor |", "|---|---:|---:|---:|---:|"]
    for name, pairs in took.items():
        clock, processor = zip(*pairs, strict=True)
        values = (statistics.median(clock), min(clock), max(clock), statistics.median(processor))
        lines.append(f"| {name} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
    return "\n".join(lines)


def _report_of(folder: Path, scored: Path) -> list[str]:
    """A whole report: every table in four formats, every figure in three."""
    runs = [folder / f"reported-{number}.run" for number in range(_REPORTED.n_runs)]
    for number, path in enumerate(runs):
        write_run(path, _REPORTED, number)
    queries = folder / "queries.tsv"
    qids = dict.fromkeys(line.split()[0] for line in runs[0].read_text().splitlines())
    queries.write_text("".join(f"{qid}\twhat is {qid}\n" for qid in qids))
    named = [f"--run=R{number}={path}" for number, path in enumerate(runs)]
    terms = [f"--scores={scored}", f"--queries={queries}", f"--output={folder / 'report'}"]
    return ["report", "--quiet", "--force", *terms, *named]


def _seconds(arguments: list[str]) -> tuple[float, float]:
    """On the clock, and of the processor. As installed, with its modules compiled."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return clock, used
