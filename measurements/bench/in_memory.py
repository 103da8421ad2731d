"""nDCG@10 of runs in dictionaries and in many files: `evaluate` against ir_measures.

Each figure is of a process of its own, by processor seconds after everything is imported; memory is
the peak of that process, dictionaries and libraries included.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from measurements.bench.measuring import say

Dictionary = dict[str, dict[str, float]]
_MEASURE = "nDCG@10"
_SAME = 1e-15


@dataclass(frozen=True)
class Case:
    """Runs of one size; `are_files` where they are given as paths."""

    name: str
    n_runs: int
    n_queries: int
    are_files: bool
    n_documents: int = 100

    @property
    def title(self) -> str:
        form = "files" if self.are_files else "dictionaries"
        return f"{self.n_runs} x {self.n_queries:,} x {self.n_documents}, {form}"


CASES = (
    Case("many", 100, 54, are_files=False),
    Case("many", 100, 54, are_files=True),
    Case("one", 1, 50_000, are_files=False),
    Case("one", 1, 50_000, are_files=True),
)
QUICK = (Case("many", 5, 54, are_files=False), Case("many", 5, 54, are_files=True))


def write(folder: Path, case: Case) -> None:
    """Write the runs of a case and its judgments, of every eleventh document and of others."""
    rng = np.random.default_rng(case.n_queries)
    qids = np.sort(rng.choice(1_200_000, case.n_queries, replace=False)).tolist()
    shape = (case.n_queries, case.n_documents)
    with (folder / f"{case.name}.qrels").open("w", encoding="ascii") as qrels:
        for number in range(case.n_runs):
            scores = np.sort(rng.gamma(8, 2, shape), axis=1)[:, ::-1].round(6).tolist()
            documents = (rng.integers(0, 80, shape) + np.arange(0, 8_000, 80)).tolist()
            with (folder / f"{case.name}{number:03}.run").open("w", encoding="ascii") as run:
                for qid, of_query, their in zip(qids, documents, scores, strict=True):
                    rows = enumerate(zip(of_query, their, strict=True), start=1)
                    run.writelines(f"{qid} Q0 {d} {rank} {s} x\n" for rank, (d, s) in rows)
            if number == 0:
                for qid, of_query in zip(qids, documents, strict=True):
                    qrels.writelines(f"{qid} 0 {d} {d % 4}\n" for d in of_query[::11])


def dictionary(path: Path, place: int, number: Callable[[str], Any]) -> dict[str, dict[str, Any]]:
    """The documents of each query with a column of the file as a number."""
    read: dict[str, dict[str, Any]] = {}
    with path.open(encoding="ascii") as lines:
        for line in lines:
            cells = line.split()
            read.setdefault(cells[0], {})[cells[2]] = number(cells[place])
    return read


def of_fairpool(runs: dict[str, Any], qrels: Any) -> list[float]:
    from metrics import evaluate  # noqa: PLC0415 - the other's process does without

    return [float(value) for value in evaluate(runs, _MEASURE, qrels=qrels)["value"]]


def of_ir_measures(runs: dict[str, Any], qrels: Any) -> list[float]:
    import ir_measures  # noqa: PLC0415 - the other's process does without

    measure = ir_measures.parse_measure(_MEASURE)
    judged = list(ir_measures.read_trec_qrels(qrels)) if isinstance(qrels, str) else qrels
    return [
        float(
            ir_measures.calc_aggregate(
                [measure], judged, ir_measures.read_trec_run(run) if isinstance(run, str) else run
            )[measure]
        )
        for run in runs.values()
    ]


def of_comparisons(runs: dict[str, Any], qrels: Any) -> list[float]:
    """Paired tests between every two runs."""
    import pandas as pd  # noqa: PLC0415 - the other's process does without

    from metrics import compare, evaluate  # noqa: PLC0415 - the other's process does without

    per_query = evaluate(runs, _MEASURE, qrels=qrels, per_query=True)
    both = per_query if len(runs) > 1 else pd.concat([per_query, per_query.assign(run="other")])
    return [float(value) for value in compare(both)["difference"]]


WAYS = {
    "Fairpool": of_fairpool,
    "ir_measures": of_ir_measures,
    "compare": of_comparisons,
}


def in_own_process(way: str, name: str, folder: str, are_files: str) -> None:
    """Print processor seconds, megabytes and the mean of the values."""
    WAYS[way]({"warm": {"q": {"d": 1.0}}}, {"q": {"d": 1}})
    paths = sorted(Path(folder).glob(f"{name}*.run"))
    qrels: Any = Path(folder, f"{name}.qrels")
    runs: dict[str, Any] = {path.stem: str(path) for path in paths}
    if are_files == "False":
        runs = {path.stem: dictionary(path, 4, float) for path in paths}
        qrels = dictionary(qrels, 3, int)
    else:
        qrels = str(qrels)
    begin = time.process_time()
    values = WAYS[way](runs, qrels)
    seconds = time.process_time() - begin
    # Not getrusage: there a process begins with the peak of the one that started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = re.search(r"VmHWM:\s+(\d+) kB", status)
    peak = int(kilobytes[1]) / 1000 if kilobytes else float("nan")
    sys.stdout.write(f"{seconds} {peak} {sum(values) / len(values)!r}")


def measured(way: str, case: Case, folder: Path) -> tuple[float, float, float]:
    code = (
        "import sys; from measurements.bench.in_memory import in_own_process as f; f(*sys.argv[1:])"
    )
    arguments = [way, case.name, str(folder), str(case.are_files)]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, peak, value = map(float, done.stdout.split())
    return seconds, peak, value


_READING = """
import sys, time
from metrics.runs.reading import _read
how = dict(name=None, order="default", queries=None, depth=None, ties=False)
_read(sys.argv[2], **how, large=False)
for large in (False, True, True):
    begin = time.process_time()
    _read(sys.argv[1], **how, large=large)
    print(time.process_time() - begin)
"""


def break_even(folder: Path) -> str:
    """The size of a file from which on two calls with compiled kernels take no longer."""
    path, line = folder / "one000.run", folder / "one.line"
    with TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", _READING, str(path), str(line)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "NUMBA_CACHE_DIR": cache},
        )
    slow, first, fast = map(float, done.stdout.split())
    size = path.stat().st_size / 1e6
    once, twice = ((first - fast) / (n * (slow - fast)) * size for n in (1, 2))
    return (
        f"A file of {size:.0f} MB is read in {slow:.2g} s line by line, in {fast:.2g} s by "
        f"compiled kernels, and in {first:.2g} s where these are compiled first: that pays from "
        f"{once:.0f} MB on in one call, and from {twice:.0f} MB on in two, the kernels being kept."
    )


def of_program(case: Case, folder: Path) -> tuple[float, float]:
    """Processor seconds of the program, and of it what its start takes: it measures one line."""
    (folder / "line").write_text("q Q0 d 1 1 x\n", encoding="ascii")
    (folder / "judged").write_text("q 0 d 1\n", encoding="ascii")
    files = [str(path) for path in sorted(folder.glob(f"{case.name}*.run"))]
    start = _program(folder, str(folder / "judged"), [str(folder / "line")])
    return _program(folder, str(folder / f"{case.name}.qrels"), files), start


def _program(folder: Path, qrels: str, runs: list[str]) -> float:
    command = [sys.executable, "-m", "config.program", "measure", "--quiet", f"-m{_MEASURE}"]
    # As where it is installed: its modules are compiled once, not at every start.
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    before = os.times()
    subprocess.run(
        [*command, "--qrels", qrels, *(f"--run={path}" for path in runs)],
        check=True,
        capture_output=True,
        env={**os.environ, **compiled},
    )
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


def compile_kernels(folder: Path) -> None:
    """Let Numba keep the kernels, as from an earlier use: large files are read by them."""
    from metrics.runs.fast import FastReader  # noqa: PLC0415 - not in the measured processes

    line = folder / "one.line"
    line.write_text("q Q0 d 1 1 x\n", encoding="ascii")
    FastReader(line, order="default", queries=None, depth=None, ties=False).read()


def _middle(values: Iterable[float]) -> str:
    return f"{median(values):.2g}"


def run(folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown: medians of seconds and peaks, and the ratio of each round."""
    columns = (
        "ir_measures, s",
        "`evaluate`, s",
        "ratio",
        "`fairpool measure`, s",
        "of it its start, s",
    )
    memory = ("ir_measures, MB", "`evaluate`, MB")
    lines = ["## nDCG@10 of runs in memory and in many files", ""]
    lines += [" ".join((__doc__ or "").split("\n\n")[1].split()), ""]
    lines.append(f"| {' | '.join(('runs x queries x documents', *columns, *memory))} |")
    lines.append("|---|" + "---:|" * len((*columns, *memory)))
    compile_kernels(folder)
    for case in QUICK if quick else CASES:
        if not (folder / f"{case.name}.qrels").exists():
            write(folder, case)
        rounds = []
        for number in range(1 if quick else 3):
            say(f"  {case.title}, round {number + 1}")
            theirs, ours = (measured(way, case, folder) for way in ("ir_measures", "Fairpool"))
            if abs(theirs[2] - ours[2]) > _SAME * case.n_queries:
                raise AssertionError(f"the values differ: {theirs[2]!r}, {ours[2]!r}")
            program = of_program(case, folder) if case.are_files else (float("nan"),) * 2
            rounds.append((*theirs[:2], *ours[:2], *program))
        their_s, their_mb, our_s, our_mb, programs, starts = zip(*rounds, strict=True)
        ratio = _middle(a / b for a, b in zip(our_s, their_s, strict=True))
        of_it = f"{_middle(programs)} | {_middle(starts)}" if case.are_files else " | "
        lines.append(
            f"| {case.title} | {_middle(their_s)} | {_middle(our_s)} | {ratio} | {of_it} | "
            f"{median(their_mb):.0f} | {median(our_mb):.0f} |"
        )
    case = CASES[1]
    if not quick:
        say("  tests between every two runs, and when to compile")
        seconds, peak, _ = measured("compare", case, folder)
        title = f"{case.title}: `compare`, {case.n_runs * (case.n_runs - 1) // 2:,} pairs"
        lines.append(f"| {title} |  | {seconds:.2g} |  |  |  |  | {peak:.0f} |")
        lines += ["", break_even(folder)]
    return "\n".join(lines)
