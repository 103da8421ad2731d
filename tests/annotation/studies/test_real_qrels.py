"""TREC DL 2019 from six runs to qrels and back: labels that are NIST's give what NIST's qrels give.

pytrec_eval, which reads them by trec_eval's rules, and `fairpool measure` agree on every run.
"""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.models import Batch, Study
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.reports import make_report
from annotation.reports.queries.reports import FOLDER, report_path
from annotation.studies.operations.pool_pairs import POOL_PAIRS
from annotation.studies.operations.score import SCORE
from annotation.vocabulary import FileKind
from metrics import read_run
from metrics.io.pair_ids import split_pair_id
from metrics.runs.qrels import Qrels, read_qrels
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
    return Batch.objects.get(name="graded")


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


def test_a_report_has_the_figures_of_people_a_model_and_both(
    batch: Batch, data: Path, tmp_path: Path
) -> None:
    """People judge 35 of the 43 queries, drawn whole, a model all; as by `fairpool measure`."""
    study = batch.study
    nist = read_qrels(data / "qrels.txt")
    pooled: dict[str, dict[str, int]] = {}
    for query in batch.queries.order_by("qid"):
        qid, docno = split_pair_id(query.qid)
        # Where the assessors left a passage out, nobody knows what they would have said.
        pooled.setdefault(qid, {})[docno] = nist[qid].get(docno, 0)
    model = {
        qid: {docno: min(n + (place % 3 == 0), 3) for place, (docno, n) in enumerate(of.items())}
        for qid, of in pooled.items()
    }
    pool = Pool.objects.get().name
    sample = do(DRAW_SAMPLE, study, pool=pool, design="queries", size=35).values["name"]
    run("batch", "create", "--name", "drawn", "--study", "dl19", "--pool", sample,
        "--scheme", "relevance")  # fmt: skip
    drawn = Batch.objects.get(name="drawn")
    asked = {split_pair_id(item)[0] for item in drawn.queries.values_list("qid", flat=True)}
    assert len(asked) == 35
    assert drawn.queries.count() == sum(len(pooled[qid]) for qid in asked)
    by_people = _written(tmp_path / "people.qrels", {qid: pooled[qid] for qid in sorted(asked)})
    by_model = _written(tmp_path / "judge.qrels", model)
    run("label", "import-qrels", "drawn", by_people)
    run("label", "import-model-labels", study.name, by_model, "--model", "judge")
    do(SCORE, study)
    runs = sorted((data / "runs").glob("*.run"))
    report, _task = do(
        CREATE_REPORT,
        study,
        runs=[path.stem for path in runs],
        scored=study.files.get(kind=FileKind.MAGNITUDES).name,
        baseline="BM25",
        judgments=[drawn.pk],
        judges=[study.model_raters.get().pk],
        missing="skip",
        half_width=0.1,
    ).made
    make_report(report_id=report.pk)
    report.refresh_from_db()
    with zipfile.ZipFile(report_path(report, FOLDER)) as folder:
        rows = list(csv.DictReader(io.StringIO(folder.read("judged_figures.csv").decode())))
        effectiveness = folder.read("table1_effectiveness.csv").decode()
    measured = program.run_json(
        *("measure", "--measure", "nDCG", "--cutoff", DEPTH, "--baseline", "BM25"),
        *(part for path in runs for part in ("--run", f"{path.stem}={path}")),
        *("--queries", data / "queries.tsv", "--partly-judged", "skip"),
        *("--qrels", by_people, "--judge-qrels", by_model, "--half-width", 0.1),
    )
    expected = {(row["run"], row["baseline"], row["source"]): row for row in measured["rows"]}
    shown = [row for row in rows if row["measure"] == "nDCG"]
    assert len(shown) == len(expected) == 3 * (6 + 5)
    for row in shown:
        name, _, baseline = row["run"].partition(" - ")
        same = expected[name, baseline, row["source"]]
        assert float(row["value"]) == pytest.approx(same["value"], abs=1e-12)
        assert row["labels_needed"] == str(same["labels_needed"] or "")
        assert bool(row["low"]) == (row["source"] != "model")
        assert not row["low"] or float(row["low"]) == pytest.approx(same["low"], abs=1e-12)
    assert {row["source"] for row in shown} == {"people", "model", "corrected"}
    assert "nDCG" in effectiveness


def _written(path: Path, qrels: Qrels) -> Path:
    lines = [f"{qid} 0 {docno} {n}\n" for qid, of in qrels.items() for docno, n in of.items()]
    path.write_text("".join(lines))
    return path
