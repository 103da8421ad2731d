"""Pooling pairs of query and passage in a study: its size first, then the job, then its rows."""

from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.batches.operations.planning import BatchPlan
from annotation.core.operations import Actor
from annotation.core.perform import estimate
from annotation.jobs.execution import run_job
from annotation.models import AuditEvent, Study
from annotation.studies.operations.pool_pairs import POOL_PAIRS, PairsEstimate
from annotation.studies.run_checks import READ_AT_ONCE
from annotation.vocabulary import FileKind, TaskState
from metrics.errors import InputError
from pooling.models import ListPlace, Pool
from tests.annotation.studies.material import add, collection, lines, queries, with_files
from tests.browserless import press
from tests.commands import run_json
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(folders: Path) -> Study:
    return with_files(Study.objects.create(name="pairs"))


def test_a_pool_is_stored_with_texts_and_ranks(study: Study) -> None:
    done = do(POOL_PAIRS, study, cutoff=3)
    pool = Pool.objects.get(belongs__study=study)
    assert done.values == {"pool": pool.pk, "name": "pairs", "n_pooled": pool.queries.count()}
    assert (pool.of_pairs, pool.cutoff, pool.rank_cutoff, pool.magnitude) == (True, 3, 1, "")
    assert ListPlace.objects.count() == 2 * 12 * 3 == sum(pool.summary["list_sizes"].values())
    assert set(ListPlace.objects.values_list("direction", "bias")) == {("", None)}
    texts = dict(line.split("\t") for line in (collection() + queries()).decode().splitlines())
    for pair in pool.queries.all():
        qid, _ = pair.qid.split(" ")
        assert (pair.text, pair.passage) == (texts[qid], texts[pair.docno])
    first = pool.queries.get(qid="q0 d7")
    assert [str(place) for place in first.places.all()] == ["A:1", "B:1"]
    assert pool.inputs["collection"][0]["file"] == "collection.tsv"
    event = AuditEvent.objects.get(action="queries pooled")
    assert event.detail == {"pool": "pairs", "pairs": pool.queries.count(), "runs": 2}


def test_a_second_worker_stores_nothing_twice(study: Study) -> None:
    first, second = (do(POOL_PAIRS, study, name="P").values for _ in range(2))
    assert first == second
    assert Pool.objects.count() == 1


def test_the_size_is_told_before_anything_is_stored(study: Study) -> None:
    facts = dict(estimate(POOL_PAIRS, study, {"cutoff": 3}, Actor("test")).facts)
    assert Pool.objects.count() == 0
    summary = run_json("study", "pool-pairs", "pairs", "--cutoff", "3", "--dry-run")
    assert dict(summary["facts"]) == facts
    do(POOL_PAIRS, study, cutoff=3)
    pool = Pool.objects.get()
    assert facts["Pairs"] == f"{pool.queries.count():,}"
    assert facts["Only from A"] == str(pool.summary["unique_to_run"]["A"])
    words = sum(len(passage.split()) for passage in pool.queries.values_list("passage", flat=True))
    assert facts["Words of their passages"] == f"{words:,}"


@pytest.mark.parametrize(
    ("large", "told"),
    [(FileKind.COLLECTION, {"Pairs", "Only from A", "Only from B"}), (FileKind.RUN, {"Pairs"})],
)
def test_of_large_files_less_is_told(large: str, told: set[str], study: Study) -> None:
    exact = dict(estimate(POOL_PAIRS, study, {"cutoff": 3}, Actor("test")).facts)["Pairs"]
    file = study.files.filter(kind=large)[0]
    file.summary["unpacked"] = READ_AT_ONCE + 1
    file.save()
    facts = dict(estimate(POOL_PAIRS, study, {"cutoff": 3}, Actor("test")).facts)
    assert facts.keys() == told
    assert facts["Pairs"] == ("at most 72" if large == FileKind.RUN else exact)


def test_the_page_tells_the_size_and_the_cost_and_builds(client: Client, study: Study) -> None:
    address = reverse("study-pool-pairs", args=[study.pk])
    page = unescape(client.get(address, {"cutoff": "3"}).content.decode())
    n_pairs = dict(estimate(POOL_PAIRS, study, {"cutoff": 3}, Actor("test")).facts)["Pairs"]
    assert f"<dd>{n_pairs}</dd>" in page
    assert "3 workers each" in page
    assert "This field is required" not in page
    sent = {"cutoff": "3", "name": "from the page", "missing": "error", "order": "default"}
    answer = client.post(address, sent)
    assert answer.headers["Location"] == reverse("study-detail", args=[study.pk])
    task = run_job()
    assert task is not None
    assert (task.state, task.error) == (TaskState.DONE, "")
    assert task.done == task.total == len(collection()) // 1_000
    assert Pool.objects.get().name == "from the page"


def test_the_pool_is_built_as_typed_whatever_was_shown_before(client: Client, study: Study) -> None:
    page = reverse("study-pool-pairs", args=[study.pk])
    looked = press(client, f"{page}?cutoff=1", "Show its size", {"cutoff": "2"}, follow=True)
    assert looked.context["form"]["cutoff"].value() == "2"
    assert run_job() is None
    press(client, f"{page}?cutoff=2", "Build pool of pairs", {"cutoff": "3"})
    run_job()
    assert Pool.objects.get().cutoff == 3


def test_the_page_counts_a_reward_that_pays_for_the_reading(
    admin_client: Client, study: Study, settings: Settings
) -> None:
    plan = estimate(POOL_PAIRS, study, {"cutoff": 3}, Actor("test"))
    assert isinstance(plan, PairsEstimate)
    assert plan.n_words
    seconds = 6 + plan.n_words / plan.n_queries * 60 / 238
    n_hits = -(-plan.n_queries // 10)
    settings.MTURK_HOURLY_FLOOR = 240  # the passages are short
    address = reverse("study-pool-pairs", args=[study.pk])
    batch = admin_client.get(address, {"cutoff": "3"}).context["batch"]
    fair = 240 * seconds * plan.n_queries / n_hits / 3_600
    assert fair <= batch["reward"] < fair + 0.06
    assert batch["reward"] > BatchPlan.reward
    unit_cost = BatchPlan("", [], reward=batch["reward"]).unit_cost
    assert batch["cost"] == n_hits * 3 * unit_cost


def test_a_passage_without_text_is_refused_in_words_of_the_page(
    client: Client, study: Study
) -> None:
    add(study, FileKind.RUN, lines(["q0 Q0 gone 1 9 t", "q0 Q0 d1 2 8 t"]), "C.run")
    with pytest.raises(InputError, match="run 'C' have no text there: gone") as refused:
        do(POOL_PAIRS, study)
    assert str(refused.value).startswith("collection.tsv")
    address = reverse("study-pool-pairs", args=[study.pk])
    page = unescape(client.get(address, {"cutoff": "3"}).content.decode())
    assert 'role="alert">Collection.tsv' in page or "collection.tsv" in page
    assert "choose to leave out passages without text" in page
    assert do(POOL_PAIRS, study, missing="skip").note.endswith("no text for them: 1.")
    assert "gone" not in {pair.docno for pair in Pool.objects.get().queries.all()}


@pytest.mark.parametrize("kind", [FileKind.COLLECTION, FileKind.QUERIES, FileKind.RUN])
def test_what_the_study_lacks_is_named(kind: str, study: Study) -> None:
    study.files.filter(kind=kind).delete()
    with pytest.raises(InputError, match="the study has no"):
        do(POOL_PAIRS, study)


def test_a_file_that_has_changed_is_refused(study: Study) -> None:
    study.files.filter(kind=FileKind.COLLECTION).update(digest="blake3:0")
    with pytest.raises(InputError, match=r"collection.tsv: has changed since it was added"):
        do(POOL_PAIRS, study)
    assert Pool.objects.count() == 0
