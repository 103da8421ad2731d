"""Gold questions of a batch with a scheme: they check the workers, and decide nothing."""

import csv
import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from rest_framework.test import APIClient

from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.queries.answers import worker_detail
from annotation.batches.queries.batches import batch_progress
from annotation.core.perform import perform_here
from annotation.labels.operations.adjudicate import study_query
from annotation.labels.queries.quality import batch_worker_quality
from annotation.labels.queries.scheme_files import scheme_file
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import Batch, Study, Worker
from annotation.reports.bundle.verify import verify_bundle
from annotation.schemes import known_answers, known_text, scheme_from_yaml
from metrics.errors import InputError
from tests.commands import failure, run, run_json
from tests.schemed import SCHEME, STAFF, answer, form_terms, made
from tests.study import stored_pool

pytestmark = pytest.mark.django_db

GOLD = [{"qid": "g", "text": "pope francis", "gold": "named=yes | groups=c"}]


@pytest.fixture
def study() -> Study:
    return stored_pool(4).belongs.study


@pytest.fixture
def batch(study: Study) -> Batch:
    """Four queries and one of which is known that it names Christians; A2 says Muslims."""
    batch = made(study, gold=GOLD)
    order = list(batch.queries.order_by("position").values_list("qid", flat=True))
    for worker, known in (("A1", "christians"), ("A2", "yes"), ("A3", "no")):
        answer(batch, worker, [known if qid == "g" else "no" for qid in order])
    return batch


def rows(batch: Batch, file: str) -> list[dict[str, str]]:
    lines, _name, _kind = scheme_file(batch=batch, file=file)
    return list(csv.DictReader(io.StringIO("".join(lines))))


def test_a_gold_question_decides_nothing(batch: Batch) -> None:
    assert batch.queries.get(qid="g").gold == "named=yes | groups=c"
    results = scheme_results(batch=batch)
    assert "g" not in {query.qid for query in results.queries}
    assert len(results.subset) == 4
    assert results.questions[0].agreement.n_votes == 12
    assert batch_progress(batch=batch).n_votes == 12
    with pytest.raises(InputError, match="no query 'g' to decide"):
        study_query(batch, "g")


def test_workers_are_checked_by_what_is_known_of_each_question(batch: Batch) -> None:
    quality = {row.worker: row for row in batch_worker_quality(batch=batch)}
    # A3 was not asked whose religion it is.
    assert {name: (row.n_gold, row.gold_accuracy.value) for name, row in quality.items()} == {
        "A1": (2, 1.0),
        "A2": (2, 0.5),
        "A3": (1, 0.0),
    }
    assert "right on only 0% of 1 gold questions" in quality["A3"].remarks
    worker = Worker.objects.get(worker_id="A2")
    detail = worker_detail(batch=batch, number=worker.pk)
    assert {one.question: one.quality.gold_accuracy.value for one in detail.questions} == {
        "named": 1.0,
        "groups": 0.0,
        "harm": None,
    }
    assert [vote.is_right for vote in detail.answers[0].votes if vote.gold] == [False]
    table = rows(batch, "quality")
    assert [row["question"] for row in table] == ["named"] * 3 + ["groups"] * 2 + ["harm"] * 3
    assert sorted(row["gold"] for row in table if row["question"] == "named") == [
        "0.0",
        "1.0",
        "1.0",
    ]


def test_votes_say_what_is_known(batch: Batch) -> None:
    known = {(row["question"], row["gold"]) for row in rows(batch, "votes") if row["qid"] == "g"}
    assert known == {("named", "yes"), ("groups", "c"), ("harm", "")}
    assert all(row["qid"] != "g" for row in rows(batch, "labels"))


def test_votes_without_gold_questions_have_no_such_column(study: Study) -> None:
    batch = made(study)
    answer(batch, "A1", ["no"] * 4)
    assert "gold" not in rows(batch, "votes")[0]


def test_pages_and_the_api_show_it(batch: Batch, admin_client: Client, admin_user: User) -> None:
    worker = Worker.objects.get(worker_id="A2")
    page = admin_client.get(reverse("batch-worker", args=[batch.pk, worker.pk])).content.decode()
    assert "check: known to be Does the query name a religion?: yes; Whose?: christians" in page
    assert "Quality by question" in page
    query = batch.queries.get(qid="g")
    shown = admin_client.get(reverse("batch-query", args=[batch.pk, query.pk])).content.decode()
    assert "Its votes make no label" in shown
    assert "Decide it yourself" not in shown
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {AuthToken.objects.create(admin_user)[1]}")
    told = client.get(f"/api/v1/batches/{batch.pk}/workers/{worker.pk}/").json()
    assert [one["question"] for one in told["questions"]] == ["named", "groups", "harm"]


@pytest.mark.parametrize(
    ("gold", "says"),
    [
        ("maybe", "'named' has no option 'maybe'"),
        ("m", "'named' has no option 'm'"),
        ("religion=yes", "the scheme has no question 'religion'"),
        ("yes | named=no", "answers 'named' twice"),
        ("named=no | groups=c", "by its other answers 'groups' is not asked"),
        ("named=no;yes", "'named' takes exactly one option"),
        ("", "'named' takes exactly one option"),
    ],
)
def test_what_cannot_be_known_is_refused_with_its_place(
    study: Study, tmp_path: Path, gold: str, says: str
) -> None:
    pool = study.pools.get().pool.name
    scheme, file = tmp_path / "faith.yaml", tmp_path / "gold.csv"
    scheme.write_text(SCHEME)
    file.write_text(f"qid,query,label\ng,pope francis,{gold}\n")
    terms = (f"--pool={pool}", f"--scheme={scheme}", f"--gold={file}")
    said = failure("batch", "create", "--name=faith", *terms)
    assert f"{file}:2" in said
    assert says in said
    assert "question=code" in said
    assert not Batch.objects.exists()


def test_a_scheme_that_is_neither_a_name_nor_a_file_is_refused(study: Study) -> None:
    pool = study.pools.get().pool.name
    said = failure("batch", "create", "--name=faith", f"--pool={pool}", "--scheme=severty")
    assert "no built-in scheme and no file 'severty'. Built in are gender" in said


def test_a_file_names_known_answers_by_command(study: Study, tmp_path: Path) -> None:
    scheme, file = tmp_path / "faith.yaml", tmp_path / "gold.csv"
    scheme.write_text(SCHEME)
    file.write_text("g1,pope francis,yes\ng2,weather, tomorrow,no\n")
    terms = (f"--pool={study.pools.get().pool.name}", f"--scheme={scheme}", f"--gold={file}")
    assert run_json("batch", "create", "--name=faith", *terms)["n_gold"] == 2
    known = Batch.objects.get().queries.exclude(gold="")
    assert set(known.values_list("qid", "text", "gold")) == {
        ("g1", "pope francis", "named=yes"),
        ("g2", "weather, tomorrow", "named=no"),
    }


def test_the_form_takes_known_answers(study: Study, admin_client: Client) -> None:
    terms = form_terms(study.pools.get().pool.name)
    wrong = admin_client.post(reverse("batch-store"), {**terms, "gold": "g,how to die,9"})
    assert "nothing is known about the query" in wrong.content.decode()
    assert not Batch.objects.exists()
    stored = admin_client.post(reverse("batch-store"), {**terms, "gold": "g,how to die,5"})
    assert stored.status_code == 302
    assert Batch.objects.get().queries.get(qid="g").gold == "5"


def test_a_scheme_without_the_known_answer_is_refused(study: Study) -> None:
    batch = made(study, gold=GOLD)
    with pytest.raises(InputError, match="the gold question 'g' is known to be 'named=yes"):
        perform_here(CHANGE_SCHEME, batch, {"scheme": "severity"}, STAFF)


def test_a_bundle_with_gold_questions_verifies(batch: Batch, tmp_path: Path) -> None:
    path = tmp_path / "faith.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    assert not verify_bundle(path).differences


def test_known_answers_are_written_in_the_order_of_the_scheme() -> None:
    scheme = scheme_from_yaml(SCHEME)
    known = known_answers(scheme, "groups = j ; c|yes")
    assert known == {"groups": frozenset({"c", "j"}), "named": frozenset({"yes"})}
    assert known_text(scheme, known) == "named=yes | groups=c;j"
