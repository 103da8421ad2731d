"""The scan of collections: the kernels in memory, and files to finished Parquet."""

import gzip
import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import zstandard
from isal import igzip
from sklearn.feature_extraction.text import CountVectorizer

from metrics.lexicon import read_lexicon
from metrics.scan.checksum import Checksum
from metrics.scan.fast import with_kernels
from metrics.scan.reading import Workspace, open_blocks
from metrics.scan.scored import ScoreBlock
from metrics.scoring import score_collection
from metrics.tokens import TOKENIZERS, Tokenizer, tokenize
from tests.bench.collections import BODIES, bodies, write_tsv
from tests.bench.measuring import Timing, run_command, say, table, time_rounds

_REFERENCE = "released notebook's loop, 1 process"
_MEGA = 1e6


def run(folder: Path, *, quick: bool) -> str:
    """The section on the scan, in Markdown."""
    rounds = 3 if quick else 5
    texts = bodies(20_000 if quick else BODIES)
    sizes = [20_000, 100_000] if quick else [100_000, 1_000_000, 9_000_000]
    say("scan: kernels")
    parts = ["## The scan", _kernels(folder, texts, rounds)]
    say("scan: files")
    parts += [_files(folder, texts, sizes, rounds), _packed(folder, texts, rounds, quick=quick)]
    return "\n\n".join(parts)


def notebook(lines: Sequence[bytes], tokenizer: Tokenizer) -> list[list[float]]:
    """The released notebook's way, written from its description: per document a Counter of all
    tokens, per word of each group a look-up and a logarithm, results in lists.
    """
    lexicon = read_lexicon()
    results = []
    for line in lines:
        _docno, text = line.decode().rstrip("\n").split("\t", 1)
        is_plain = tokenizer == "whitespace"
        tokens = text.lower().split(" ") if is_plain else tokenize(text, tokenizer)
        counts = Counter(tokens)
        magnitudes = []
        for words in lexicon.words:
            magnitude = 0.0
            for word in words:
                if word in counts:
                    magnitude += np.log(1 + counts[word])
            magnitudes.append(magnitude)
        results.append(magnitudes)
    return results


def _count_vectorizer(lines: Sequence[bytes]) -> object:
    lexicon = read_lexicon()
    vectorizer = CountVectorizer(
        vocabulary=[word for words in lexicon.words for word in words],
        tokenizer=lambda text: text.split(" "),
        token_pattern=None,
    )
    return vectorizer.transform(line.decode().split("\t", 1)[1] for line in lines)


def _kernels(folder: Path, texts: list[bytes], rounds: int) -> str:
    path = write_tsv(folder / "kernels.tsv", len(texts), texts)
    blocks = _blocks_of(path)
    size = path.stat().st_size / _MEGA
    few = path.read_bytes().splitlines(keepends=True)[:5_000]
    few = [line for line in few if b"\t" in line]
    few_size = sum(map(len, few)) / _MEGA
    parts = [
        "### In memory\n",
        (
            f"{len(texts):,} passages of {size * _MEGA / len(texts):.0f} bytes as lines of TSV in "
            "memory, to docnos, token counts, group counts and magnitudes."
        ),
    ]
    for tokenizer in TOKENIZERS:
        score = with_kernels(read_lexicon(), tokenizer, "tsv")
        techniques: dict[str, tuple[float, Callable[[], object]]] = {
            _REFERENCE: (few_size, partial(notebook, few, tokenizer)),
        }
        if tokenizer == "whitespace":
            techniques["scikit-learn CountVectorizer"] = (few_size, partial(_count_vectorizer, few))
        techniques["Fairpool, 1 thread"] = (size, partial(_score, blocks, score, 1))
        techniques["Fairpool, 2 threads"] = (size, partial(_score, blocks, score, 2))
        timings = time_rounds(techniques, rounds)
        parts.append(f"Tokenizer `{tokenizer}`:\n\n{table(timings, _REFERENCE)}")
    return "\n\n".join(parts)


def _blocks_of(path: Path) -> list[Workspace]:
    blocks: list[Workspace] = []
    with Checksum() as checksum, open_blocks(path, checksum) as reader:
        while True:
            workspace = Workspace()
            if not reader.fill(workspace):
                return blocks
            blocks.append(workspace)


def _score(blocks: list[Workspace], score: ScoreBlock, threads: int) -> int:
    if threads == 1:
        return sum(len(score(block).docnos) for block in blocks)
    with ThreadPoolExecutor(threads) as pool:
        return sum(len(scored.docnos) for scored in pool.map(score, blocks))


def _files(folder: Path, texts: list[bytes], sizes: Sequence[int], rounds: int) -> str:
    lines = [
        "### To the finished file\n",
        (
            "`score_collection` as a process: start of Python, loading the compiled kernels, "
            "reading, SHA-256 of the input, scan, Parquet. The ratio is to the notebook's loop of "
            "the same round on 5,000 passages, scaled, without its reading and start.\n"
        ),
        "| passages | MB | tokenizer | seconds | MB/s | ratio (min - max) | peak memory, MB |",
        "|---|---|---|---|---|---|---|",
    ]
    seconds_of: dict[str, list[tuple[int, float]]] = {name: [] for name in TOKENIZERS}
    for count in sizes:
        path = write_tsv(folder / f"{count}.tsv", count, texts)
        size = path.stat().st_size / _MEGA
        with path.open("rb") as file:
            few = [file.readline() for _ in range(5_000)]
        few_size = sum(map(len, few)) / _MEGA
        for tokenizer in TOKENIZERS:
            say(f"  {count:,} passages, {tokenizer}")
            output = str(folder / "m.parquet")
            arguments = ["score_collection", str(path), "--output", output, "--quiet"]
            arguments += ["--tokenizer", tokenizer]
            peaks: list[float] = []
            own: list[float] = []
            reference: list[float] = []
            run_command(arguments, folder)
            for _ in range(rounds):
                reference += time_rounds(
                    {"notebook": (few_size, partial(notebook, few, tokenizer))}, 1
                )["notebook"].seconds
                took, peak = run_command(arguments, folder)
                own.append(took)
                peaks.append(peak)
            timing = Timing(size, tuple(own))
            ratios = timing.ratios(Timing(few_size, tuple(reference)))
            seconds_of[tokenizer].append((count, statistics.median(own)))
            lines.append(
                f"| {count:,} | {size:,.0f} | `{tokenizer}` | {statistics.median(own):.2f} | "
                f"{timing.speed:,.0f} | {statistics.median(ratios):.1f} "
                f"({min(ratios):.1f} - {max(ratios):.1f}) | {max(peaks):,.0f} |"
            )
        path.unlink()
    growth = ", ".join(
        f"{_exponent(points):.2f} with `{name}`" for name, points in seconds_of.items()
    )
    lines.append(f"\nGrowth of the time with the number of passages, exponent: {growth}.")
    return "\n".join(lines)


def _exponent(points: Sequence[tuple[int, float]]) -> float:
    """The slope of log(seconds) over log(passages)."""
    x, y = zip(*((math.log(count), math.log(seconds)) for count, seconds in points), strict=True)
    return float(np.polyfit(x, y, 1)[0])


def _packed(folder: Path, texts: list[bytes], rounds: int, *, quick: bool) -> str:
    count = 100_000 if quick else 500_000
    tsv = write_tsv(folder / "p.tsv", count, texts)
    size = tsv.stat().st_size / _MEGA
    data = tsv.read_bytes()
    (folder / "p.tsv.gz").write_bytes(gzip.compress(data, compresslevel=6))
    (folder / "p.tsv.zst").write_bytes(zstandard.ZstdCompressor(level=3).compress(data))
    passages = (line.split(b"\t", 1) for line in data.rstrip(b"\n").split(b"\n"))
    (folder / "p.jsonl").write_bytes(
        b"".join(
            orjson.dumps({"id": docno.decode(), "contents": text.decode()}) + b"\n"
            for docno, text in passages
        )
    )
    few = data[: 2 << 20].split(b"\n")[:5_000]
    techniques: dict[str, tuple[float, Callable[[], object]]] = {
        _REFERENCE: (sum(map(len, few)) / _MEGA, partial(notebook, few, "whitespace")),
        "isal alone: decompress gz": (size, partial(_drain_gz, folder / "p.tsv.gz")),
        "Arrow alone: decompress zst": (size, partial(_drain_zst, folder / "p.tsv.zst")),
    }
    for name in ("p.tsv", "p.tsv.gz", "p.tsv.zst", "p.jsonl"):
        techniques[f"Fairpool, {name.removeprefix('p.')} to Parquet"] = (
            size,
            partial(_score_file, folder / name, folder),
        )
    timings = time_rounds(techniques, rounds)
    return (
        "### Compressed and JSON input\n\n"
        f"{count:,} passages; MB/s of text, in a process that has loaded the kernels already, "
        f"tokenizer `whitespace`.\n\n{table(timings, _REFERENCE)}"
    )


def _score_file(path: Path, folder: Path) -> object:
    return score_collection(
        path, folder / "m.parquet", lexicon=read_lexicon(), tokenizer="whitespace"
    )


def _drain_gz(path: Path) -> None:
    buffer = bytearray(1 << 20)
    with igzip.open(path, "rb") as stream:
        while stream.readinto(buffer):
            pass


def _drain_zst(path: Path) -> None:
    buffer = bytearray(1 << 20)
    with pa.CompressedInputStream(pa.OSFile(str(path)), "zstd") as stream:
        while stream.readinto(buffer):
            pass
