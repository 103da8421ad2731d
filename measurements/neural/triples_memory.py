"""`python -m measurements.neural.triples_memory [--triples N]`: the memory of a large file.

Writes a collection of as many passages as a tenth of the triples, and triples of ids, into a
temporary folder; reads one shuffled epoch of 1,000,000 of them, and prints peak memory and times.
"""

import argparse
import random
import resource
import tempfile
import time
from itertools import islice
from pathlib import Path

import torch

from rankers.neural.passages import Passages
from rankers.neural.triples import TripleFile

_TEXT = "a passage of some sixty words, as those of MS MARCO are " * 5
_READ = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=10_000_000)
    n_triples = parser.parse_args().triples
    n_passages, rng = max(1, n_triples // 10), random.Random(0)
    say(f"before: {memory():.0f} MB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "c.tsv").open("w") as file:
            file.writelines(f"{i}\t{_TEXT}{i}\n" for i in range(n_passages))
        with (folder / "t.tsv").open("w") as file:
            for _ in range(n_triples):
                positive, negative = rng.randrange(n_passages), rng.randrange(n_passages)
                file.write(f"{positive % 1000}\t{positive}\t{negative}\n")
        started = time.perf_counter()
        passages = Passages(folder / "c.tsv", folder)
        say(f"{len(passages):,} passages: {memory():.0f} MB, {time.perf_counter() - started:.0f} s")
        queries = {str(i): f"query {i}" for i in range(1000)}
        started = time.perf_counter()
        triples = TripleFile(folder / "t.tsv", queries, passages)
        say(f"{len(triples):,} triples: {memory():.0f} MB, {time.perf_counter() - started:.0f} s")
        started = time.perf_counter()
        drawn = islice(triples.shuffled(torch.Generator().manual_seed(0)), _READ)
        n_read = sum(1 for _ in drawn)
        say(f"{n_read:,} read: {memory():.0f} MB, {time.perf_counter() - started:.0f} s")


def memory() -> float:
    """Peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a script


if __name__ == "__main__":
    main()
