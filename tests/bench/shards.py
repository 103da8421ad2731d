"""A collection in shards against the same collection at once."""

import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from metrics.texts.shards import Plan, checksum_of, join_parts, plan_shards, score_shard
from tests.bench.collections import BODIES, bodies, write_tsv
from tests.bench.measuring import MEGA, ROUNDS, say

#: What stands below the table: the goals, and why one may be missed.
REASONS = """
Goal: 1.3 times. Beside what is done at once, the parts are written and read, and the collection is
read a second time for its checksum. The parts are joined while later shards are scored, on the same
two cores here; over several machines only the checksum and what is left of the joining do not
become shorter.
"""
_PASSAGES, _QUICK_PASSAGES = 3_000_000, 50_000
_SHARDS = 16
_PROCESSES = 2


@dataclass(frozen=True)
class _Took:
    """Seconds of the steps of one round."""

    at_once: float
    planning: float
    scoring: float

    @property
    def ratio(self) -> float:
        return (self.planning + self.scoring) / self.at_once


def _part(plan: Plan, folder: Path, number: int) -> Path:
    """A shard, as a worker does it."""
    part = folder / f"{number}.part"
    score_shard(plan, number, part, lexicon=read_lexicon(), tokenizer="word")
    return part


def _round(path: Path, folder: Path, workers: ProcessPoolExecutor, size: int) -> _Took:
    at_once, joined = folder / "at-once.parquet", folder / "joined.parquet"
    times = [time.perf_counter()]
    score_collection(path, at_once, lexicon=read_lexicon())
    times.append(time.perf_counter())
    plan = plan_shards([path], shard_size=size)
    times.append(time.perf_counter())
    digest = workers.submit(checksum_of, plan)
    join_parts(
        plan,
        workers.map(partial(_part, plan, folder), range(len(plan.shards))),
        joined,
        lexicon=read_lexicon(),
        tokenizer="word",
        collection_digest=digest.result,
    )
    times.append(time.perf_counter())
    if at_once.read_bytes() != joined.read_bytes():
        raise AssertionError("the shards do not join to the same bytes")
    return _Took(*(after - before for before, after in pairwise(times)))


def run(folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown."""
    say("shards")
    count = _QUICK_PASSAGES if quick else _PASSAGES
    path = write_tsv(folder / "c.tsv", count, bodies(min(count, 20_000 if quick else BODIES)))
    size = path.stat().st_size // _SHARDS + 1
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as workers:
        _round(path, folder, workers, size)  # loads and compiles
        rounds = [_round(path, folder, workers, size) for _ in range(1 if quick else ROUNDS)]
    steps = {
        "at once, all cores": [took.at_once for took in rounds],
        "cutting": [took.planning for took in rounds],
        f"scoring {_SHARDS} shards, the checksum, joining the parts": [
            took.scoring for took in rounds
        ],
        "ratio of both to at once": [took.ratio for took in rounds],
    }
    about = (
        f"{count:,} passages ({path.stat().st_size / MEGA:,.0f} MB) at once and in {_SHARDS} "
        f"shards on {_PROCESSES} processes of the same machine, tokenizer `word`: what the way "
        "over several machines costs, without their broker and their network. The files are the "
        "same, byte for byte."
    )
    lines = ["## A collection in shards", "", about, ""]
    lines += [
        "| step | seconds | least | greatest |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {statistics.median(values):.3g} | {min(values):.3g} | {max(values):.3g} |"
        for name, values in steps.items()
    ]
    return "\n".join(lines)
