"""The measures in PyTerrier's experiments, without starting Java."""

from types import ModuleType
from typing import Any

import pytest

from .conftest import SCORES, TEXTS

pt = pytest.importorskip("pyterrier")
pd = pytest.importorskip("pandas")

TOPICS = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["one", "two", "three"]})
QRELS = pd.DataFrame({"qid": ["q1", "q2", "q3"], "docno": ["d2", "d3", "d1"], "label": [1, 1, 1]})


def ranker(name: str) -> Any:
    """A pipeline that looks its results up in a frame, with the documents' texts."""
    rows = [
        {"qid": qid, "docno": docno, "score": score, "rank": rank, "text": TEXTS[docno]}
        for qid, scores in SCORES[name].items()
        for rank, (docno, score) in enumerate(scores.items())
    ]
    return pt.Transformer.from_df(pd.DataFrame(rows))


def test_an_experiment_takes_them_beside_ndcg(fairpool: ModuleType) -> None:
    ours = pt.fairpool

    table = pt.Experiment(
        [ranker("A"), ranker("B")],
        TOPICS,
        QRELS,
        eval_metrics=["ndcg_cut_10", ours.RaB @ 2, ours.TExFAIR(rbdf=False) @ 2],
        names=["A", "B"],
    ).set_index("name")

    expected = fairpool.evaluate(SCORES, ["RaB@2", "TExFAIR-noRBDF@2"], TEXTS)
    for row in expected.itertuples():
        column = "RaB@2" if row.measure == "RaB" else "TExFAIR(rbdf=False)@2"
        # q3 has no documents: it is no zero, it stays out of the mean.
        assert table.loc[row.run, column] == pytest.approx(row.value, rel=1e-12)
    assert not pt.java.started()


def test_a_test_against_a_baseline_leaves_undefined_queries_out_in_pairs(
    fairpool: ModuleType,
) -> None:
    pytest.importorskip("scipy")
    ours = pt.fairpool
    with pytest.warns(UserWarning, match=": 1 of"):
        table = pt.Experiment(
            [ranker("A"), ranker("B")],
            TOPICS,
            QRELS,
            eval_metrics=[ours.RaB @ 3],
            names=["A", "B"],
            baseline=0,
            test=ours.t_test,
        )

    values = fairpool.evaluate(SCORES, "RaB@3", TEXTS, per_query=True)
    [comparison] = fairpool.compare(values).itertuples()
    assert comparison.n == 2
    assert table.loc[1, "RaB@3 p-value"] == pytest.approx(comparison.t_p, rel=1e-12)


def test_values_per_query_show_what_is_undefined(fairpool: ModuleType) -> None:
    table = pt.Experiment(
        [ranker("A")], TOPICS, QRELS, eval_metrics=[pt.fairpool.RaB @ 2], perquery=True
    )

    assert table.set_index("qid")["value"].isna().to_dict() == {
        "q1": False,
        "q2": False,
        "q3": True,
    }
