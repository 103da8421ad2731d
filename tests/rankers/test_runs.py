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
