"""`python -m measurements.chain_speed`: processor and memory of `fairpool chain`.

Writes made-up answers of twelve sentences, with up to three citations each: 100,000 to as many
queries by one system, and as many of 1,000 systems to 100 queries, whose lists have lengths of
their own, with the systems in turn. Follows each in a process of its own, and prints a row of
results/chain.md: the seconds of processor in all, and those of reading the run and the labels
alone, beside the peak of memory of both. `--answers 10000` for a look.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

N_DOCUMENTS, N_SENTENCES, N_WORDS, N_REFERENCES, MOST_CITED = 200_000, 12, 15, 20, 3
WORDS = ("he", "his", "father", "she", "her", "the", "report", "says", "that", "a", "road", "is")
_READ = """
import sys
from metrics.runs import read_run
from metrics.texts.labels import read_labels
read_run(sys.argv[1]), read_labels(sys.argv[2])
"""


def lists(random: np.random.Generator, n: int, shortest: int, longest: int) -> Iterator[list[str]]:
    for k in random.integers(shortest, longest + 1, size=n).tolist():
        yield [f"d{d}" for d in random.choice(N_DOCUMENTS, k, replace=False)]


def answer(random: np.random.Generator, system: str, qid: int, listed: list[str]) -> str:
    words = random.integers(len(WORDS), size=(N_SENTENCES, N_WORDS)).tolist()
    cited = [
        random.permutation(N_REFERENCES)[:k]
        for k in random.integers(MOST_CITED + 1, size=N_SENTENCES)
    ]
    sentences = [
        {"text": " ".join(WORDS[w] for w in of), "citations": places.tolist()}
        for of, places in zip(words, cited, strict=True)
    ]
    record = {"run_id": system, "topic_id": str(qid), "references": listed[:N_REFERENCES]}
    return json.dumps({**record, "answer": sentences}) + "\n"


def write(folder: Path, listed: Iterator[list[str]], n_systems: int) -> None:
    """A run, its labels and the answers of the systems, query by query."""
    random = np.random.default_rng(1)
    with (folder / "labels.csv").open("w") as labels:
        labels.writelines(f"d{d},{'fm'[d % 2]}\n" for d in range(N_DOCUMENTS))
    with (folder / "lists.run").open("w") as run, (folder / "answers.jsonl").open("w") as answers:
        for qid, docnos in enumerate(listed):
            run.writelines(f"{qid} Q0 {d} {r} {-r} x\n" for r, d in enumerate(docnos, start=1))
            answers.writelines(answer(random, f"s{s}", qid, docnos) for s in range(n_systems))


def measured(*arguments: str) -> tuple[float, float]:
    """Seconds of processor and peak memory in MB of Python with these arguments."""
    process = subprocess.Popen([sys.executable, *arguments])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the program ended with {status}.")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def rows(n_answers: int) -> Iterator[str]:
    random = np.random.default_rng(0)
    n_queries = max(1, n_answers // 1_000)
    designs = {
        f"{n_answers:,} queries, 50 documents each": (lists(random, n_answers, 50, 50), 1),
        f"{n_queries:,} queries, 50 to 150 documents": (
            lists(random, n_queries, 50, 150),
            n_answers // n_queries,
        ),
    }
    yield "| lists | systems | seconds | of which reading | MB | of which reading |"
    yield "|---|---|---|---|---|---|"
    for name, (listed, n_systems) in designs.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            write(folder, listed, n_systems)
            files = [str(folder / f) for f in ("lists.run", "labels.csv", "answers.jsonl")]
            read = measured("-c", _READ, *files[:2])
            options = ("--run", f"x={files[0]}", "--labels", files[1], "--answers", files[2])
            all_of_it = measured(
                "-m", "config.program", "chain", *options, "-o", str(folder / "chain.csv")
            )
        pairs = (f"{whole:,.0f} | {part:,.0f}" for whole, part in zip(all_of_it, read, strict=True))
        yield f"| {name} | {n_systems:,} | {' | '.join(pairs)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    for row in rows(parser.parse_args().answers):
        print(row, flush=True)  # noqa: T201 - a script


if __name__ == "__main__":
    main()
