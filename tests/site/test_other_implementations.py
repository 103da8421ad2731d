"""Our figures on real runs and votes beside those of other programs and of the definition."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import krippendorff  # noqa: TID251 - the oracle
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from rbo import RankingSimilarity
from scipy import stats
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.multitest import multipletests

from metrics import (
    compare_all,
    correlation,
    evaluate,
    paired_t_test,
    rbo,
    read_collection,
    read_qrels,
    read_run,
)
from metrics.runs import Run
from metrics.votes.agreeing import agree
from metrics.votes.table import Votes

pytestmark = pytest.mark.shared_data

VOTES = ["votes/dog4/votes.csv", "votes/dog4/votes_first3.csv", "gender_queries/llm_votes_long.csv"]


@pytest.fixture(scope="module")
def dl19(shared_data: Path) -> Path:
    return shared_data / "msmarco_dl19"


@pytest.fixture(scope="module")
def runs(dl19: Path) -> dict[str, Run]:
    paths = sorted((dl19 / "runs").iterdir())
    assert len(paths) == 6
    return {path.name: read_run(path, order="trec_eval") for path in paths}


@pytest.fixture(scope="module")
def effectiveness(dl19: Path, runs: dict[str, Run]) -> pd.DataFrame:
    """Per query: columns run, qid, measure, value."""
    return evaluate(
        runs.values(),
        ["nDCG@10", "MRR(relevant=2)@10", "Recall(relevant=2)@10"],
        dict(read_collection(dl19 / "collection.tsv")),
        qrels=dl19 / "qrels.txt",
        per_query=True,
        order="trec_eval",
    )


def ndcg(effectiveness: pd.DataFrame) -> dict[str, list[float]]:
    rows = effectiveness[effectiveness["measure"] == "nDCG"].sort_values("qid")
    return {str(name): list(part["value"]) for name, part in rows.groupby("run")}


@pytest.mark.long
def test_effectiveness_of_every_query_is_pytrec_evals(
    dl19: Path, effectiveness: pd.DataFrame
) -> None:
    qrels = read_qrels(dl19 / "qrels.txt")
    theirs = {}
    for path in (dl19 / "runs").iterdir():
        scores: dict[str, dict[str, float]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            qid, _, docno, _, score, _ = line.split()
            scores.setdefault(qid, {})[docno] = float(score)
        graded = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(scores)
        binary = pytrec_eval.RelevanceEvaluator(
            qrels, {"recip_rank", "recall.10"}, relevance_level=2
        ).evaluate(scores)
        for qid, values in binary.items():
            first = values["recip_rank"]
            theirs[path.name.split(".")[0], qid] = {
                "nDCG": graded[qid]["ndcg_cut_10"],
                "MRR": first if first >= 0.1 else 0.0,
                "Recall": values["recall_10"],
            }
    compared = 0
    for row in effectiveness.itertuples():
        wanted = theirs[str(row.run).split(".")[0], str(row.qid)][
            str(row.measure).partition("(")[0]
        ]
        assert row.value == pytest.approx(wanted, abs=1e-12), row
        compared += 1
    assert compared == 6 * 43 * 3


def test_corrections_are_those_of_statsmodels_and_tests_those_of_scipy(
    effectiveness: pd.DataFrame,
) -> None:
    values = ndcg(effectiveness)
    found = compare_all(values, resamples=200)
    theirs = [stats.ttest_rel(values[one.first], values[one.second]) for one in found]
    assert [one.t_p for one in found] == pytest.approx([one.pvalue for one in theirs], rel=1e-9)
    ps = [one.pvalue for one in theirs]
    for method, ours in (
        ("bonferroni", [one.t_p_bonferroni for one in found]),
        ("holm", [one.t_p_holm for one in found]),
    ):
        assert ours == pytest.approx(list(multipletests(ps, method=method)[1]), rel=1e-9)
    assert len(found) == 15


@pytest.mark.long
def test_correlations_are_scipys_and_their_p_values_come_near(effectiveness: pd.DataFrame) -> None:
    values = ndcg(effectiveness)
    for first, second in itertools.combinations(values.values(), 2):
        found = correlation(first, second)
        for ours, theirs in (
            ((found.pearson, found.pearson_p), stats.pearsonr(first, second)),
            ((found.spearman, found.spearman_p), stats.spearmanr(first, second)),
            ((found.kendall, found.kendall_p), stats.kendalltau(first, second)),
        ):
            assert ours[0] == pytest.approx(theirs.statistic, abs=1e-10)
            # Ours is of 10,000 orders, of which chance lets some more or fewer go as far.
            assert ours[1] == pytest.approx(theirs.pvalue, abs=0.015)
        t_test = paired_t_test(first, second)
        assert t_test is not None
        assert t_test[0] == pytest.approx(stats.ttest_rel(first, second).statistic, rel=1e-9)


def rbo_by_definition(first: Sequence[str], second: Sequence[str], p: Fraction) -> Fraction:
    """Webber, Moffat & Zobel 2010, equation 30, for two lists of the same length."""
    overlap = [len(set(first[:d]) & set(second[:d])) for d in range(1, len(first) + 1)]
    agreeing = sum(
        (Fraction(x, d) * p**d for d, x in enumerate(overlap, start=1)), start=Fraction(0)
    )
    return Fraction(overlap[-1], len(first)) * p ** len(first) + (1 - p) / p * agreeing


def test_rank_biased_overlap_of_real_rankings_is_the_definitions_and_that_of_rbo(
    runs: dict[str, Run],
) -> None:
    compared = 0
    for first, second in itertools.combinations(runs.values(), 2):
        for qid in first.qids:
            one, other = first.documents(qid)[:10], second.documents(qid)[:10]
            wanted = float(rbo_by_definition(one, other, Fraction(9, 10)))
            ours = rbo(one, other, p=0.9)
            assert ours.ext == pytest.approx(wanted)
            theirs = RankingSimilarity(list(one), list(other))
            assert ours.ext == pytest.approx(theirs.rbo_ext(p=0.9), abs=1e-12)
            assert ours.trunc == pytest.approx(theirs.rbo(p=0.9), abs=1e-12)
            compared += 1
    assert compared == 15 * 43


@pytest.mark.parametrize("file", VOTES)
def test_agreement_on_real_votes_is_that_of_krippendorff_and_statsmodels(
    shared_data: Path, file: str
) -> None:
    votes = pd.read_csv(shared_data / file, dtype=str)
    table = Votes.of(votes["task"], votes["worker"], votes["label"])
    found = agree(table, resamples=10)
    counts = table.counts()
    assert found.krippendorff_alpha.value == pytest.approx(
        krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"), abs=1e-12
    )
    for place, label in enumerate(table.labels):
        two = np.stack([counts[:, place], counts.sum(axis=1) - counts[:, place]], axis=1)
        assert found.per_category_alpha[label].value == pytest.approx(
            krippendorff.alpha(value_counts=two, level_of_measurement="nominal"), abs=1e-12
        )
    # statsmodels knows Fleiss' kappa for one number of votes per query only.
    full = np.flatnonzero(counts.sum(axis=1) == counts.sum(axis=1).max())
    chosen = table.kept(np.isin(table.item, full))
    assert agree(chosen, resamples=10).fleiss_kappa.value == pytest.approx(
        fleiss_kappa(counts[full]), abs=1e-12
    )
