"""What stands beside a run never changes its numbers, in whatever way it is measured.

Of each entry the same run is measured twice: alone, and with its lines in another order, among
other runs, with lists of queries that nobody asked for and with documents that no list has.
"""

import csv
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from metrics.api import compare, evaluate
from metrics.texts.scoring import score_collection
from tests.program import run as fairpool

Lists = Mapping[str, Mapping[str, float]]

TEXTS = {
    f"d{number}": text
    for number, text in enumerate(
        ["He left his house.", "She saw her mother.", "It rained.", "He saw her.", "His son.",
         "The queen and her daughter.", "A road.", "Her brother."]
    )
}  # fmt: skip
QIDS = [f"q{number}" for number in range(9)]
#: The last queries are asked for by nobody, and judged by nobody.
ASKED = QIDS[:7]
SEEDS = (1, 2, 3)


class World(NamedTuple):
    """A run, its judgments and its texts, and what may stand beside them."""

    run: Lists
    others: Mapping[str, Lists]
    qrels: Mapping[str, Mapping[str, int]]
    texts: Mapping[str, str]


def _lists(random: np.random.Generator, qids: Sequence[str]) -> dict[str, dict[str, float]]:
    """Some documents of each query, with scores that are all different."""
    lists = {}
    for qid in qids:
        docnos = random.permutation(sorted(TEXTS))[: random.integers(1, len(TEXTS))]
        lists[qid] = {str(docno): float(n) for n, docno in enumerate(docnos)}
    return lists


def _shuffled(random: np.random.Generator, lists: Lists) -> dict[str, dict[str, float]]:
    return {
        str(qid): {str(docno): lists[qid][docno] for docno in random.permutation([*lists[qid]])}
        for qid in random.permutation([*lists])
    }


def worlds(seed: int, *, is_asked: bool) -> tuple[World, World]:
    """The run alone, and beside others; with queries that are asked for it may have more."""
    random = np.random.default_rng(seed)
    run = _lists(random, random.permutation(ASKED)[:5].tolist())
    qrels = {qid: {"d0": 2, "d3": 1, "d5": int(random.integers(3))} for qid in ASKED}
    alone = World(run, {}, qrels, TEXTS)
    more = _lists(random, QIDS[7:]) if is_asked else {}
    others = {
        "B": _lists(random, QIDS if is_asked else ASKED),
        "C": _lists(random, QIDS[2:4]),
    }
    texts = {name: TEXTS[name] for name in random.permutation(sorted(TEXTS)).tolist()}
    texts |= {"x1": "She and he.", "x2": "Her."}
    return alone, World(_shuffled(random, {**run, **more}), others, qrels, texts)


def without(world: World, kept: Sequence[str]) -> World:
    """The run and the judgments of some queries alone, down to the deepest cut-off."""
    best = {
        qid: dict(sorted(world.run[qid].items(), key=lambda item: -item[1])[:DEEPEST])
        for qid in kept
    }
    listed = {docno for of_query in best.values() for docno in of_query}
    texts = {docno: text for docno, text in world.texts.items() if docno in listed}
    return World(best, {}, {qid: world.qrels[qid] for qid in kept}, texts)


def same(rows: Any, others: Any) -> None:
    """The rows of the run A are the same to the last digit."""
    first, second = ([row for row in table if row["run"] == "A"] for table in (rows, others))
    assert first
    assert [*map(repr, first)] == [*map(repr, second)]


def _runs_of(world: World) -> dict[str, Lists]:
    """Runs by name, A between the others."""
    names = [*world.others][:1]
    return {**{n: world.others[n] for n in names}, "A": world.run, **world.others}


DEEPEST = 5
MEASURES = ["nDCG@3", "MRR@5", "P@2", "RaB@3", "ARaB@5", "AWRF@4", "TExFAIR@3", "EE-L@3"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("asked", [ASKED, None])
def test_evaluate_and_compare(seed: int, asked: list[str] | None) -> None:
    frames = []
    for world in worlds(seed, is_asked=asked is not None):
        options: Any = {"qrels": world.qrels, "queries": asked}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs = _runs_of(world)
            frame = evaluate(runs, MEASURES, world.texts, **options)
            # A run that stands beside both does not change what two differ by.
            third = {"A": runs["A"], "Z": {qid: {"d1": 1.0} for qid in ASKED}}
            values = evaluate({**runs, **third}, MEASURES, world.texts, per_query=True, **options)
        frames.append((frame.to_dict("records"), values))

    same(frames[0][0], frames[1][0])
    same(*(values.sort_values(["measure", "qid"]).to_dict("records") for _, values in frames))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = [
            [
                {**row, "run": "A"}
                for row in compare(values, baseline="Z").to_dict("records")
                if {row["first"], row["second"]} == {"A", "Z"}
            ]
            for _, values in frames
        ]
    for first, second in zip(*pairs, strict=True):
        unlike = {name for name in first if repr(first[name]) != repr(second[name])}
        # Only corrections look at how many runs there are.
        assert all("holm" in name or "bonferroni" in name for name in unlike), unlike


@pytest.mark.parametrize("seed", SEEDS)
def test_values_of_a_query_do_not_depend_on_what_is_dropped(tmp_path: Path, seed: int) -> None:
    world, _ = worlds(seed, is_asked=False)
    kept = sorted(world.run)[::2]
    frames, files = [], []
    for place, part in enumerate((world, without(world, kept))):
        options: Any = {"qrels": part.qrels, "per_query": True}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # judged queries without a document
            frame = evaluate({"A": part.run}, MEASURES, part.texts, **options)
        frames.append(frame[frame["qid"].isin(kept)].to_dict("records"))
        given = _write(part, tmp_path / str(place), np.random.default_rng(seed))
        values = tmp_path / f"{place}.csv"
        fairpool("measure", *given, "-m", ",".join(MEASURES), "--per-query", values)
        with values.open(newline="") as file:
            files.append([row for row in csv.DictReader(file) if row["qid"] in kept])

    same(*frames)
    same(*files)


def _write(world: World, folder: Path, random: np.random.Generator) -> list[str]:
    """Files of a world, their lines in any order; the options that name its runs."""
    folder.mkdir()
    options = []
    for name, lists in _runs_of(world).items():
        lines = [
            f"{qid} Q0 {docno} 1 {score} t\n"
            for qid, of_query in lists.items()
            for docno, score in of_query.items()
        ]
        (folder / f"{name}.run").write_text("".join(random.permutation(lines)))
        options += ["-r", f"{name}={folder / name}.run"]
    qrels = [f"{q} 0 {d} {grade}\n" for q, of in world.qrels.items() for d, grade in of.items()]
    (folder / "qrels").write_text("".join(random.permutation(qrels)))
    _collection(folder / "c.tsv", world)
    (folder / "asked.tsv").write_text("".join(f"{qid}\tx\n" for qid in random.permutation(ASKED)))
    return [*options, "-c", str(folder / "c.tsv"), "--qrels", str(folder / "qrels")]


def _folders(tmp_path: Path, seed: int, *, is_asked: bool) -> list[tuple[Path, list[str]]]:
    random = np.random.default_rng(seed)
    made = []
    for place, world in enumerate(worlds(seed, is_asked=is_asked)):
        folder = tmp_path / str(place)
        options = _write(world, folder, random)
        queries = ["--queries", str(folder / "asked.tsv")] if is_asked else []
        made.append((folder, [*options, *queries]))
    return made


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_asked", [False, True])
def test_measure(tmp_path: Path, seed: int, is_asked: bool) -> None:
    tables = [
        json.loads(
            fairpool("measure", *options, "-m", ",".join(MEASURES), "--category", "all", "--json")
        )["rows"]
        for _, options in _folders(tmp_path, seed, is_asked=is_asked)
    ]

    same(*tables)


@pytest.mark.parametrize("is_asked", [False, True])
def test_table(tmp_path: Path, is_asked: bool) -> None:
    tables = []
    for folder, options in _folders(tmp_path, 1, is_asked=is_asked):
        fairpool("table", *options, "-o", folder / "out")
        rows = json.loads((folder / "out" / "table.json").read_text())["rows"]
        # The ideal of NFaiRR is of the whole collection, which has more documents.
        tables.append([{k: v for k, v in row.items() if "NFaiRR" not in k} for row in rows])

    same(*tables)


@pytest.mark.parametrize("is_asked", [False, True])
def test_report(tmp_path: Path, is_asked: bool) -> None:
    queries = ["--category", "all"] if is_asked else ["--population", "default"]
    tables: list[list[dict[str, str]]] = []
    for folder, options in _folders(tmp_path, 1, is_asked=is_asked):
        fairpool("report", *options, *queries, "-k", "3,5", "-o", folder / "out")
        rows = []
        for name in ("table1_effectiveness", "table3_bias"):
            with (folder / "out" / f"{name}.csv").open(newline="") as file:
                rows += [*csv.DictReader(file)]
        # Of all runs together, not of one; and the collection is another one.
        apart = {"n_docs_missing"}
        tables.append(
            [
                {k: v for k, v in row.items() if k not in apart and "collection" not in k}
                | {"adjusted_tf": "", "adjusted_bool": "", "n_queries": ""}
                for row in rows
            ]
        )

    same(*tables)


@pytest.mark.parametrize("seed", SEEDS)
def test_inside_ir_measures(tmp_path: Path, seed: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from metrics import ir_measures as ours  # noqa: PLC0415

    totals, single = [], []
    for place, world in enumerate(worlds(seed, is_asked=True)):
        path = tmp_path / f"{place}.parquet"
        score_collection(_collection(tmp_path / f"{place}.tsv", world), path)
        bias, area = ours.RaB(scores=str(path)) @ 3, ours.ARaB(scores=str(path)) @ 5
        measures = [bias, area, ir_measures.nDCG @ 3]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            of_all = ir_measures.calc_aggregate(measures, world.qrels, world.run)
            totals.append([of_all[measure] for measure in measures])
            single.append(
                sorted(
                    (one.query_id, place, repr(one.value))
                    for place, measure in enumerate(measures)
                    for one in ir_measures.iter_calc([measure], world.qrels, world.run)
                )
            )

    assert totals[0] == pytest.approx(totals[1], abs=1e-15)
    assert single[0] == single[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_inside_ir_measures_a_query_does_not_depend_on_others(tmp_path: Path, seed: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from metrics import ir_measures as ours  # noqa: PLC0415

    world, _ = worlds(seed, is_asked=False)
    kept = sorted(world.run)[::2]
    found = []
    for place, part in enumerate((world, without(world, kept))):
        path = tmp_path / f"{place}.parquet"
        score_collection(_collection(tmp_path / f"{place}.tsv", part), path)
        measures = [ours.RaB(scores=str(path)) @ 3, ours.ARaB(scores=str(path)) @ 5]
        found.append(
            sorted(
                (one.query_id, place, one.value)
                for place, measure in enumerate([*measures, ir_measures.nDCG @ 3])
                for one in ir_measures.iter_calc([measure], part.qrels, part.run)
                if one.query_id in kept
            )
        )

    assert found[0] == found[1]


def _collection(path: Path, world: World) -> Path:
    path.write_text("".join(f"{docno}\t{text}\n" for docno, text in world.texts.items()))
    return path
