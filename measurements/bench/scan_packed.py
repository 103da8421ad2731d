"""Compressed and JSON input, in a process that has loaded the kernels already."""

import gzip
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import orjson
import pyarrow as pa
import zstandard
from isal import igzip

from measurements.bench.collections import write_tsv
from measurements.bench.measuring import MEGA, Timing, table, time_rounds
from measurements.bench.notebook import notebook, notebook_of_json
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection

_PASSAGES, _QUICK_PASSAGES = 500_000, 50_000
_LINES_OF_LOOP = 10_000
_LOOP, _LOOP_JSON = "released notebook's loop on lines of TSV", "its loop on lines of JSON"
_GZ, _ZST = "isal alone: decompress gz", "Arrow alone: decompress zst"


def section(folder: Path, texts: list[bytes], rounds: int, *, quick: bool) -> str:
    """Archives against their decompression alone, JSON lines against the loop on the same."""
    count = _QUICK_PASSAGES if quick else _PASSAGES
    files = _files(folder, count, texts)
    size = files["tsv"].stat().st_size / MEGA
    few = files["tsv"].read_bytes()[: 16 << 20].splitlines(keepends=True)[:_LINES_OF_LOOP]
    few = [line for line in few if b"\t" in line and line.endswith(b"\n")]
    few_json = [_as_json(line) for line in few]
    few_size = sum(map(len, few)) / MEGA
    techniques: dict[str, tuple[float, Callable[[], object]]] = {
        _LOOP: (few_size, partial(notebook, few, "whitespace")),
        _LOOP_JSON: (few_size, partial(notebook_of_json, few_json, "whitespace")),
        _GZ: (size, partial(_drain_gz, files["tsv.gz"])),
        _ZST: (size, partial(_drain_zst, files["tsv.zst"])),
    }
    for name, path in files.items():
        techniques[f"Fairpool, {name} to Parquet"] = (size, partial(_score, path, folder))
    timings = time_rounds(techniques, rounds)
    return (
        "### Compressed and JSON input\n\n"
        f"{count:,} passages; MB/s of text, in a process that has loaded the kernels already, "
        f"tokenizer `whitespace`.\n\n{table(timings, _LOOP)}\n\n"
        "Time as a multiple of decompressing alone: "
        f"gz {_multiple(timings['Fairpool, tsv.gz to Parquet'], timings[_GZ])}, "
        f"zst {_multiple(timings['Fairpool, tsv.zst to Parquet'], timings[_ZST])}. "
        "JSON lines, ratio to the loop on the same lines: "
        f"{_multiple(timings[_LOOP_JSON], timings['Fairpool, jsonl to Parquet'])}."
    )


def _multiple(timing: Timing, other: Timing) -> str:
    """Time per megabyte as a multiple of the other's."""
    times = other.ratios(timing)
    return f"{statistics.median(times):.2f} ({min(times):.2f} - {max(times):.2f})"


def _files(folder: Path, count: int, texts: list[bytes]) -> dict[str, Path]:
    tsv = write_tsv(folder / "p.tsv", count, texts)
    data = tsv.read_bytes()
    packed = {
        "tsv.gz": gzip.compress(data, compresslevel=6),
        "tsv.zst": zstandard.ZstdCompressor(level=3).compress(data),
        "jsonl": b"".join(map(_as_json, data.removesuffix(b"\n").split(b"\n"))),
    }
    files = {"tsv": tsv}
    for name, content in packed.items():
        files[name] = folder / f"p.{name}"
        files[name].write_bytes(content)
    return files


def _as_json(line: bytes) -> bytes:
    docno, _, text = line.decode().rstrip("\n").partition("\t")
    return orjson.dumps({"id": docno, "contents": text}) + b"\n"


def _score(path: Path, folder: Path) -> object:
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
