"""The field's table of many small runs, against the notebook's loop."""

from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from measurements.bench.measuring import say
from measurements.bench.runs import Size, took, write_magnitudes
from measurements.bench.runs_references import loop_measure, loop_read
from metrics.reports.field_table import field_requests, field_rows
from metrics.results.scored_runs import score_runs
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import PRESETS, read_queries
from metrics.texts.magnitude_store import open_magnitudes

N_RUNS, N_DOCUMENTS, ROUNDS = 300, 200, 3
QUICK_RUNS = 10
N_LOOP = 2


def _write_runs(folder: Path, qids: list[str], n_runs: int, n_collection: int) -> dict[str, Path]:
    """Runs over the queries of a preset; falling scores of six decimals."""
    rng = np.random.default_rng(1)
    paths = {f"R{number}": folder / f"R{number}.run" for number in range(n_runs)}
    for name, path in paths.items():
        lines = []
        for qid in qids:
            documents = rng.choice(n_collection, N_DOCUMENTS, replace=False).tolist()
            scores = np.sort(rng.gamma(8, 2, N_DOCUMENTS))[::-1].tolist()
            lines += [
                f"{qid} Q0 {docno} {rank} {score:.6f} {name}\n"
                for rank, (docno, score) in enumerate(zip(documents, scores, strict=True), start=1)
            ]
        path.write_text("".join(lines), encoding="utf-8")
    (folder / "qrels").write_text(
        "".join(
            f"{qid} 0 {docno} {rng.integers(4)}\n"
            for qid in qids
            for docno in rng.choice(n_collection, 20, replace=False).tolist()
        ),
        encoding="utf-8",
    )
    return paths


def run(folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown."""
    n_runs, size = QUICK_RUNS if quick else N_RUNS, Size(n_collection=200_000)
    queries = read_queries(PRESETS["fair-215"])
    paths = _write_runs(folder, list(queries.ids), n_runs, size.n_collection)
    write_magnitudes(folder / "m.parquet", size)
    magnitudes = open_magnitudes(folder / "m.parquet")
    qrels = read_qrels(folder / "qrels")
    requests = field_requests(with_qrels=True)
    tf, has = (
        [magnitudes.magnitude(name, group).tolist() for group in "fm"] for name in ("tf", "bool")
    )
    biases = [dict(enumerate(zip(*sides, strict=True))) for sides in (tf, has)]
    work = partial(score_runs, magnitudes=magnitudes, requests=requests, queries=queries)
    work({"R0": paths["R0"], "R1": paths["R1"], "R2": paths["R2"]}, qrels=qrels)  # start-up
    figures: dict[str, list[float]] = {}
    for number in range(1 if quick else ROUNDS):
        say(f"  round {number + 1}")
        loop, _ = took(
            lambda: [
                loop_measure(loop_read(path), biases) for path in list(paths.values())[:N_LOOP]
            ]
        )
        ours, _ = took(lambda: field_rows(work(paths, qrels=qrels), {}))
        scale = n_runs / N_LOOP
        for name, value in {
            "loop, RaB and ARaB of tf and bool alone, s": loop.wall * scale,
            "Fairpool, the whole table, s": ours.wall,
            "Fairpool, the whole table, s of processor time": ours.cpu,
            "ratio to the loop, of processor time": loop.cpu * scale / ours.cpu,
        }.items():
            figures.setdefault(name, []).append(value)
    about = (
        f"`fairpool table` after start-up: {n_runs} runs of {len(queries)} queries x {N_DOCUMENTS} "
        "documents, MRR, nDCG, RaB and ARaB of tc, tf and bool at 10 and 20, FaiRR, NFaiRR over "
        "the whole collection and TExFAIR. *Loop*: the released notebook's way, measured on "
        f"{N_LOOP} runs and scaled to all; it reads the same files and computes RaB and ARaB only."
    )
    lines = ["## The field's table of many runs", "", about, ""]
    lines += ["| figure | median | least | greatest |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {median(values):.3g} | {min(values):.3g} | {max(values):.3g} |"
        for name, values in figures.items()
    ]
    return "\n".join(lines)
