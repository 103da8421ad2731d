"""The run files: whole, readable, or not there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.runs import read_run
from rankers.bm25 import BM25
from rankers.lsa import LSA
from rankers.ranker import Scorer
from rankers.runs import write_runs
from tests.program import run as program
from tests.program import run_json

COLLECTION = [("d1", "tea for a nurse"), ("d2", "tea and more tea"), ("d3", "a volcano")]
QUERIES = [("10", "tea"), ("9", "volcano"), ("11", "nothing")]


def test_a_run_has_six_columns_and_ranks_from_1(tmp_path: Path) -> None:
    write_runs([BM25], COLLECTION, QUERIES, tmp_path, depth=5)
    lines = (tmp_path / "BM25.run").read_text().splitlines()
    assert [line.split(" ")[:4] for line in lines] == [
        ["10", "Q0", "d2", "1"],
        ["10", "Q0", "d1", "2"],
        ["9", "Q0", "d3", "1"],
    ]
    assert {line.split(" ")[5] for line in lines} == {"BM25"}


def test_a_run_that_is_read_back_is_the_ranking(tmp_path: Path) -> None:
    paths = write_runs([BM25, LSA], COLLECTION, QUERIES, tmp_path, depth=2)
    for ranker in (BM25, LSA):
        run = read_run(paths[ranker.name])
        assert not run.notices
        for qid, ranking in ranker.rank(COLLECTION, QUERIES, depth=2):
            assert run.documents(qid) == [docno for docno, _ in ranking]


def test_a_failing_model_leaves_no_file_of_any_model(tmp_path: Path) -> None:
    def fail(texts: Sequence[str], seed: int) -> Scorer:
        raise MemoryError

    with pytest.raises(MemoryError):
        write_runs([BM25, replace(LSA, index=fail)], COLLECTION, QUERIES, tmp_path, depth=5)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("collection", "queries", "depth", "data"),
    [
        (COLLECTION, QUERIES, 0, "0"),
        (COLLECTION, [], 5, ""),
        ([("d1", "..."), ("d2", "the")], QUERIES, 5, ""),
        ([*COLLECTION, ("d 4", "tea")], QUERIES, 5, "'d 4'"),
        (COLLECTION, [("", "tea")], 5, "''"),
    ],
)
def test_what_cannot_be_ranked_is_an_error_and_no_file(
    tmp_path: Path,
    collection: list[tuple[str, str]],
    queries: list[tuple[str, str]],
    depth: int,
    data: str,
) -> None:
    with pytest.raises(InputError) as caught:
        write_runs([BM25], collection, queries, tmp_path, depth=depth)
    assert data in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_the_run_of_a_listwise_reranker_is_read_in_its_order(tmp_path: Path) -> None:
    """RankGPT and RankLLM give new ranks to the documents, and leave the old scores at theirs."""
    path, fair = tmp_path / "rank_zephyr.run", tmp_path / "fair.run"
    rows = zip("acdb", [9.5, 9.5, 7.25, 7.25], strict=True)
    lines = [f"1 Q0 {d} {n} {score} rank_zephyr\n" for n, (d, score) in enumerate(rows, 1)]
    path.write_text("".join(lines))
    (tmp_path / "qrels.txt").write_text("1 0 a 3\n")
    (tmp_path / "collection.tsv").write_text("".join(f"{d}\the said\n" for d in "abcd"))
    scored = ("--collection", tmp_path / "collection.tsv")
    keep = ("--method", "mmr", "--strength", 0, "--output", fair)

    program("balance", *scored, "--run", path, *keep)

    assert [read_run(one).documents("1") for one in (path, fair)] == [["a", "c", "d", "b"]] * 2
    qrels = ("--measure", "MRR@10", "--qrels", tmp_path / "qrels.txt")
    made = run_json("measure", *scored, "--run", path, "--run", fair, *qrels)
    # trec_eval breaks ties by docno, whatever the rank says; the new scores have none.
    assert [row["value"] for row in made["rows"]] == [0.5, 1]
