"""FaiRR, NFaiRR and nDCG on real runs, against what the authors' programs and trec_eval give.

`reference_per_query.csv` was computed with the released code of Rekabsaz et al. (2020, 2021), six
decimals; its `split_space` is our `whitespace`, its background the first 100 documents of BM25.
The values of nDCG@10 are those of trec_eval, four decimals, from the README beside the data.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

from metrics.measures import Inputs, get
from metrics.measures.base import Qrels
from metrics.runs import read_run
from metrics.runs.queries import read_queries
from metrics.runs.ranked import join
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.scoring import score_collection

pytestmark = pytest.mark.shared_data

LISTS = {
    "sigir20_32": "wordlist_genderspecific.sigir20.txt",
    "sigir21_163": "wordlist_gender_representative.sigir21.txt",
}
SYSTEMS = (
    "BM25",
    "BM25_RM3",
    "D_BERT_KD_TASB",
    "OPEN_AI_ADA2",
    "REP_LLAMA_100",
    "SPLADE_P_P_ENSEMBLE_DISTIL",
)
NDCG_AT_10 = {
    "runs/BM25.run": 0.5058,
    "runs/BM25_RM3.run": 0.5216,
    "runs/D_BERT_KD_TASB.run": 0.7210,
    "runs/OPEN_AI_ADA2.run": 0.7035,
    "runs/SPLADE_P_P_ENSEMBLE_DISTIL.run": 0.7308,
    "runs/REP_LLAMA_100.run": 0.7384,
    "runs_fair/BM25.run": 0.5338,
    "runs_fair/RM3.run": 0.5558,
    "runs_fair/bert_L2.run": 0.6835,
    "runs_fair/bert_L4.run": 0.6722,
    "runs_fair/advbert_L2.run": 0.6455,
    "runs_fair/advbert_L4.run": 0.6363,
    "runs_fair/conv_knrm.run": 0.5953,
    "runs_fair/knrm.run": 0.5520,
    "runs_fair/match_pyramid.run": 0.5779,
    "runs_fair/tk.run": 0.6811,
    "runs_messy_bm25_VBERT.res": 0.6855,
}


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "msmarco_dl19"


@pytest.fixture(scope="module", params=sorted(LISTS))
def scored(
    request: pytest.FixtureRequest,
    shared_data: Path,
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, Magnitudes]:
    path = tmp_path_factory.mktemp("scored") / "magnitudes.parquet"
    lexicon = read_lexicon(shared_data / "wordlists" / LISTS[request.param])
    score_collection(folder / "collection.tsv", path, lexicon=lexicon, tokenizer="whitespace")
    return request.param, open_magnitudes(path)


@pytest.mark.long
def test_fairr_and_nfairr_equal_the_reference_per_query(
    folder: Path, scored: tuple[str, Magnitudes]
) -> None:
    wordlist, magnitudes = scored
    lines = (folder / "reference_per_query.csv").read_text(encoding="utf-8").splitlines()
    reference = [
        row
        for row in csv.DictReader(lines)
        if row["tokenizer"] == "split_space" and row["wordlist"] == wordlist
    ]
    background = join(read_run(folder / "runs" / "BM25.run"), magnitudes, 100)
    for system in SYSTEMS:
        run = read_run(folder / "runs" / f"{system}.run")
        inputs = Inputs(
            join(run, magnitudes, 10, queries=background.qids), backgrounds={"BM25": background}
        )
        rows = {row["qid"]: row for row in reference if row["run"] == f"dl19.{system}"}
        for measure in ("FaiRR", "NFaiRR"):
            name = f"{measure}(background=BM25)@10" if measure == "NFaiRR" else f"{measure}@10"
            ours = get(name).compute(inputs).value
            theirs = [float(rows[qid][measure]) for qid in background.qids]
            # Six decimals were printed.
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("path", NDCG_AT_10)
def test_ndcg_equals_trec_eval(
    folder: Path, path: str, tmp_path: Path, scored_once: Magnitudes
) -> None:
    queries = read_queries(folder / ("queries.fair30.tsv" if "fair" in path else "queries.tsv")).ids
    run = read_run(folder / path, queries=set(queries))
    ranked = join(run, scored_once, 10, missing="zero", queries=queries)

    value = get("nDCG@10").compute(Inputs(ranked, qrels=_qrels(folder))).value

    assert float(np.nanmean(value)) == pytest.approx(NDCG_AT_10[path], abs=5e-5)


@pytest.fixture(scope="module")
def scored_once(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Magnitudes:
    path = tmp_path_factory.mktemp("scored") / "magnitudes.parquet"
    score_collection(folder / "collection.tsv", path, lexicon=read_lexicon())
    return open_magnitudes(path)


def _qrels(folder: Path) -> Qrels:
    found: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        qid, _, docno, grade = line.split()
        found.setdefault(qid, {})[docno] = int(grade)
    return found
