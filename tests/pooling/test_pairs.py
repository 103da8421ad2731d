"""Pools of pairs of query and passage: what they take from runs, and what they refuse."""

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from metrics.errors import InputError
from metrics.io.pair_ids import pair_id, split_pair_id
from metrics.runs import read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries
from pooling.pairs import BuiltPairs, build_pairs, remarks_on_pairs
from pooling.vocabulary import MOST_PASSAGES
from tests import program

#: Unicode's next line, a lone carriage return and both quotes: all of it is one passage.
HOSTILE = 'a\x85b\r"c"\u2028 <script> =1+1'
QUERIES = {"q1": "one", "q10": "ten", "q2": "two,\x85too"}
COLLECTION = {"a": HOSTILE, "b": "b b", "c": "same", "d": "same", "e": "e" * 20_000}
RUNS = {
    "A": {"q1": "abc", "q10": "eb", "q2": "d", "other": "zzz"},
    "B": {"q1": "cad", "q2": "dc"},
}


def files(
    folder: Path,
    runs: Mapping[str, Mapping[str, Sequence[str]]] = RUNS,
    collection: dict[str, str] = COLLECTION,
    queries: dict[str, str] = QUERIES,
) -> dict[str, Any]:
    """These as files, and the arguments of `build_pairs` with them."""
    paths = {}
    for name, ranking in runs.items():
        paths[name] = folder / f"{name}.run.gz"
        rows = (
            f"{qid} Q0 {docno} {rank} {100 - rank} {name}\n"
            for qid, docnos in ranking.items()
            for rank, docno in enumerate(docnos, start=1)
        )
        paths[name].write_bytes(gzip.compress("".join(rows).encode()))
    for name, texts in (("collection.tsv", collection), ("queries.tsv", queries)):
        lines = (f"{key}\t{text}\n" for key, text in texts.items())
        (folder / name).write_bytes("".join(lines).encode())
    return {
        "paths": paths,
        "collection": [folder / "collection.tsv"],
        "queries": read_queries(folder / "queries.tsv", "all"),
    }


def rows_of(built: BuiltPairs) -> list[list[str]]:
    return list(csv.reader(io.StringIO(built.to_csv(), newline="")))


def test_the_first_passages_of_each_run_are_pooled_with_their_ranks(tmp_path: Path) -> None:
    built = build_pairs(**files(tmp_path), cutoff=2)
    assert rows_of(built) == [
        ["qid", "docno", "query", "passage", "n_runs", "best_rank", "places"],
        ["q1", "a", "one", HOSTILE, "2", "1", "A:1|B:2"],
        ["q1", "b", "one", "b b", "1", "2", "A:2"],
        ["q1", "c", "one", "same", "1", "1", "B:1"],
        ["q10", "b", "ten", "b b", "1", "2", "A:2"],
        ["q10", "e", "ten", "e" * 20_000, "1", "1", "A:1"],
        ["q2", "c", "two,\x85too", "same", "1", "2", "B:2"],
        ["q2", "d", "two,\x85too", "same", "2", "1", "A:1|B:1"],
    ]
    summary = dict(built.summary)
    assert summary.pop("list_sizes") == {"A": 5, "B": 4}
    assert summary.pop("unique_to_run") == {"A": 3, "B": 2}
    assert summary.pop("overlap") == {"A": {"B": 2}}
    assert summary == {
        "n_runs": 2,
        "n_lists": 2,
        "cutoff": 2,
        "n_pooled": 7,
        "n_queries": 3,
        "n_queries_missing": 0,
        "n_passages": 5,
        "n_words": len(HOSTILE.split()) + 2 * 2 + 3 + 1,
        "n_same_text": 1,
        "n_without_text": 0,
        "n_empty": 0,
    }
    assert list(remarks_on_pairs(built.summary)) == [
        "Passages with the text of another docno, which are kept: 1."
    ]
    assert built.inputs["collection"][0]["file"] == "collection.tsv"
    assert set(built.inputs["runs"]) == {"A", "B"}


def test_the_same_files_make_the_same_pool_in_any_order(tmp_path: Path) -> None:
    arguments = files(tmp_path)
    turned = {**arguments, "paths": dict(reversed(arguments["paths"].items()))}
    one, other = build_pairs(**arguments), build_pairs(**turned)
    assert one.to_csv() == other.to_csv()
    assert one.summary == other.summary


@pytest.mark.parametrize(
    ("lost", "count"), [({"b": None}, 1), ({"b": " \t", "c": ""}, 2), ({"b": None, "c": " "}, 2)]
)
def test_a_passage_without_text_is_an_error_or_left_out(
    lost: dict[str, str | None], count: int, tmp_path: Path
) -> None:
    merged = COLLECTION | lost
    arguments = files(tmp_path, collection={key: text for key, text in merged.items() if text})
    with (tmp_path / "collection.tsv").open("a") as file:
        file.writelines(f"{key}\t{text}\n" for key, text in lost.items() if text == "")
    with pytest.raises(InputError) as refused:
        build_pairs(**arguments)
    assert "run 'A' have no text there: b" in str(refused.value)
    assert "collection.tsv" in str(refused.value)
    built = build_pairs(**arguments, missing="skip")
    kept = {docno for docno in COLLECTION if docno not in lost}
    assert {split_pair_id(pair.qid)[1] for pair in built.pool.queries} == kept
    assert built.summary["n_without_text"] == count
    assert built.summary["n_empty"] == sum(text is not None for text in lost.values())
    # Ranks are those of the run, not of what is left.
    assert ["q10", "e", "ten", "e" * 20_000, "1", "1", "A:1"] in rows_of(built)
    assert f"no text for them: {count}" in next(remarks_on_pairs(built.summary))


@pytest.mark.parametrize("cutoff", [0, -1, MOST_PASSAGES + 1, 10_000])
def test_a_number_of_passages_that_no_pool_has_is_refused(cutoff: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Use 1 to 1,000"):
        build_pairs(**files(tmp_path), cutoff=cutoff)


def test_ids_that_are_too_long_together_are_refused(tmp_path: Path) -> None:
    docno = "d" * 198
    arguments = files(tmp_path, {"A": {"q1": [docno]}}, {docno: "text"}, {"q1": "one"})
    with pytest.raises(InputError, match="201 characters together, more than 200"):
        build_pairs(**arguments)


def test_a_query_without_text_is_named_with_its_line(tmp_path: Path) -> None:
    arguments = files(tmp_path, queries=QUERIES | {"q2": " "})
    with pytest.raises(InputError, match=r"queries.tsv:3: the pooled query 'q2' has no text"):
        build_pairs(**arguments)


def test_a_passage_in_two_files_of_the_collection_is_refused(tmp_path: Path) -> None:
    arguments = files(tmp_path)
    again = tmp_path / "again.tsv"
    again.write_text("x\ttext\na\ttext\n")
    arguments["collection"].append(again)
    with pytest.raises(InputError, match=r"again.tsv: the passage 'a' is in an earlier file"):
        build_pairs(**arguments)


def test_runs_for_other_queries_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has none of the 1 queries that are to be measured"):
        build_pairs(**files(tmp_path, queries={"7": "seven"}))


def test_a_pool_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    arguments = files(tmp_path, collection={"other": "text"})
    with pytest.raises(InputError, match="no run has a passage with a text for any"):
        build_pairs(**arguments, missing="skip")


@pytest.mark.parametrize("ids", [("q1", "d1"), ("q", "D\u00a01"), ("2002-x", "a:b|c")])
def test_the_id_of_a_pair_is_split_as_it_was_made(ids: Sequence[str]) -> None:
    qid, docno = ids
    assert split_pair_id(pair_id(qid, docno)) == (qid, docno)


@pytest.mark.shared_data
@pytest.mark.parametrize(("cutoff", "n_pairs"), [(5, 643), (10, 1_176)])
def test_pairs_of_six_systems_are_those_of_a_data_frame(
    cutoff: int, n_pairs: int, shared_data: Path
) -> None:
    pandas = pytest.importorskip("pandas")
    folder = shared_data / "msmarco_dl19"
    paths = {path.stem: path for path in (folder / "runs").glob("*.run")}
    queries = read_queries(folder / "queries.tsv")
    built = build_pairs(paths, [folder / "collection.tsv"], queries, cutoff=cutoff)

    names = ["qid", "q0", "docno", "rank", "score", "tag"]
    frames = []
    for name, path in paths.items():
        frame = pandas.read_csv(path, sep=r"\s+", names=names, dtype={"qid": str, "docno": str})
        frame = frame[frame.qid.isin(queries.ids)].sort_values(["qid", "rank"])
        frames.append(frame.groupby("qid").head(cutoff).assign(run=name))
    together = pandas.concat(frames)
    found = together.groupby(["qid", "docno"]).agg(n=("run", "size"), best=("rank", "min"))
    alone = together[~together.duplicated(["qid", "docno"], keep=False)].run.value_counts()

    rows = [(*split_pair_id(pair.qid), pair) for pair in built.pool.queries]
    assert len(rows) == len(found) == n_pairs
    assert {(qid, docno): len(pair.places) for qid, docno, pair in rows} == found.n.to_dict()
    assert built.summary["unique_to_run"] == alone.to_dict()
    offset = together["rank"].min() - 1  # runs count their ranks from 0 or from 1
    assert {(qid, docno): pair.best_rank + offset for qid, docno, pair in rows} == (
        found.best.to_dict()
    )


@pytest.mark.shared_data
def test_judged_pairs_of_a_pool_are_those_of_the_runs_first_ranks(shared_data: Path) -> None:
    """The judgements of NIST, restricted to the pool, say the same of each run's first ranks."""
    folder = shared_data / "msmarco_dl19"
    paths = {path.stem: path for path in (folder / "runs").glob("*.run")}
    queries, qrels = read_queries(folder / "queries.tsv"), read_qrels(folder / "qrels.txt")
    built = build_pairs(paths, [folder / "collection.tsv"], queries, cutoff=10)
    pooled = {split_pair_id(pair.qid) for pair in built.pool.queries}
    kept = {
        qid: {docno: grade for docno, grade in grades.items() if (qid, docno) in pooled}
        for qid, grades in qrels.items()
    }
    for name, path in paths.items():
        run = read_run(path, name, queries=set(queries.ids), depth=10)
        for qid in run.qids:
            first = run.documents(qid)
            assert {(qid, docno) for docno in first} <= pooled
            assert [kept[qid].get(docno) for docno in first] == [
                qrels[qid].get(docno) for docno in first
            ]


def test_the_program_writes_pairs_and_tells_their_size(tmp_path: Path) -> None:
    built = build_pairs(**files(tmp_path), cutoff=2)
    runs = [f"--run={name}={tmp_path / name}.run.gz" for name in RUNS]
    inputs = ("-c", tmp_path / "collection.tsv", "--queries", tmp_path / "queries.tsv", *runs)
    call, output = ("pool-pairs", *inputs, "--cutoff", "2"), tmp_path / "pairs.csv"
    assert program.run_json(*call) == built.summary
    assert not output.exists()
    assert "7 pairs of 3 queries and 5 passages" in program.run(*call, "--output", output)
    assert output.read_bytes() == built.to_csv().encode()
    assert "Use 1 to 1,000" in program.failure(*call, "--cutoff", "10000")
