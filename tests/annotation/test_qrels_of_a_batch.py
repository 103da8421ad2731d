"""Qrels of a batch of pairs: by each rule, by page, API and command, and refused in words."""

import csv
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from rest_framework.test import APIClient

from annotation.labels.export.formats import LABEL_FORMATS
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.scheme_files import scheme_file
from annotation.models import Batch, Label, Labelling
from annotation.reports.bundle.verify import verify_bundle
from annotation.vocabulary import TIE
from metrics.io.pair_ids import split_pair_id
from metrics.runs.qrels import read_qrels
from tests.annotation.test_downloads import content
from tests.annotation.test_import_bundle import import_bundle
from tests.bundles import changed, contents
from tests.commands import failure, run, run_json
from tests.judged_pairs import pairs_batch
from tests.study import a_study, stored_study

pytestmark = pytest.mark.django_db

QRELS = [one.name for one in LABEL_FORMATS.values() if one.rule]
#: By rule: the file, and the pairs that are undecided. A tie has no grade by majority, and the
#: lower of two middles by the median; of those that stand two middles apart are a tie.
EXPECTED = {
    "qrels-majority": ("7 0 D1 2\n7 0 D2 0\n", 3),
    "qrels-median": ("7 0 D1 2\n7 0 D2 0\n7 0 D3 1\n8 0 D1 0\n", 1),
    "qrels-adjudicated": ("7 0 D1 2\n7 0 D2 3\n7 0 D3 1\n", 2),
}


@pytest.fixture
def batch() -> Batch:
    """Labelled by the median, with a decision of a person beside it."""
    batch = pairs_batch(a_study("judged"))
    batch_label(batch=batch, actor="test")
    query_adjudicate(batch=batch, qid="7 D2", category="3", reason="It is.", by="test")
    return batch


@pytest.fixture
def api() -> APIClient:
    user = User.objects.create_user("staff", is_staff=True)
    _, token = AuthToken.objects.create(user)
    return APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")


@pytest.mark.parametrize("layout", QRELS)
def test_each_rule_writes_one_file_through_every_interface(
    admin_client: Client, api: APIClient, batch: Batch, tmp_path: Path, layout: str
) -> None:
    expected, n_undecided = EXPECTED[layout]
    path, sent = tmp_path / "qrels.txt", {"layout": layout}
    said = run_json("label", "export", "pairs", "--format", layout, "--output", path)
    assert (said["n_queries"], said["n_gold"]) == (expected.count("\n"), 1)
    assert said["n_undecided"] == n_undecided
    assert path.read_text() == expected
    for file in (
        admin_client.get(reverse("batch-export", args=[batch.pk]), sent),
        api.get(reverse("api-batch-export", args=[batch.pk]), sent),
    ):
        assert content(file).decode() == expected
        name = f"pairs.{layout.replace('-', '.')}.txt"
        assert f'filename="{name}"' in file["Content-Disposition"]
    page = admin_client.get(reverse("batch-labels", args=[batch.pk]), sent)
    assert page.context["preview"].first == expected
    shown = page.content.decode()
    assert f"{n_undecided + 1} pairs left out: {n_undecided} undecided, 1 gold." in shown
    assert reverse("batch-export", args=[batch.pk]) in shown
    grades = read_qrels(path)
    lines = [f"{qid} 0 {docno} {n}\n" for qid, of in grades.items() for docno, n in of.items()]
    assert "".join(lines) == expected


def test_the_median_labels_a_question_whose_options_have_an_order(
    admin_client: Client, batch: Batch
) -> None:
    assert Labelling.objects.get(batch=batch).method == "median"
    page = admin_client.get(reverse("batch-labels", args=[batch.pk])).content.decode()
    assert "Decided by <strong>median of the votes</strong>" in page
    done = run_json("label", "decide", "pairs", "--method", "majority")
    assert (done["method"], done["labels"], done["ties"]) == (
        *("majority", {"0": 1, "1": 0, "2": 1, "3": 0}, 2),
    )
    assert "in no order; mace decides no other" in failure(
        "label", "decide", "pairs", "--method", "mace"
    )


def test_two_grades_that_lie_apart_are_a_tie_for_a_person() -> None:
    """0 and 3 are not 0; 1 and 2 are 1, the lower of two middles that lie next to each other."""
    batch = pairs_batch(a_study("apart"), given=("03", "12", "02", "013", "33", "3"), name="apart")
    batch_label(batch=batch, actor="test")
    assert Labelling.objects.get(batch=batch).strict
    labels = dict(Label.objects.filter(query__batch=batch).values_list("query__qid", "value"))
    assert labels == {"7 D1": TIE, "7 D2": "1", "7 D3": TIE, "8 D1": "1", "8 D4": "3"}
    batch_label(batch=batch, method="median", actor="test")
    labels = dict(Label.objects.filter(query__batch=batch).values_list("query__qid", "value"))
    assert [labels[qid] for qid in ("7 D1", "7 D3")] == ["0", "0"]


def test_the_median_is_of_options_in_an_order_alone(batch: Batch) -> None:
    pairs_batch(
        a_study("other"), "passage_gender", ("nnn", "ffm", "", "", "", "mmm"), name="leaning"
    )
    run("label", "decide", "leaning")
    said = failure("label", "decide", "leaning", "--method", "median")
    assert "in an order; median decides no other" in said


@pytest.mark.parametrize("layout", QRELS)
def test_labels_that_are_no_grades_have_no_qrels(
    admin_client: Client, tmp_path: Path, layout: str
) -> None:
    batch = pairs_batch(
        a_study("other"), "passage_gender", ("nnn", "ffm", "", "", "", "mmm"), name="leaning"
    )
    batch.queries.exclude(gold="").delete()
    # Genders are labels that LabelRaB reads.
    batch.asks["questions"][0]["options"][3]["code"] = "x"
    batch.save()
    run("label", "decide", "leaning")
    export = ("label", "export", "--format", layout, "--output", tmp_path / "qrels.txt")
    assert "the options of 'passage_gender' (n, f, m, x) are not grades" in failure(
        *export[:2], "leaning", *export[2:]
    )
    page = admin_client.get(reverse("batch-labels", args=[batch.pk]))
    assert layout not in page.content.decode()
    stored_study(2)
    assert "judges queries, not pairs" in failure(*export[:2], "study", *export[2:])
    assert not (tmp_path / "qrels.txt").exists()


def test_qrels_have_every_grade(batch: Batch, tmp_path: Path) -> None:
    export = ("label", "export", "pairs", "--format", QRELS[0], "--output", tmp_path / "q")
    run(*export, "--category", "all")
    assert "Qrels have the pairs of every grade." in failure(*export, "--category", "2")


def test_other_files_have_the_id_of_the_passage_in_a_column(batch: Batch, tmp_path: Path) -> None:
    path = tmp_path / "labels"
    export = ("label", "export", "pairs", "--category", "all", "--output", path, "--force")
    run(*export, "--format", "csv")
    assert path.read_text().splitlines()[:2] == ["7,D1,what is 7,2", "7,D2,what is 7,3"]
    run(*export, "--format", "csv", "--header")
    assert path.read_text().splitlines()[:2] == ["qid,docno,query,label", "7,D1,what is 7,2"]
    run(*export, "--format", "tsv")
    assert path.read_text().splitlines()[0] == "7\tD1\twhat is 7"
    run(*export, "--format", "jsonl")
    first = path.read_text().splitlines()[0]
    begins = '{"qid": "7", "docno": "D1", "query": "what is 7", "passage": "It is D1, indeed", '
    assert first.startswith(begins)
    assert '"tally": {"2": 3}' in first


def test_a_bundle_has_the_qrels_of_each_rule_and_computes_them_again(
    batch: Batch, tmp_path: Path
) -> None:
    path = tmp_path / "b.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    files = contents(path)
    for layout, (expected, _) in EXPECTED.items():
        assert files[f"batches/1/{layout.replace('-', '.')}.txt"].decode() == expected
    assert b"qrels.median.txt" in files["README.md"]
    assert verify_bundle(path).ok
    forged = changed(path, "batches/1/qrels.median.txt", "7 0 D1 2", "7 0 D1 3")
    [difference] = verify_bundle(forged).differences
    assert difference.startswith("batches/1/qrels.median.txt: does not follow")
    copy = import_bundle(path, name="elsewhere").made.batches.get()
    passages = ("qid", "text", "passage", "gold")
    assert list(copy.queries.values_list(*passages)) == list(batch.queries.values_list(*passages))
    out = tmp_path / "out.qrels"
    run("label", "export", copy.name, "--format", "qrels-adjudicated", "--output", out)
    assert out.read_text() == EXPECTED["qrels-adjudicated"][0]


def test_the_files_of_a_scheme_have_the_id_of_the_passage(batch: Batch) -> None:
    files = {
        name: "".join(scheme_file(batch=batch, file=name)[0]).splitlines()
        for name in ("labels", "votes", "subset")
    }
    assert files["labels"][0].startswith("qid,docno,query,relevance,")
    assert files["labels"][1].startswith("7,D1,what is 7,2,")
    assert files["votes"][0] == "qid,docno,query,worker,question,answer,gold"
    assert files["votes"][1].startswith("7,D1,what is 7,w-")
    assert files["subset"] == ["7\tD1\twhat is 7", "7\tD2\twhat is 7"]


def test_a_release_has_the_qrels_of_each_rule(batch: Batch, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    terms = ("--creators", "Lovelace, Ada", "--license", "cc-by-4.0", "--output", folder)
    run("study", "release", batch.study.name, *terms)
    for layout, (expected, _) in EXPECTED.items():
        name = f"batch-1.{layout.replace('-', '.')}.txt"
        assert (folder / name).read_text() == expected
        assert name in (folder / "README.md").read_text()
        assert name in (folder / "ro-crate-metadata.json").read_text()
    stored = {split_pair_id(row.qid) for row in batch.queries.filter(gold="")}
    assert "5 pairs of query and passage" in (folder / "README.md").read_text()
    for name in ("answers", "decisions", "soft_labels"):
        with (folder / f"{name}.csv").open(newline="") as table:
            rows = list(csv.DictReader(table))
        assert list(rows[0])[:4] == ["batch", "qid", "docno", "query"]
        assert {(row["qid"], row["docno"]) for row in rows} <= stored
    (folder / "batch-2.qrels.median.txt").write_text("of an earlier release\n")
    run("study", "release", batch.study.name, *terms)
    assert not (folder / "batch-2.qrels.median.txt").exists()
