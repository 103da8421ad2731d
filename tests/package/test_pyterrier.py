"""The measures and the re-ranking for balance in PyTerrier's pipelines, without starting Java."""

import re
import textwrap
import warnings
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from .conftest import SCORES, TEXTS
from .test_program import run

pt = pytest.importorskip("pyterrier")
pd = pytest.importorskip("pandas")
ir_measures = pytest.importorskip("ir_measures")
Measure = ir_measures.measures.Measure

TOPICS = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["one", "two", "three"]})
QRELS = pd.DataFrame({"qid": ["q1", "q2", "q3"], "docno": ["d2", "d3", "d1"], "label": [1, 1, 1]})


def ranker(name: str, scores_of: Mapping[str, Mapping[str, Mapping[str, float]]] = SCORES) -> Any:
    """A pipeline that looks its results up in a frame, with the documents' texts."""
    rows = [
        {"qid": qid, "docno": docno, "score": score, "rank": rank, "text": TEXTS[docno]}
        for qid, scores in scores_of[name].items()
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
        # q3 has no documents: it is not a zero, it stays out of the mean.
        assert table.loc[row.run, column] == pytest.approx(row.value, rel=1e-12)
    assert not pt.java.started()


def test_a_test_against_a_baseline_leaves_undefined_queries_out_in_pairs(
    fairpool: ModuleType,
) -> None:
    pytest.importorskip("scipy")
    ours = pt.fairpool
    # A t-test takes 30 queries: each of the three twenty times, and one has no documents.
    copies = range(20)
    scores = {
        name: {f"{qid}-{copy}": found for qid, found in queries.items() for copy in copies}
        for name, queries in SCORES.items()
    }
    topics, qrels = (
        pd.concat([frame.assign(qid=frame["qid"] + f"-{copy}") for copy in copies])
        for frame in (TOPICS, QRELS)
    )
    with pytest.warns(UserWarning, match=": 20 of"):
        table = pt.Experiment(
            [ranker("A", scores), ranker("B", scores)],
            topics,
            qrels,
            eval_metrics=[ours.RaB @ 3],
            names=["A", "B"],
            baseline=0,
            test=ours.t_test,
        )

    values = fairpool.evaluate(scores, "RaB@3", TEXTS, per_query=True)
    [comparison] = fairpool.compare(values).itertuples()
    assert comparison.n == 40
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


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_pipeline_is_measured_the_same_whatever_stands_beside_it(
    fairpool: ModuleType, seed: int
) -> None:
    """Other pipelines, the order of rows, and queries and documents that are dropped."""
    random = np.random.default_rng(seed)
    qids = [f"q{number}" for number in range(8)]
    lists: dict[str, dict[str, dict[str, float]]] = {
        name: {
            qid: {
                str(docno): float(n + 1)
                for n, docno in enumerate(random.permutation(sorted(TEXTS))[:3])
            }
            for qid in random.permutation(qids)[:6].tolist()
        }
        for name in "ABC"
    }
    topics = pd.DataFrame({"qid": qids, "query": "a query"})
    qrels = pd.DataFrame({"qid": qids, "docno": "d2", "label": 1})
    measures = ["ndcg_cut_2", pt.fairpool.RaB @ 2, pt.fairpool.TExFAIR @ 2]

    def values(lists: Any, names: list[str], asked: Any, *, per_query: bool) -> Any:
        rankers = [ranker(name, lists) for name in names]
        options = {"eval_metrics": measures, "names": names, "perquery": per_query}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = pt.Experiment(rankers, asked, qrels.merge(asked[["qid"]]), **options)
        table = table[table["name"] == "A"].drop(columns="name")
        by = ["qid", "measure"] if per_query else list(table)
        return table.sort_values(by, ignore_index=True)

    def turned(frame: Any) -> Any:
        return frame.sample(frac=1, random_state=seed)

    alone = values(lists, ["A"], topics, per_query=False)
    beside = values(lists, ["C", "A", "B"], turned(topics), per_query=False)
    pd.testing.assert_frame_equal(alone, beside, rtol=1e-15, atol=1e-15)
    # Half of the queries, and of each list what the cut-off of 2 lets in.
    kept = topics[topics["qid"].isin(sorted(lists["A"])[::2])]
    best = {
        name: {qid: dict(sorted(of.items(), key=lambda i: -i[1])[:2]) for qid, of in run.items()}
        for name, run in lists.items()
    }
    of_all = values(lists, ["A"], topics, per_query=True)
    of_some = values(best, ["A"], turned(kept), per_query=True)
    expected = of_all[of_all["qid"].isin(kept["qid"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(expected, of_some, check_exact=True)


def retrieved(name: str) -> Any:
    """The results of a ranker with their texts, one document a row, the worst first."""
    return ranker(name).transform(TOPICS).iloc[::-1]


@pytest.mark.parametrize("method", ["interpolate", "mmr", "exposure", "count", "detgreedy"])
def test_a_pipeline_is_re_ranked_as_the_program_re_ranks_its_run(
    fairpool: ModuleType, study: Path, method: str
) -> None:
    said = run(
        *("balance", "--run", study / "A.run", "--collection", study / "collection.tsv"),
        *("--method", method, "--strength", "0.9", "--output", study / "fair.run"),
    )
    assert said.returncode == 0, said.stderr
    expected = fairpool.read_run(study / "fair.run")

    found = pt.fairpool.Balance(method, 0.9).transform(retrieved("A"))

    for qid, results in found.groupby("qid"):
        assert results["docno"].tolist() == expected.documents(qid)
        assert results["rank"].tolist() == list(range(len(results)))
        assert results["score"].is_monotonic_decreasing
    assert found.set_index("docno")["text"].to_dict() == {
        docno: TEXTS[docno] for docno in found["docno"]
    }
    assert "query" in found.columns


def test_a_strength_of_0_keeps_the_order_and_a_scored_collection_needs_no_texts(
    study: Path,
) -> None:
    results = retrieved("A")
    same = pt.fairpool.Balance("mmr", 0).transform(results)
    assert same["docno"].tolist() == results.iloc[::-1]["docno"].tolist()
    pytest.importorskip("pyarrow")
    balance = pt.fairpool.Balance("mmr", 0.9, scores=study / "m.parquet")
    by_text = pt.fairpool.Balance("mmr", 0.9).transform(results)
    assert balance.transform(results.drop(columns="text"))["docno"].equals(by_text["docno"])


def test_a_pipeline_ends_in_it_and_an_experiment_measures_both() -> None:
    fair = ranker("A") >> pt.fairpool.Balance("exposure", 0.9)

    table = pt.Experiment(
        [ranker("A"), fair], TOPICS, QRELS, eval_metrics=[pt.fairpool.TExFAIR @ 2]
    )

    assert table.loc[1, "TExFAIR@2"] >= table.loc[0, "TExFAIR@2"]


def test_what_cannot_be_balanced_is_an_input_error(fairpool: ModuleType) -> None:
    with pytest.raises(fairpool.InputError, match="no method 'fair'"):
        pt.fairpool.Balance("fair", 0.5)
    with pytest.raises(fairpool.InputError, match=r"pt\.text\.get_text"):
        pt.fairpool.Balance("mmr", 0.5).transform(retrieved("A").drop(columns="text"))
    with pytest.raises(fairpool.InputError, match="0 to 1"):
        pt.fairpool.Balance("mmr", 1.5).transform(retrieved("A"))


def columns_of(measure: Any) -> tuple[set[str], set[str]]:
    """The columns of results and of judgments that a measure declares, as PyTerrier names them."""
    theirs = (ir_measures.run_inputs([measure]), ir_measures.qrel_inputs([measure]))
    results, judgments = (set(pt.model.from_ir_measures(names)) for names in theirs)
    return results, judgments


def pages(fairpool: ModuleType) -> dict[str, str]:
    """The pages where the documentation of PyTerrier takes them from, by name."""
    folder = files(fairpool.__name__) / "pt_docs"
    return {page.name: page.read_text("utf-8") for page in folder.iterdir()}


def test_the_page_for_pyterrier_has_the_columns_that_each_measure_declares(
    fairpool: ModuleType,
) -> None:
    ours: Any = pt.fairpool
    names = {name for name in ours.__all__ if isinstance(getattr(ours, name), Measure)}
    shown: dict[str, tuple[set[str], set[str]]] = {}
    for row in pages(fairpool)["measures.rst"].split("    * - ")[2:]:
        named, in_results, in_judgments = (re.findall("``(.+?)``", cell) for cell in
                                        row.split("\n\n")[0].split("\n      - "))  # fmt: skip
        shown |= dict.fromkeys(named, (set(in_results), set(in_judgments)))

    assert set(shown) == names
    for name, (results, judgments) in shown.items():
        measure = getattr(ours, name)
        if "text" not in results and "score" in results:
            measure = measure(scores="m.parquet")
        assert columns_of(measure) == (results, judgments), name
        if "text" in results:
            assert columns_of(measure(scores="m.parquet"))[0] == results - {"text"}


def test_an_experiment_refuses_a_pipeline_without_a_column_that_a_measure_needs() -> None:
    options: Any = {"eval_metrics": [pt.fairpool.RaB @ 2], "validate": "error"}
    with pytest.raises(ValueError, match="text"):
        pt.Experiment([retrieved("A").drop(columns="text")], TOPICS, QRELS, **options)
    assert len(pt.Experiment([retrieved("A")], TOPICS, QRELS, **options)) == 1


def test_gold_answers_name_the_queries_of_measures_that_need_no_grades() -> None:
    results = retrieved("A")
    gold = pd.DataFrame({"qid": ["q1", "q2"], "gold_answer": [["one"], ["two"]]})
    measure = pt.fairpool.RaB @ 2
    [by_gold] = pt.Experiment([results], TOPICS, gold, [measure])[str(measure)]
    [by_qrels] = pt.Experiment([results], TOPICS, QRELS[:2], [measure])[str(measure)]
    assert by_gold == by_qrels
    with pytest.raises(ValueError, match="relevance"):
        pt.Experiment([results], TOPICS, gold, [pt.fairpool.EE_L @ 2])


def test_balance_tells_pyterrier_its_columns() -> None:
    balance, results = pt.fairpool.Balance("mmr", 0.5), retrieved("A")

    assert pt.inspect.transformer_inputs(balance) == [["qid", "docno", "score", "text"]]
    columns = pt.inspect.transformer_outputs(balance, list(results))
    assert columns == list(balance.transform(results))
    with pytest.raises(pt.validate.InputValidationError, match="text"):
        pt.inspect.transformer_outputs(balance, ["qid", "docno", "score"])


def test_the_examples_of_the_pages_for_pyterrier_run(fairpool: ModuleType) -> None:
    found = pages(fairpool)
    toctree = re.findall(r"^    (\w+)$", found["index.rst"], re.MULTILINE)
    assert {f"{name}.rst" for name in toctree} | {"index.rst"} == set(found)
    for text in found.values():
        namespace: dict[str, Any] = {}
        for block in re.findall(r"code-block:: python\n\n((?:    .*\n|\n)+)", text):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # one query has no test
                exec(textwrap.dedent(block), namespace)  # noqa: S102 - our own documentation
