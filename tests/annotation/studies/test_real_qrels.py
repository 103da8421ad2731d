"""TREC DL 2019 from six runs to qrels and back: labels that are NIST's give what NIST's qrels give.

pytrec_eval, which reads them by trec_eval's rules, and `fairpool measure` agree on every run.
"""

from pathlib import Path

import pytest

from annotation.models import Batch, Study
from annotation.studies.operations.pool_pairs import POOL_PAIRS
from metrics import read_run
from metrics.runs.qrels import Qrels, read_qrels
from pooling.items import split_pair_id
from pooling.models import Pool
from tests import program
from tests.commands import run, run_json
from tests.performing import do

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.shared_data]

DEPTH = 10


@pytest.fixture
def data(shared_data: Path) -> Path:
    return shared_data / "msmarco_dl19"


@pytest.fixture
def batch(data: Path, folders: Path) -> Batch:
    """The pairs of a pool of the first passages of six runs, with NIST's grades as labels."""
    files = [data / "collection.tsv", data / "queries.tsv", *(data / "runs").glob("*.run")]
    run("study", "create", "dl19")
    run("study", "add-files", "dl19", *files)
    do(POOL_PAIRS, Study.objects.get(), cutoff=DEPTH)
    run("batch", "create", "--name", "graded", "--study", "dl19", "--pool", Pool.objects.get().name,
        "--scheme", "relevance")  # fmt: skip
    run("label", "import-qrels", "graded", data / "qrels.txt")
    return Batch.objects.get()


def test_labels_of_nist_give_the_figures_of_nist(batch: Batch, data: Path, tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    out = tmp_path / "graded.qrels.adjudicated.txt"
    said = run_json("label", "export", "graded", "--format", "qrels-adjudicated", "--output", out)
    pooled = {split_pair_id(item) for item in batch.queries.values_list("qid", flat=True)}
    nist = _restricted(read_qrels(data / "qrels.txt"), pooled)
    assert read_qrels(out) == nist
    assert said["n_queries"] + said["n_undecided"] == len(pooled)

    evaluator = pytrec_eval.RelevanceEvaluator(read_qrels(out), {f"ndcg_cut.{DEPTH}"})
    of_nist = pytrec_eval.RelevanceEvaluator(nist, {f"ndcg_cut.{DEPTH}"})
    for path in sorted((data / "runs").glob("*.run")):
        scores = read_run(path, queries=set(nist)).to_dict()
        measured = program.run_json(
            *("measure", "--run", f"A={path}", "--measure", "nDCG", "--cutoff", DEPTH),
            *("--queries", data / "queries.tsv", "--qrels", out),
        )
        values = [row[f"ndcg_cut_{DEPTH}"] for row in evaluator.evaluate(scores).values()]
        expected = [row[f"ndcg_cut_{DEPTH}"] for row in of_nist.evaluate(scores).values()]
        assert values == expected, path.stem
        [row] = measured["rows"]
        assert row["value"] == pytest.approx(sum(expected) / len(expected), abs=1e-12), path.stem
        assert 0.4 < row["value"] < 1


def _restricted(qrels: Qrels, pairs: set[tuple[str, str]]) -> Qrels:
    kept = {
        qid: {docno: grade for docno, grade in grades.items() if (qid, docno) in pairs}
        for qid, grades in qrels.items()
    }
    return {qid: grades for qid, grades in kept.items() if grades}
