"""A collection on an engine and in many files, against one file at once."""

import os
import resource
import shutil
import statistics
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from measurements.bench.collections import BODIES, bodies, write_tsv
from measurements.bench.measuring import MEGA, ROUNDS, say
from metrics.extras import has
from metrics.texts.scan.reading import SMALL
from metrics.texts.scoring import score_collection

#: What stands below the table: the goals, and why one may be missed.
REASONS = """
Processor seconds of this process and of all that it started. Goals: many files 1.2 times one; an
engine, less what starting it and loading the kernels in each worker takes (two files of 18 MB are
1 % of the work), 1.3 times. Beside what is done at once, parts are written and read, docnos are
compared in each part and in the whole, and a file that is cut is read a second time for its
checksum.
"""
_PASSAGES, _QUICK_PASSAGES = 9_000_000, 50_000
_MANY = 1 << 20  # bytes of each of many files
_START = " for two files of 18 MB"
#: Ray's workers are nobody's children, so that their seconds cannot be told.
_PACKAGES = {"dask": "distributed", "processes": "concurrent"}


def _processor_seconds() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _cut(path: Path, folder: Path) -> list[Path]:
    """The lines of the file in files of about a megabyte."""
    folder.mkdir()
    paths: list[Path] = []
    with path.open("rb") as file:
        while lines := file.readlines(_MANY):
            paths.append(folder / f"{len(paths):06d}.tsv")
            paths[-1].write_bytes(b"".join(lines))
    return paths


def _begun(path: Path, folder: Path) -> list[Path]:
    """Two files just large enough that each of two workers loads the kernels."""
    folder.mkdir()
    with path.open("rb") as file:
        for name in ("a.tsv", "b.tsv"):
            (folder / name).write_bytes(b"".join(file.readlines(SMALL + _MANY)))
    return sorted(folder.iterdir())


def run(folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown."""
    say("shards")
    count = _QUICK_PASSAGES if quick else _PASSAGES
    path = write_tsv(folder / "c.tsv", count, bodies(min(count, 20_000 if quick else BODIES)))
    start = _begun(path, folder / "start")
    many = _cut(path, folder / "many")
    engines = [name for name, package in _PACKAGES.items() if has(package)]
    ways = {
        "one file at once": partial(score_collection, path),
        f"{len(many):,} files of a megabyte at once": partial(score_collection, many),
    }
    for name in engines:
        ways[f"`--engine {name}`"] = partial(score_collection, path, engine=name)
        ways[f"`--engine {name}`{_START}"] = partial(
            score_collection, start, engine=name, shard_size=SMALL
        )
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(1 if quick else ROUNDS + 1):
        for way, score in ways.items():
            output = folder / f"{len(way)}.parquet"
            before = _processor_seconds()
            # A fresh process, as a command is: a fork would drag along what we hold.
            process = get_context("spawn").Process(target=score, kwargs={"output": output})
            process.start()
            process.join()
            if process.exitcode:
                raise AssertionError("scoring failed")
            if number or quick:  # the first round loads and compiles
                seconds[way].append(_processor_seconds() - before)
            say(f"shards: {way}")
    at_once = seconds["one file at once"]
    for name in engines:
        whole, begun = (seconds[f"`--engine {name}`{what}"] for what in ("", _START))
        seconds[f"`--engine {name}` less that"] = [
            everything - begin for everything, begin in zip(whole, begun, strict=True)
        ]
    lines = [
        "## Many files, and engines",
        "",
        (
            f"{count:,} passages ({path.stat().st_size / MEGA:,.0f} MB), tokenizer `word`, each "
            f"way in a process of its own with all {os.cpu_count()} cores. The files that are "
            "written are the same, byte for byte."
        ),
        "",
        "| way | processor seconds | least | greatest | to one file |",
        "|---|---:|---:|---:|---:|",
    ]
    for way, values in seconds.items():
        ratios = [own / of_one for own, of_one in zip(values, at_once, strict=True)]
        lines.append(
            f"| {way} | {statistics.median(values):.3g} | {min(values):.3g} | {max(values):.3g} "
            f"| {statistics.median(ratios):.2f} |"
        )
    shutil.rmtree(folder / "many")
    return "\n".join(lines)
