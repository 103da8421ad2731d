"""The scan of collections: in memory, to finished Parquet, and packed input."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from measurements.bench import scan_files, scan_packed, scan_swapped
from measurements.bench.collections import BODIES, bodies, write_tsv
from measurements.bench.measuring import MEGA, ROUNDS, Techniques, say, table, time_rounds
from measurements.bench.notebook import LOOP, notebook
from measurements.bench.scan_blocks import blocks_of
from measurements.bench.scan_references import count_vectorizer, with_duckdb, with_polars
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scan.fast import with_kernels
from metrics.texts.scan.reading import Workspace
from metrics.texts.scan.scored import ScoreBlock
from metrics.vocabulary import TOKENIZERS

#: What stands below the tables: the goals, and why one may be missed.
REASONS = """
Goals: kernels 150 times the loop on one thread; end to end, at nine million passages, 60 times with
`whitespace` and 110 times with `word` in 600 MB; the tagger at 10 MB/s. The kernels do the same
work for both tokenizers, while the loop of `whitespace` is three times as fast as that of `word`:
its ratios are that much lower. The kernels also check UTF-8, digest docnos and count tokens.
Loading Python, Arrow and the kernels takes most of a second whatever the size, which is what small
collections show; of the rest, the checksum and Parquet take as long as the scan.

60 times the loop of `whitespace` would be 2.2 s for the nine million passages, .64 s less. Of the
2.86 s the start takes .93 (100,000 passages take as long); the other 1.93 are 1,740 MB/s, which is
what the kernels alone reach in memory on two threads. So it takes a third core, or a start in .3 s,
without loading Arrow and the compiled kernels.
"""
_LINES_OF_LOOP, _LINES_OF_OTHERS = 10_000, 50_000


def run(folder: Path, *, quick: bool) -> str:
    """The section on the scan, in Markdown."""
    rounds = 1 if quick else ROUNDS
    texts = bodies(20_000 if quick else BODIES)
    say("scan: in memory")
    parts = ["## The scan", _kernels(folder, texts, rounds)]
    say("scan: files")
    parts.append(scan_files.section(folder, texts, rounds, quick=quick))
    say("scan: packed input")
    parts.append(scan_packed.section(folder, texts, rounds, quick=quick))
    say("scan: swapped")
    parts.append(scan_swapped.section(folder, texts, rounds))
    return "\n\n".join(parts)


def _kernels(folder: Path, texts: list[bytes], rounds: int) -> str:
    path = write_tsv(folder / "kernels.tsv", len(texts), texts)
    lines = path.read_bytes().splitlines(keepends=True)
    lines = [line for line in lines[:_LINES_OF_OTHERS] if b"\t" in line]
    size = path.stat().st_size
    parts = [
        "### In memory",
        (
            f"{len(texts):,} passages of {size / len(texts):.0f} bytes as lines of TSV in "
            "memory, to docnos with their digests, token counts, group counts and magnitudes. "
            "polars and duckdb find only the magnitudes, of a column of texts, with all cores."
        ),
    ]
    for tokenizer in TOKENIZERS:
        few = lines[:_LINES_OF_LOOP]
        techniques: dict[str, tuple[float, Callable[[], object]]] = {
            LOOP: (sum(map(len, few)) / MEGA, partial(notebook, few, tokenizer))
        }
        if tokenizer == "whitespace":
            techniques |= _others(lines)
        score = with_kernels(read_lexicon(), tokenizer, "tsv")
        for threads in (1, 2):
            name = f"Fairpool, {threads} thread" + "s" * (threads > 1)
            techniques[name] = (size / MEGA, partial(_score, blocks_of(path), score, threads))
        timings = time_rounds(techniques, rounds)
        parts.append(f"Tokenizer `{tokenizer}`:\n\n{table(timings, LOOP)}")
    return "\n\n".join(parts)


def _others(lines: list[bytes]) -> Techniques:
    size = sum(map(len, lines)) / MEGA
    few = lines[:_LINES_OF_LOOP]
    polars, duckdb = with_polars(lines), with_duckdb(lines)
    expected = sum(map(sum, notebook(lines, "whitespace")))
    if not all(math.isclose(reference(), expected) for reference in (polars, duckdb)):
        raise AssertionError("a reference computes something else")
    return {
        "scikit-learn CountVectorizer": (
            sum(map(len, few)) / MEGA,
            partial(count_vectorizer, few),
        ),
        "duckdb": (size, duckdb),
        "polars": (size, polars),
    }


def _score(blocks: list[Workspace], score: ScoreBlock, threads: int) -> int:
    if threads == 1:
        return sum(len(score(block).docnos) for block in blocks)
    with ThreadPoolExecutor(threads) as pool:
        return sum(len(scored.docnos) for scored in pool.map(score, blocks))
