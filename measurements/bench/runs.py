"""Runs to RaB and ARaB, and to a pool, against the notebook's loop and well-kept libraries."""

import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from measurements.bench.measuring import say
from measurements.bench.runs_references import (
    ir_measures_read,
    loop_measure,
    loop_read,
    polars_measure,
    ranx_read,
)
from metrics.results.evaluation import Result, requests_of
from metrics.results.scored_runs import score_runs
from metrics.runs import Run, read_runs
from metrics.texts.magnitude import Scores, log_table
from metrics.texts.magnitude_store import Magnitudes, Metadata, open_magnitudes
from metrics.texts.magnitude_writer import writing_magnitudes
from metrics.vocabulary import CUTOFFS
from pooling.pool import Pool, pool_of
from pooling.rankings import measure_runs

#: What stands below the table: the goals, and why one may be missed.
REASONS = """
Goals: 250 times the loop, faster than polars with NumPy, 1.8 GB. Of Fairpool's processor time, two
thirds and more go into reading: of that, two fifths into the kernel that takes the lines apart, an
eighth into ranking and looking for what is out of order, repeated or missing, a tenth each into
BLAKE3 and into copying from the page cache. None of it can be left out by reading the first ranks
alone. A kernel that finds the columns of a line 64 bytes at a time was tried, and was no faster (27
ns a line instead of 23). What remains is mostly waiting for memory: the documents of a run stand
all over a collection that no cache holds. polars keeps one column of six and checks nothing. The C
library keeps memory for threads that have ended; `MALLOC_ARENA_MAX=2` in the environment gives a
sixth of the peak back at the same speed.
"""
_T = TypeVar("_T")
POOLED = 500
REQUESTS = requests_of(["RaB", "ARaB"], ["tf", "bool"], CUTOFFS)
_RUN_OPTIONS = pc.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")


@dataclass(frozen=True)
class Size:
    """Size of a measurement; the loop reads `n_loop` queries of one run."""

    n_runs: int = 7
    n_queries: int = 50_000
    n_documents: int = 200
    n_collection: int = 8_841_823
    n_loop: int = 1_000
    rounds: int = 5


QUICK = Size(n_runs=3, n_queries=2_000, n_collection=100_000, n_loop=100, rounds=2)


def write_run(path: Path, size: Size, seed: int) -> None:
    """A run as a retrieval system writes it: integer ids, falling scores of six decimals."""
    rng = np.random.default_rng(seed)
    shape = (size.n_queries, size.n_documents)
    qids = np.sort(np.random.default_rng(0).choice(1_200_000, size.n_queries, replace=False))
    scores = np.sort(rng.gamma(8, 2, shape), axis=1)[:, ::-1].round(6)
    documents = rng.integers(0, size.n_collection, shape)
    columns = [
        np.repeat(qids, size.n_documents),
        pa.array(np.repeat("Q0", documents.size)),
        documents.ravel(),
        np.tile(np.arange(1, size.n_documents + 1), size.n_queries),
        scores.ravel(),
        pa.array(np.repeat("model", documents.size)),
    ]
    with path.open("wb") as file:
        pc.write_csv(pa.table(columns, names=list("abcdef")), file, _RUN_OPTIONS)


def write_magnitudes(path: Path, size: Size) -> None:
    """A scored collection whose docnos are the numbers from 0, as in MS MARCO."""
    rng, n = np.random.default_rng(1), size.n_collection
    tc = {g: (np.where(rng.random(n) < 0.12, rng.poisson(2, n), 0)).astype(np.int32) for g in "fm"}
    scores = Scores(
        n_tokens=rng.integers(1, 90, n).astype(np.int32),
        tc=tc,
        tf={group: log_table()[counts] for group, counts in tc.items()},
    )
    made_up = {"lexicon_name": "made up", "lexicon_sha256": "", "tokenizer": "word"}
    with writing_magnitudes(path, ("f", "m")) as writer:
        writer.write(pa.array(np.arange(n)).cast(pa.string()), scores)
        writer.finish(
            Metadata(
                **made_up,
                groups=("f", "m"),
                collection_name="made up",
                collection_size=0,
                collection_digest="",
                n_documents=n,
                program_version="",
            )
        )


# -- Ours --------------------------------------------------------------------------------------


def pooled(runs: list[Run], magnitudes: Magnitudes) -> Pool:
    """The first queries of the two lists of each run."""
    measured = measure_runs(runs, magnitudes, first=POOLED)
    return pool_of([ranking for run in measured for ranking in run.lists], POOLED)


# -- The comparison ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Took:
    """Seconds on the clock, and of the processor, which other programs disturb less."""

    wall: float
    cpu: float


def took(work: Callable[[], _T]) -> tuple[Took, _T]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return Took(time.perf_counter() - wall, time.process_time() - cpu), result


def compare(folder: Path, size: Size) -> dict[str, list[float]]:
    """The figures of each round, by name."""
    paths = {f"R{i}": folder / f"{i}.run" for i in range(size.n_runs)}
    for seed, path in enumerate(paths.values(), start=2):
        write_run(path, size, seed)
    write_magnitudes(folder / "m.parquet", size)
    first = _first_queries(paths["R0"], folder / "first.run", size)
    scale = size.n_runs * size.n_queries / size.n_loop
    opened, magnitudes = took(lambda: _loaded(folder / "m.parquet"))
    biases = _dictionaries(magnitudes, loop_read(first))
    read_runs({"R0": paths["R0"]}, depth=1)  # compiles, and so does the next
    ranx_read(first)
    sides = [tuple(magnitudes.magnitude(name, group) for group in "fm") for name in ("tf", "bool")]
    figures: dict[str, list[float]] = {"loading the scored collection, s": [opened.wall]}
    for number in range(size.rounds):
        say(f"  round {number + 1}")
        loop, expected = took(lambda: loop_measure(loop_read(first), biases))
        with_ir_measures, _ = took(partial(ir_measures_read, first))
        with_ranx, _ = took(partial(ranx_read, first))
        files = list(paths.values())
        with_polars, means = took(partial(polars_measure, files, size.n_documents, sides))
        ours, scored = took(lambda: score_runs(paths, magnitudes, REQUESTS))
        reading, runs = took(lambda: read_runs(paths, depth=max(CUTOFFS)))
        pooling, _ = took(partial(pooled, runs, magnitudes))
        _check(scored.results, expected)
        _check_means(scored.results, means)
        for name, value in {
            "loop, s": loop.wall * scale,
            "ir_measures, reading alone, s": with_ir_measures.wall * scale,
            "ranx, reading alone, s": with_ranx.wall * scale,
            "polars and NumPy, s": with_polars.wall,
            "Fairpool, s": ours.wall,
            "Fairpool, reading alone, s": reading.wall,
            "Fairpool, pool after reading, s": pooling.wall,
            "ratio to the loop: polars and NumPy": loop.wall * scale / with_polars.wall,
            "ratio to the loop: Fairpool": loop.wall * scale / ours.wall,
            "ratio to the loop: Fairpool, of processor time": loop.cpu * scale / ours.cpu,
            "ratio of reading to ir_measures": with_ir_measures.wall * scale / reading.wall,
            "ratio of reading to ranx": with_ranx.wall * scale / reading.wall,
        }.items():
            figures.setdefault(name, []).append(value)
    return figures


def _loaded(path: Path) -> Magnitudes:
    magnitudes = open_magnitudes(path)
    magnitudes.find([])
    return magnitudes


def _first_queries(path: Path, target: Path, size: Size) -> Path:
    with path.open("rb") as file, target.open("wb") as first:
        for _ in range(size.n_loop * size.n_documents):
            first.write(file.readline())
    return target


def _dictionaries(
    magnitudes: Magnitudes, run: dict[int, list[int]]
) -> list[dict[int, tuple[float, float]]]:
    """The pairs (female, male) that the loop looks up: tf, then bool."""
    documents = sorted({document for documents in run.values() for document in documents})
    return [
        dict(
            zip(
                documents,
                zip(*(column[documents].tolist() for column in columns), strict=True),
                strict=True,
            )
        )
        for columns in (
            [magnitudes.tf[group] for group in "fm"],
            [(magnitudes.tc[group] > 0).astype(float) for group in "fm"],
        )
    ]


def _check(
    results: list[Result], expected: dict[tuple[int, int, int], tuple[float, float]]
) -> None:
    """Ours are the loop's values; so are the queries in which a document repeats, or nearly."""
    of_first = {
        (result.measure, result.magnitude, result.cutoff): dict(
            zip(result.qids, result.per_query.value.tolist(), strict=True)
        )
        for result in results
        if result.run == "R0"
    }
    errors = [
        abs(of_first[measure, ("tf", "bool")[which], cutoff][str(qid)] - values[side])
        for (which, qid, cutoff), values in expected.items()
        for side, measure in enumerate(("RaB", "ARaB"))
    ]
    # The loop counts a repeated document twice; about one query in five hundred has one in its top.
    agreeing = mean(error < 1e-9 for error in errors)
    if agreeing < 0.99:
        raise AssertionError(f"only {agreeing:.2%} of the values agree")


def _check_means(results: list[Result], means: list[float]) -> None:
    """Ours are those of polars, but for the few queries in which a document repeats."""
    errors = [abs((result.value or 0) - mean) for result, mean in zip(results, means, strict=True)]
    if max(errors) > 1e-3:
        raise AssertionError(f"means differ by {max(errors)}")


def peak_gigabytes(folder: Path) -> float:
    """Peak memory of reading and measuring all runs, in a process of its own."""
    code = "import sys; from measurements.bench.runs import _all_here; _all_here(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def _all_here(folder: str) -> None:
    paths = {path.stem: path for path in sorted(Path(folder).glob("[0-9]*.run"))}
    magnitudes = open_magnitudes(Path(folder) / "m.parquet")
    score_runs(paths, magnitudes, REQUESTS)
    # Not getrusage: there a process begins with the peak of the one that started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = re.search(r"VmHWM:\s+(\d+) kB", status)
    sys.stdout.write(str(int(kilobytes[1]) * 1024 / 1e9 if kilobytes else float("nan")))


def run(folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown: the median of each figure with its least and greatest value."""
    size = QUICK if quick else Size()
    figures = compare(folder, size)
    figures["peak memory, GB"] = [peak_gigabytes(folder)]
    about = (
        f"{size.n_runs} runs of {size.n_queries:,} queries x {size.n_documents} documents; RaB and "
        f"ARaB at {', '.join(map(str, CUTOFFS))}, tf and bool; a scored collection of "
        f"{size.n_collection:,} passages, loaded before. *Loop*: the released notebook's way, "
        f"measured on {size.n_loop:,} queries and scaled to all; so are the readers of ir_measures "
        "and ranx. *polars and NumPy* takes for granted that every query has the same number of "
        "lines, together and in order, computes no checksum and looks for nothing odd; Fairpool "
        "checks every line."
    )
    lines = ["## Runs to RaB and ARaB, and to a pool", "", about, ""]
    lines += ["| figure | median | least | greatest |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {median(values):.3g} | {min(values):.3g} | {max(values):.3g} |"
        for name, values in figures.items()
    ]
    return "\n".join(lines)
