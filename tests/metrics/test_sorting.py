"""Runs in memory are those that the definition reads from a file of the same rows."""

import sys
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import InputError, Run, evaluate
from metrics.runs import ORDERS, Order
from metrics.runs.kinds import kind_of
from metrics.runs.reading import read_by_definition, read_run

QIDS = st.sampled_from(["1", "2", "10", "ü"])
DOCNOS = st.sampled_from(["a", "b", "10", "9", "é", "D12", "D123", "c", "d"])
# The last two are one number in single precision, in which trec_eval compares.
SCORES = st.sampled_from([0.0, 0.5, 1.0, 2.0, 16777216.0, 16777217.0])
RANKINGS = st.dictionaries(DOCNOS, SCORES, max_size=8)
RUNS = st.dictionaries(QIDS, RANKINGS, min_size=1).filter(lambda run: any(run.values()))
RULES = st.fixed_dictionaries(
    {
        "order": st.sampled_from(ORDERS),
        "depth": st.one_of(st.none(), st.integers(1, 5)),
        "ties": st.booleans(),
    }
)


def of_file(path: Path, run: dict[str, dict[str, float]], rules: dict[str, Any]) -> Run:
    """The run as it is read from lines in the order of the dictionary, all of rank 1."""
    lines = [f"{q} Q0 {d} 1 {s!r} x\n" for q, scores in run.items() for d, s in scores.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return read_by_definition(path, queries=None, **rules)


@settings(max_examples=60, deadline=None)
@given(RUNS, RULES)
def test_a_dictionary_is_ranked_as_the_file_of_its_rows(
    tmp_path_factory: pytest.TempPathFactory,
    run: dict[str, dict[str, float]],
    rules: dict[str, Any],
) -> None:
    read = of_file(tmp_path_factory.getbasetemp() / "of_dictionary.run", run, rules)
    order, first = rules["order"], {name: rules[name] for name in ("depth", "ties")}
    pairs = {qid: list(scores.items()) for qid, scores in run.items()}
    rows = [(qid, docno, score) for qid, of_query in pairs.items() for docno, score in of_query]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])

    for made in (
        Run.from_dict(run, "A", order, **first),
        Run.from_dict(pairs, "A", order, **first),
        Run.from_frame(frame, "A", order, **first),
        Run.from_frame(frame.assign(rank=1), "A", order, **first),
    ):
        assert made.qids == read.qids
        assert made.docnos.tolist() == read.docnos.tolist()
        for name in ("offsets", "scores", "lines"):
            np.testing.assert_array_equal(getattr(made, name), getattr(read, name))


def test_ids_and_scores_of_any_type_are_what_they_stand_for() -> None:
    of_any_type: Any = {
        1: {7: 1, 8: 2.5},
        "q2": [("d1", Decimal("1.5")), ("d2", np.float32(2))],
        "q3": np.array(["d5", "d4"]),
        np.int64(4): {"d": True},
    }

    assert Run.from_dict(of_any_type).to_dict() == {
        "1": {"8": 2.5, "7": 1.0},
        "4": {"d": 1.0},
        "q2": {"d2": 2.0, "d1": 1.5},
        "q3": {"d5": 2.0, "d4": 1.0},
    }


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.array(["d5", "d4"]), "rankings"),
        (pd.Series([2.0, 1.0], index=["d5", "d4"]), "rankings"),
        (["d5", "d4"], "rankings"),
        (np.array(2.0), "ranking"),
        (2.0, "ranking"),
    ],
)
def test_a_mapping_is_of_rankings_where_its_values_are_some(value: Any, kind: str) -> None:
    assert kind_of({"q1": value}) == kind


def test_two_spellings_of_one_query_are_one() -> None:
    spelt: Any = {1: {"d1": 1.0}, "1": {"d2": 2.0}}

    assert Run.from_dict(spelt).to_dict() == {"1": {"d2": 2.0, "d1": 1.0}}


@pytest.mark.parametrize(
    ("run", "row", "value"),
    [
        ({"q1": {"d1": 1.0}, "q2": {"d2": 1.0, "d 3": 2.0}}, 3, "'d 3'"),
        ({"q1": {"d1": 1.0, "": 2.0}}, 2, "''"),
        ({"q1": {"d1": 1.0}, "q0": {"a\0b": 1.0}}, 2, r"'a\x00b'"),
        ({"q1": {"d1": 1.0}, "q 2": {"d2": 1.0}}, 2, "'q 2'"),
        ({"q2": {"d1": 1.0, "d2": float("nan")}, "q1": {"d1": 1.0}}, 2, "nan"),
        ({"q2": {"d1": "1.0"}}, 1, "'1.0'"),
        ({"q2": {"d1": 1.0}, "q1": {"d1": [1]}}, 2, "[1]"),
        ({"q2": {1: 1.0, "1": 2.0}}, 2, "1"),
        ({"q1": [("d1", 2.0), ("d1", 1.0)]}, 2, "d1"),
        ({"q1": {"ä ö": 2.0}}, 1, "'ä ö'"),
    ],
)
def test_the_row_that_cannot_be_ranked_is_named(run: Any, row: int, value: str) -> None:
    with pytest.raises(InputError) as raised:
        Run.from_dict(run)

    assert f"row {row}:" in raised.value.message
    assert value in raised.value.message


@pytest.mark.parametrize("depth", [0, -1])
def test_a_run_is_cut_at_one_document_at_least(depth: int) -> None:
    with pytest.raises(InputError, match="depth"):
        Run.from_dict({"q1": {"d1": 1.0}}, depth=depth)


def n_calls(work: Callable[[], object]) -> int:
    """The functions that were called, but for those that are written in C."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def test_no_document_costs_a_call(tmp_path: Path) -> None:
    n_queries, n_documents = 40, 250
    run = {
        f"q{q}": {f"d{d}": float(d * 7919 % n_documents) for d in range(n_documents)}
        for q in range(n_queries)
    }
    qrels = {qid: {"d1": 1, "d2": 2} for qid in run}
    path = tmp_path / "A.run"
    path.write_text(
        "".join(
            f"{qid} Q0 {docno} {rank} {score} x\n"
            for qid, scores in run.items()
            for rank, (docno, score) in enumerate(
                sorted(scores.items(), key=lambda pair: -pair[1]), start=1
            )
        )
    )
    evaluate(run, "nDCG@10", qrels=qrels)  # what is imported when first used is imported now

    for source in (run, {"A": run}, path, Run.from_dict(run).to_frame()):
        calls = n_calls(partial(evaluate, source, "nDCG@10", qrels=qrels))
        assert calls < n_queries * n_documents / 2, type(source)


def test_only_the_first_ranks_are_kept_and_values_are_those_of_whole_lists() -> None:
    rng = np.random.default_rng(5)
    run = {
        f"q{q}": {f"d{d}": round(float(rng.gamma(2)), 1) for d in range(int(rng.integers(1, 90)))}
        for q in range(60)
    }
    qrels = {qid: {f"d{d}": int(rng.integers(3)) for d in range(0, 90, 3)} for qid in run}
    names = ["nDCG@10", "MRR@10", "P@5", "Recall@10"]

    whole = evaluate(Run.from_dict(run), names, qrels=qrels, per_query=True)
    first = evaluate(run, names, qrels=qrels, per_query=True)

    np.testing.assert_array_equal(whole["value"], first["value"])


@pytest.mark.parametrize("order", ORDERS)
def test_many_small_files_are_read_as_each_alone(tmp_path: Path, order: Order) -> None:
    rng = np.random.default_rng(6)
    for name in "ABC":
        lines = [
            f"q{q} Q0 d{d} {int(rng.integers(4))} {int(rng.integers(3))} x\n"
            for q in range(5)
            for d in rng.permutation(20)[:9]
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(0, 20, 2)} for q in range(5)}

    def frames(sources: list[Any]) -> pd.DataFrame:
        parts = [evaluate(source, "nDCG@3", qrels=qrels, order=order) for source in sources]
        return pd.concat(parts, ignore_index=True)

    with pytest.warns(UserWarning, match="ranks"):
        together = frames([tmp_path])
    with pytest.warns(UserWarning, match="ranks"):
        alone = frames([read_run(tmp_path / f"{n}.run", n, order) for n in "ABC"])

    pd.testing.assert_frame_equal(together, alone)
