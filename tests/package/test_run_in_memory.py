"""Runs from dictionaries and data frames."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROWS = [("q2", "d1", 0.5), ("q10", "d3", 1.0), ("q10", "d2", 2.0), ("q10", "d4", 1.0)]
NAMES = [
    ("qid", "docno", "score"),
    ("q_id", "doc_id", "score"),
    ("query_id", "doc_id", "score"),
]


def frame_of(library: str, names: tuple[str, ...]) -> Any:
    module = pytest.importorskip(library)
    columns = {
        name: list(column) for name, column in zip(names, zip(*ROWS, strict=True), strict=True)
    }
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.parametrize("names", NAMES, ids=["PyTerrier", "ranx", "ir_measures"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_are_known_by_their_names(
    fairpool: ModuleType, library: str, names: tuple[str, ...]
) -> None:
    run = fairpool.Run.from_frame(frame_of(library, names), "A")

    assert run.qids == ("q10", "q2")
    assert run.documents("q10") == ["d2", "d4", "d3"]
    assert run.ranks.tolist() == [1, 2, 3, 1]


def test_a_rank_column_breaks_ties(fairpool: ModuleType) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"qid": 1, "docno": [7, 8, 9], "docid": 0, "score": [1.0, 1.0, 2.0], "rank": [1, 2, 0]}
    )

    assert fairpool.Run.from_frame(frame, "A").documents("1") == ["9", "7", "8"]
    assert fairpool.Run.from_frame(frame, "A", "trec_eval").documents("1") == ["9", "8", "7"]


@pytest.mark.parametrize("order", ["default", "trec_eval", "rank"])
def test_a_frame_is_ranked_as_the_file_of_its_rows(
    fairpool: ModuleType, tmp_path: Path, order: str
) -> None:
    pd = pytest.importorskip("pandas")
    rows = [(f"q{i % 7}", f"d{i * 37 % 101}", i * 13 % 5 / 2, i * 11 % 9) for i in range(100)]
    path = tmp_path / "A.run"
    path.write_text("".join(f"{q} Q0 {d} {r} {s} x\n" for q, d, s, r in rows))
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])

    of_frame = fairpool.Run.from_frame(frame, "A", order)
    of_file = fairpool.read_run(path, "A", order)

    assert of_frame.qids == of_file.qids
    for name in ("offsets", "scores", "ranks", "lines"):
        assert getattr(of_frame, name).tolist() == getattr(of_file, name).tolist()
    assert of_frame.docnos.tolist() == of_file.docnos.tolist()


@pytest.mark.parametrize(
    "columns",
    [
        {"query": ["q1"], "docno": ["d1"], "score": [1.0]},
        {"qid": ["q1"], "query_id": ["q1"], "docno": ["d1"], "score": [1.0]},
        {"qid": ["q1"], "docid": [1], "score": [1.0]},
        {"qid": ["q1"], "docno": ["d1"], "score": [None]},
        {"qid": ["q 1"], "docno": ["d1"], "score": [1.0]},
        {"qid": ["q1"], "docno": ["d1"], "score": [1.0], "rank": [-1]},
        {"qid": ["q1", "q1"], "docno": ["d1", "d1"], "score": [1.0, 2.0]},
        {"qid": [], "docno": [], "score": []},
    ],
)
def test_a_frame_that_cannot_be_ranked_is_an_input_error(
    fairpool: ModuleType, columns: dict[str, list[Any]]
) -> None:
    pd = pytest.importorskip("pandas")

    with pytest.raises(fairpool.InputError):
        fairpool.Run.from_frame(pd.DataFrame(columns), "A")
