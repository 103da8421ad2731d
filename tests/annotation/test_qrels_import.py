"""Qrels of people as decided labels of a batch of pairs, and of a model as its labels."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from rest_framework.test import APIClient

from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.labels.operations.qrels_import import IMPORT_QRELS
from annotation.models import AuditEvent, Batch, Label, Labelling, ModelRater
from tests.annotation.publishing.at_once import Meeting, at_once
from tests.annotation.test_downloads import content
from tests.commands import failure, run, run_json
from tests.judged_pairs import pairs_batch
from tests.study import a_study, stored_study

pytestmark = pytest.mark.django_db

#: With a judgment of a pair that the batch does not have, and without two of its pairs.
QRELS = "7 0 D1 3\n7 0 D2 0\n8 0 D1 1\n9 0 D9 2\n"


@pytest.fixture
def batch() -> Batch:
    return pairs_batch(a_study("judged"))


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "nist.qrels"
    path.write_text(QRELS)
    return path


def test_qrels_become_the_labels_that_stand(batch: Batch, qrels: Path, tmp_path: Path) -> None:
    done = run_json("label", "import-qrels", "pairs", qrels)
    assert done.pop("name") == "pairs"
    assert done == {"question": "relevance", "n_labels": 3, "n_without": 2, "n_others": 1}
    assert Labelling.objects.get().method == "released"
    out = tmp_path / "out.qrels"
    run("label", "export", "pairs", "--format", "qrels-adjudicated", "--output", out)
    assert out.read_text() == "".join(QRELS.splitlines(keepends=True)[:3])
    qrels.write_text("7 0 D1 2\n")
    run("label", "import-qrels", "pairs", qrels)
    assert list(Label.objects.values_list("query__qid", "value")) == [("7 D1", "2")]


@pytest.mark.django_db(transaction=True)
def test_two_who_import_qrels_at_once_store_them_once(batch: Batch, qrels: Path) -> None:
    meeting = Meeting(2)

    def do_import() -> None:
        with meeting.before('INSERT INTO "annotation_label"'):
            perform_here(IMPORT_QRELS, batch, {"file": qrels}, Actor("test"))

    assert at_once([do_import, do_import]) == [None, None]
    assert Label.objects.count() == 3


def test_qrels_come_in_through_page_and_call(
    admin_client: Client, batch: Batch, qrels: Path
) -> None:
    user = User.objects.create_user("staff", is_staff=True)
    _, token = AuthToken.objects.create(user)
    api = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    address = reverse("api-batch-qrels", args=[batch.pk])
    made = api.post(
        f"{address}?filename=nist.qrels", QRELS.encode(), content_type="application/octet-stream"
    )
    assert (made.status_code, made.json()["n_labels"]) == (201, 3)
    Label.objects.all().delete()
    page = reverse("batch-labels", args=[batch.pk])
    assert "Import qrels" in admin_client.get(page).content.decode()
    sent = {"file": SimpleUploadedFile("nist.qrels", QRELS.encode()), "question": "relevance"}
    shown = admin_client.post(reverse("labels-qrels-import", args=[batch.pk]), sent, follow=True)
    said = "3 grades imported, 2 pairs without one, 1 judgment of other pairs left out."
    assert said in shown.content.decode()
    assert "Decided by <strong>imported decision" in shown.content.decode()
    sent = {"file": SimpleUploadedFile("x.qrels", b"1 0 X 0\n"), "question": "relevance"}
    shown = admin_client.post(reverse("labels-qrels-import", args=[batch.pk]), sent, follow=True)
    assert "x.qrels: has no passage in common" in shown.content.decode()
    assert AuditEvent.objects.filter(batch=batch, action="labels imported").count() == 2
    file = admin_client.get(
        reverse("batch-export", args=[batch.pk]), {"layout": "qrels-adjudicated"}
    )
    assert content(file).decode().startswith("7 0 D1 3\n")


def test_a_file_as_large_as_the_page_announces_is_taken(admin_client: Client, batch: Batch) -> None:
    others = "".join(f"9 0 D{number:012} 0\n" for number in range(600_000))
    assert len(others) > 10_000_000
    sent = {"file": SimpleUploadedFile("large.qrels", (QRELS + others).encode())}
    shown = admin_client.post(reverse("labels-qrels-import", args=[batch.pk]), sent, follow=True)
    assert "3 grades imported" in shown.content.decode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "7 0 X1 1\n7 0 X2 1\n8 0 X3 0\n8 0 X4 0\n",
            "with the pairs to label: it has X1, X2, X3, ...; they have D1, D2, D3, ...",
        ),
        ("1 0 D1 1\n", "has no query in common with the pairs to label: it has 1; they have 7, 8"),
        ("7 0 D4 1\n", "has no pair in common with the pairs to label: it has 7 D4; they have"),
        ("7 0 D1 4\n", "'relevance' does not have: it has 0, 1, 2, 3"),
        ("7 0 D1 -1\n", "the grade -1"),
        ("7 0 D1 1\n7 0 D1 2\n", ":2: judges the document 'D1' of query '7' again"),
        ("7 0 D1\n", ":1: expected 4 columns"),
        ("", "is empty"),
    ],
    ids=["other passages", "other queries", "other pairs", "beyond", "below", "twice", "columns",
         "nothing"],
)  # fmt: skip
def test_what_cannot_be_labels_is_said_and_leaves_nothing(
    batch: Batch, qrels: Path, text: str, message: str
) -> None:
    qrels.write_text(text)
    assert message in failure("label", "import-qrels", "pairs", qrels)
    assert not Label.objects.exists()


def test_only_grades_of_pairs_are_labelled_by_qrels(qrels: Path) -> None:
    stored_study(2)
    assert "judges queries, not pairs" in failure("label", "import-qrels", "study", qrels)
    pairs_batch(
        a_study("other"), "passage_gender", ("nnn", "ffm", "", "", "", "mmm"), name="leaning"
    )
    assert "are not grades" in failure("label", "import-qrels", "leaning", qrels)


def test_qrels_of_a_model_are_its_labels(batch: Batch, qrels: Path) -> None:
    done = run_json("label", "import-model-labels", batch.study.name, qrels, "--model", "judge")
    assert done["labels"] == {"judge": 3}
    rater = ModelRater.objects.get()
    assert (rater.question, rater.options) == ("relevance", ["0", "1", "2", "3"])
    labels = {"7 D1": "3", "7 D2": "0", "8 D1": "1"}
    assert dict(rater.labels.values_list("qid", "category")) == labels
    qrels.write_text("1 0 X 0\n")
    said = failure("label", "import-model-labels", batch.study.name, qrels, "--model", "other")
    assert "has no passage in common" in said


def test_a_model_labels_passages_by_their_ids(tmp_path: Path) -> None:
    given = ("nnn", "ffm", "", "", "", "mmm")
    batch = pairs_batch(a_study("other"), "passage_gender", given, name="leaning")
    table = tmp_path / "gpt.csv"
    table.write_text("qid,docno,label,score\n7,D1,f,0.9\n8,D4,b,0.7\n")
    run("label", "import-model-labels", batch.study.name, table)
    labels = ModelRater.objects.get().labels
    assert dict(labels.values_list("qid", "category")) == {"7 D1": "f", "8 D4": "b"}
