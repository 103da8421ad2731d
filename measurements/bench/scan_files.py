"""Collections from files to the finished Parquet file: processes as a person starts them."""

import math
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

from measurements.bench.collections import write_tsv
from measurements.bench.measuring import MEGA, Timing, run_module, say, time_rounds
from measurements.bench.notebook import LOOP, notebook
from metrics.vocabulary import TOKENIZERS, Tokenizer

_LINES_OF_LOOP, _PASSAGES_OF_NOTEBOOK = 10_000, 50_000
_NAMED_OF_100 = 7
_SIZES, _QUICK_SIZES = (100_000, 1_000_000, 9_000_000), (20_000, 100_000)


@dataclass
class _Row:
    """Times of one size and tokenizer, round by round."""

    passages: int
    size: float
    tokenizer: Tokenizer
    seconds: list[float] = field(default_factory=list)
    to_notebook: list[float] = field(default_factory=list)
    to_loop: list[float] = field(default_factory=list)
    peak: float = 0.0
    peak_of_notebook: float = 0.0

    def line(self) -> str:
        seconds = statistics.median(self.seconds)
        return (
            f"| {self.passages:,} | {self.size:,.0f} | `{self.tokenizer}` | {seconds:.2f} | "
            f"{self.passages / seconds:,.0f} | {self.size / seconds:,.0f} | "
            f"{_spread(self.to_notebook)} | {_spread(self.to_loop)} | {self.peak:,.0f} |"
        )


def section(folder: Path, texts: list[bytes], rounds: int, *, quick: bool) -> str:
    """From files to files, with growth, and from a cold start."""
    sizes = _QUICK_SIZES if quick else _SIZES
    few = write_tsv(folder / "few.tsv", min(_PASSAGES_OF_NOTEBOOK, sizes[0]), texts)
    rows, whole, cold, only = [], "", "", ""
    for count in sizes:
        path = write_tsv(folder / f"{count}.tsv", count, texts)
        say(f"  {count:,} passages")
        rows_of_size = [
            _Row(count, path.stat().st_size / MEGA, tokenizer) for tokenizer in TOKENIZERS
        ]
        for _ in range(rounds):
            for row in rows_of_size:
                _measure(row, path, few, folder)
        rows += rows_of_size
        if count == sizes[-1] and not quick:
            say("  the whole notebook")
            whole = _whole(path, rows_of_size[-1], folder)
            say("  cold")
            cold = _cold(path, rounds, folder)
        if count == sizes[-1]:
            say("  only what a run names")
            only = _only_run(path, count, rounds, folder)
        path.unlink()
    lines = [
        "### To the finished file\n",
        (
            "`fairpool score` as a process: start of Python, loading the compiled kernels, "
            "reading, digest of the input, scan, Parquet. *Notebook*: the released notebook as a "
            f"program, from its description: a file of {_lines_of(few):,} passages read line by "
            f"line, its loop, a pickled dictionary ({rows[0].peak_of_notebook:,.0f} MB of memory "
            f"for these). *Loop*: its loop alone on {_LINES_OF_LOOP:,} passages in memory. Both in "
            "the same round, their time scaled by bytes.\n"
        ),
        (
            "| passages | MB | tokenizer | seconds | passages/s | MB/s | to notebook (min - max) | "
            "to loop (min - max) | peak memory, MB |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
        *(row.line() for row in rows),
        "",
        whole,
        "",
        _growth(rows),
        "",
        cold,
        "",
        only,
    ]
    return "\n".join(lines)


def _arguments(path: Path, tokenizer: Tokenizer, folder: Path) -> list[str]:
    output = str(folder / "m.parquet")
    arguments = ["score", str(path), "--output", output, "--quiet"]
    return [*arguments, "--tokenizer", tokenizer]


def _measure(row: _Row, path: Path, few: Path, folder: Path) -> None:
    """One round: the references and ours, one after the other."""
    notebook_seconds, row.peak_of_notebook = run_module(
        "measurements.bench.notebook", [str(few), row.tokenizer, str(folder / "notebook.pickle")]
    )
    with path.open("rb") as file:
        lines = [file.readline() for _ in range(_LINES_OF_LOOP)]
    size_of_lines = sum(map(len, lines)) / MEGA
    loop = time_rounds({LOOP: (size_of_lines, partial(notebook, lines, row.tokenizer))}, 1)[LOOP]
    seconds, peak = run_module("config.program", _arguments(path, row.tokenizer, folder))
    own = Timing(row.size, (seconds,))
    row.seconds.append(seconds)
    row.peak = max(row.peak, peak)
    row.to_notebook += own.ratios(Timing(few.stat().st_size / MEGA, (notebook_seconds,)))
    row.to_loop += own.ratios(loop)


def _whole(path: Path, row: _Row, folder: Path) -> str:
    """The notebook on all passages, which shows what scaling its time by bytes hides."""
    seconds, peak = run_module(
        "measurements.bench.notebook", [str(path), row.tokenizer, str(folder / "notebook.pickle")]
    )
    return (
        f"The notebook on all {row.passages:,} passages, `{row.tokenizer}`, once: {seconds:,.0f} s "
        f"and {peak / 1000:.1f} GB, {seconds / statistics.median(row.seconds):.1f} times as long "
        "as Fairpool."
    )


def _spread(ratios: Sequence[float]) -> str:
    return f"{statistics.median(ratios):.1f} ({min(ratios):.1f} - {max(ratios):.1f})"


def _lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _growth(rows: Sequence[_Row]) -> str:
    """The exponent between each two sizes: below 1 while the start takes a part of the time."""
    parts = []
    for tokenizer in TOKENIZERS:
        points = [(row.passages, min(row.seconds)) for row in rows if row.tokenizer == tokenizer]
        steps = ", ".join(
            f"{math.log(t / s) / math.log(n / m):.2f} from {m:,} to {n:,}"
            for (m, s), (n, t) in pairwise(points)
        )
        parts.append(f"{steps} with `{tokenizer}`")
    return (
        "Growth of the time with the number of passages, exponents between the quickest rounds: "
        f"{'; '.join(parts)}."
    )


def _cold(path: Path, rounds: int, folder: Path) -> str:
    """With nothing of the file in memory, and with no compiled kernel on disk."""
    arguments = _arguments(path, "word", folder)
    read, cold = [], []
    for _ in range(min(rounds, 3)):
        _erase(path)
        start = time.perf_counter()
        with path.open("rb", buffering=0) as file:
            buffer = bytearray(1 << 20)
            while file.readinto(buffer):
                pass
        read.append(time.perf_counter() - start)
        _erase(path)
        cold.append(run_module("config.program", arguments)[0])
    compiled, _ = run_module(
        "config.program", arguments, {"NUMBA_CACHE_DIR": str(folder / "kernels")}
    )
    size = path.stat().st_size / MEGA
    return (
        f"From a cold start, {size:,.0f} MB, `word`, medians of {len(cold)} rounds: "
        f"{statistics.median(cold):.2f} s where the file is not in the page cache (reading it "
        f"alone: {statistics.median(read):.2f} s), {compiled:.2f} s (once) where it is, but "
        "the kernels have to be compiled first."
    )


def _only_run(path: Path, count: int, rounds: int, folder: Path) -> str:
    """`--only-run` with a run that names seven passages of each hundred, beside all passages."""
    run, named = folder / "few.run", [i for i in range(count) if i % 100 < _NAMED_OF_100]
    with run.open("w") as file:
        for place, docno in enumerate(named):
            query, rank = divmod(place, 1_000)
            file.write(f"{query} Q0 {docno} {rank + 1} {1_000 - rank} few\n")
    arguments = _arguments(path, "word", folder)
    ratios = []
    for _ in range(min(rounds, 3)):
        whole = run_module("config.program", arguments)[0]
        ratios.append(run_module("config.program", [*arguments, "--only-run", str(run)])[0] / whole)
    return (
        f"`--only-run` with a run that names {len(named):,} of {count:,} passages, and is read "
        f"before: {_spread(ratios)} times as long as scoring all of them."
    )


def _erase(path: Path) -> None:
    """Drop the file from the page cache."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
