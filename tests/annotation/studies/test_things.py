"""Rename, archive, remove and bring back what a study holds, and the study; duplicate it."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.core.access import batches_open_to, pools_open_to
from annotation.core.operations import Actor
from annotation.labels.operations.votes_import import import_votes
from annotation.models import Batch, Membership, Study, StudyFile, StudyPool, StudyReport, Vote
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import UNDO_REMOVAL
from annotation.overview.operations.rename import RENAME
from annotation.overview.queries.flow import study_flow
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.score import SCORE
from annotation.vocabulary import Action, BatchState, FileKind, Role
from metrics.errors import InputError
from pooling.models import Pool
from tests.annotation.studies.material import a_run, add, below, queries, with_files
from tests.commands import failure, run, run_json
from tests.performing import age_removed, do, remove
from tests.study import stored_batch, stored_pool

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def full(study: Study) -> Study:
    """With files, scores, a pool, a draft batch, a published one, and a report."""
    with_files(study)
    do(SCORE, study)
    do(BUILD_POOL, study, cutoff=3, name="pool")
    stored_batch(Pool.objects.get(), "draft")
    StudyReport.objects.create(study=study, actor="test", parameters={"runs": ["A"]})
    return study


def row(study: Study, kind: str) -> Any:
    match kind:
        case "study":
            return study
        case "file":
            return study.files.get(name="A")
        case "pool":
            return Pool.objects.get(belongs__study=study)
        case "batch":
            return study.batches.get(name="draft")
    return study.reports.get()


def parts(study: Study) -> dict[str, int]:
    """How many things of each kind the study shows."""
    return {
        "files": study.files.count(),
        "pools": study.pools.count(),
        "batches": study.batches.count(),
        "reports": study.reports.count(),
    }


@pytest.mark.parametrize("kind", ["study", "pool", "batch", "report"])
def test_what_is_renamed_has_a_name_of_its_own(full: Study, kind: str) -> None:
    thing = row(full, kind)
    do(RENAME, full, what=kind, number=thing.pk, new_name=" better ")
    thing.refresh_from_db()
    assert thing.name == "better"
    for wrong in ("", " ", "\x07", "x" * 101):
        with pytest.raises(InputError):
            do(RENAME, full, what=kind, number=thing.pk, new_name=wrong)
    (event,) = full.events.filter(action="renamed")
    assert (event.detail["what"], event.detail["now"]) == (kind, "better")


def test_a_name_that_is_taken_is_refused(full: Study) -> None:
    Study.objects.create(name="taken")
    StudyReport.objects.create(study=full, actor="test", name="taken", parameters={})
    stored_batch(Pool.objects.get(), "taken")
    for kind in ("study", "batch"):
        with pytest.raises(InputError, match="taken"):
            do(RENAME, full, what=kind, number=row(full, kind).pk, new_name="taken")
    with pytest.raises(InputError, match="taken"):
        do(RENAME, full, what="report", number=full.reports.get(name="").pk, new_name="taken")


def test_a_run_that_results_name_keeps_its_name_and_scores_are_found_under_a_new_one(
    full: Study,
) -> None:
    with pytest.raises(InputError, match="pool"):
        do(RENAME, full, what="file", number=row(full, "file").pk, new_name="B2")
    scored = full.files.get(kind=FileKind.MAGNITUDES)
    full.reports.update(parameters={"runs": ["A"], "scored": scored.name})
    do(RENAME, full, what="file", number=scored.pk, new_name="by words")
    assert full.reports.get().parameters["scored"] == "by words"
    assert do(SCORE, full).values["file"] == "by words"
    do(BUILD_POOL, full, cutoff=2, name="second", scored="by words")
    with pytest.raises(InputError, match="by words"):
        do(BUILD_POOL, full, cutoff=2, name="third", scored="no such")


def test_whom_a_batch_keeps_out_stays_who_they_were(full: Study) -> None:
    other = stored_batch(Pool.objects.get(), "other")
    Batch.objects.filter(pk=other.pk).update(conditions={"not_from": ["draft", "x"]})
    do(RENAME, full, what="batch", name="draft", new_name="pilot")
    other.refresh_from_db()
    assert other.conditions["not_from"] == ["pilot", "x"]


def test_what_something_stands_on_is_not_removed(full: Study) -> None:
    pool, batch = row(full, "pool"), row(full, "batch")
    full.reports.update(parameters={"runs": ["A"], "batches": [batch.pk]})
    for kind, needing in (("file", "pool"), ("pool", "draft"), ("batch", "report")):
        with pytest.raises(InputError, match=needing):
            remove(full, kind, row(full, kind))
    for kind in ("report", "batch", "pool", "file"):
        remove(full, kind, row(full, kind))
    assert parts(full) == {"files": 4, "pools": 0, "batches": 0, "reports": 0}
    # And nothing comes back to stand on nothing.
    with pytest.raises(InputError, match=batch.name):
        do(UNDO_REMOVAL, full, what="report", number=StudyReport.everything.get().pk)
    with pytest.raises(InputError, match=pool.name):
        do(UNDO_REMOVAL, full, what="batch", name="draft")
    with pytest.raises(InputError, match="file A"):
        do(UNDO_REMOVAL, full, what="pool", name="pool")
    for kind, name in (("file", "A"), ("pool", "pool"), ("batch", "draft")):
        do(UNDO_REMOVAL, full, what=kind, name=name)
    assert parts(full) == {"files": 5, "pools": 1, "batches": 1, "reports": 0}


def test_what_is_removed_is_nowhere_and_its_name_is_free(full: Study) -> None:
    person = User.objects.create_user("ada")
    Membership.objects.create(study=full, user=person, role=Role.OWNER)
    batch, pool = row(full, "batch"), row(full, "pool")
    remove(full, "batch", batch)
    remove(full, "pool", pool)
    assert not batches_open_to(user=person, action=Action.VIEW).exists()
    assert not pools_open_to(user=person, action=Action.VIEW).exists()
    client = Client()
    client.force_login(person)
    assert client.get(reverse("batch-detail", args=[batch.pk])).status_code == 404
    assert client.get(reverse("pool-detail", args=[pool.pk])).status_code == 404
    flow = study_flow(study=full)
    assert (flow.pools, flow.batches) == ([], [])
    do(BUILD_POOL, full, cutoff=3, name="pool")
    with pytest.raises(InputError, match="name has been taken"):
        do(UNDO_REMOVAL, full, what="pool", number=pool.pk)


def test_the_database_holds_names_and_published_batches(full: Study) -> None:
    batch = row(full, "batch")
    with pytest.raises(IntegrityError), transaction.atomic():
        Batch.objects.create(name=batch.name, environment="local", study=batch.study)
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.STOPPED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Batch.objects.filter(pk=batch.pk).update(removed_at=batch.created_at)


@pytest.mark.parametrize("operation", [ARCHIVE, UNARCHIVE, RENAME])
def test_the_number_of_another_study_names_not_this_one(full: Study, operation: Any) -> None:
    other = Study.objects.create(name="another")
    before = Study.objects.filter(pk=full.pk).values().get()
    new = {"new_name": "changed"} if operation is RENAME else {}
    for number in (other.pk, 10**9):
        with pytest.raises(InputError, match=str(number)):
            do(operation, full, what="study", number=number, **new)
    assert Study.objects.filter(pk=full.pk).values().get() == before


@pytest.mark.parametrize("state", ["publishing", "published", "stopped"])
def test_a_published_batch_is_archived_and_never_removed(full: Study, state: str) -> None:
    batch = row(full, "batch")
    Batch.objects.filter(pk=batch.pk).update(state=state)
    for kind in ("batch", "study"):
        with pytest.raises(InputError, match="draft"):
            remove(full, kind, batch if kind == "batch" else full)
    do(ARCHIVE, full, what="batch", number=batch.pk)
    assert study_flow(study=full).batches == []
    assert full.batches.get().state == state
    do(UNARCHIVE, full, what="batch", number=batch.pk)
    assert [one.name for one in study_flow(study=full).batches] == ["draft"]


def test_an_archived_file_is_used_no_more_and_another_takes_its_place(full: Study) -> None:
    with pytest.raises(InputError, match="queries"):
        add(full, FileKind.QUERIES, queries(6), "fewer.tsv")
    old = full.files.get(kind=FileKind.QUERIES)
    do(ARCHIVE, full, what="file", number=old.pk)
    new = add(full, FileKind.QUERIES, queries(6), "fewer.tsv")
    do(BUILD_POOL, full, cutoff=3, name="second")
    assert Pool.objects.get(name="second").inputs["queries"]["digest"] == new.digest
    with pytest.raises(InputError, match="fewer"):
        do(UNARCHIVE, full, what="file", number=old.pk)
    with pytest.raises(InputError):
        do(ARCHIVE, full, what="file", number=old.pk)


def test_a_study_goes_and_comes_back_with_what_it_had(full: Study, folders: Path) -> None:
    extra = add(full, FileKind.RUN, a_run(7), "C.run")
    remove(full, "file", extra)
    before = parts(full)
    remove(full, "study", full)
    assert not Study.objects.exists()
    assert parts(full) == dict.fromkeys(before, 0)
    do(UNDO_REMOVAL, full, what="study")
    assert Study.objects.get() == full
    assert parts(full) == before  # what had been removed before stays removed
    remove(full, "study", full)
    assert age_removed() == 1
    assert below(folders / "stored") == []
    for table in (Study, StudyFile, StudyPool, Pool, Batch, StudyReport):
        assert not table.everything.exists()


def test_votes_of_a_file_go_with_their_batch(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("query_id,worker,label\nq1,w1,n\nq1,w2,f\n")
    import_votes(paths=[path], name="votes", actor=Actor("test"), study=study)
    remove(study, "batch", study.batches.get())
    assert Vote.objects.count() == 2
    age_removed()
    assert not Vote.objects.exists()


def test_a_duplicate_has_all_but_votes_and_keeps_the_files_it_shares(
    full: Study, folders: Path
) -> None:
    stored = below(folders / "stored")
    copy = do(DUPLICATE_STUDY, full).made
    assert copy.name == "gender 2"
    assert below(folders / "stored") == stored
    assert parts(copy) == {"files": 5, "pools": 1, "batches": 1, "reports": 0}
    old, new = Pool.objects.get(belongs__study=full), Pool.objects.get(belongs__study=copy)
    assert [(q.qid, q.text, q.places.count()) for q in new.queries.all()] == [
        (q.qid, q.text, q.places.count()) for q in old.queries.all()
    ]
    batch, draft = full.batches.get(), copy.batches.get()
    assert (draft.name, draft.state, draft.pool) == ("draft 2", BatchState.DRAFT, new)
    assert list(draft.queries.values_list("qid", flat=True)) == list(
        batch.queries.values_list("qid", flat=True)
    )
    assert do(SCORE, copy).values["file"] == copy.files.get(kind=FileKind.MAGNITUDES).name
    remove(full, "study", full)
    age_removed()
    assert set(copy.files.values_list("path", flat=True)) <= set(below(folders / "stored"))
    do(BUILD_POOL, copy, cutoff=2, name="of the copy")


@pytest.fixture
def owner(full: Study) -> Client:
    user = User.objects.create_user("owner", is_staff=True)
    Membership.objects.create(study=full, user=user, role=Role.OWNER)
    client = Client()
    client.force_login(user)
    return client


def test_the_page_says_what_goes_before_it_goes_and_brings_it_back(
    full: Study, owner: Client
) -> None:
    report = full.reports.get()
    address = reverse("study-remove", args=[full.pk])
    thing = {"what": "report", "number": str(report.pk)}
    page = owner.get(address, thing)
    facts = dict(page.context["plan"].facts)
    assert "A" in facts.values()
    assert full.reports.exists()
    answer = owner.post(address, {**thing, "version": page.context["plan"].version})
    assert answer["Location"] == reverse("study-put-away", args=[full.pk])
    assert owner.get(answer["Location"]).context["removed"] == [report]
    owner.post(reverse("study-undo-removal", args=[full.pk]), {**thing, "then": "study-put-away"})
    assert full.reports.get() == report


def test_who_saw_less_than_would_go_is_asked_again(full: Study, owner: Client) -> None:
    address = reverse("study-remove", args=[full.pk])
    version = owner.get(address, {"what": "study"}).context["plan"].version
    add(full, FileKind.RUN, a_run(7), "C.run")
    page = owner.post(address, {"what": "study", "version": version})
    assert page.context["problem"]
    assert Study.objects.filter(pk=full.pk).exists()


def test_a_removed_study_is_brought_back_from_the_list(full: Study, owner: Client) -> None:
    owner.post(reverse("study-remove", args=[full.pk]), {"what": "study"})
    assert owner.get(reverse("study-detail", args=[full.pk])).status_code == 404
    assert owner.get(reverse("studies-put-away")).context["removed"].get() == full
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    path = reverse("study-undo-removal", args=[full.pk])
    assert stranger.post(path, {"what": "study"}).status_code == 404
    assert not Study.objects.exists()
    owner.post(path, {"what": "study"})
    assert Study.objects.get() == full


def test_a_copy_is_made_from_the_page(full: Study, owner: Client) -> None:
    answer = owner.post(reverse("study-duplicate", args=[full.pk]), {"name": "again"})
    copy = Study.objects.get(name="again")
    assert answer["Location"] == reverse("study-detail", args=[copy.pk])
    assert copy.members.get().user.username == "owner"


def test_the_commands_do_the_same(full: Study) -> None:
    assert "nothing was done" in failure(
        "study", "remove", "gender", "--what=batch", "--name=draft"
    )
    run("study", "archive", "gender", "--what=batch", "--name=draft")
    run("study", "unarchive", "gender", "--what=batch", "--name=draft")
    run("study", "rename", "gender", "--what=batch", "--name=draft", "--new-name=pilot")
    batch = full.batches.get()
    found = run_json("study", "remove", "gender", "--what=batch", "--name=pilot", "--yes")
    assert found == {"what": "batch", "number": batch.pk, "name": "pilot"}
    run("study", "undo-removal", "gender", "--what=batch", f"--number={batch.pk}")
    assert full.batches.get() == batch
    assert run_json("study", "duplicate", "gender", "--name=copy")["name"] == "copy"
    run("study", "remove", "gender", "--what=study", "--yes")
    run("study", "undo-removal", "gender", "--what=study")


def test_a_study_goes_on_with_the_batch_that_is_not_published() -> None:
    pool = stored_pool(8)
    stored_batch(pool, "pilot")
    later = stored_batch(pool, "rest")
    Batch.objects.filter(pk=later.pk).update(state=BatchState.PUBLISHED)
    flow = study_flow(study=later.study)
    assert [batch.name for batch in flow.drafts] == ["pilot"]
    assert flow.next_batch is not None
    assert flow.next_batch.name == "pilot"
    Batch.objects.update(state=BatchState.PUBLISHED)
    assert study_flow(study=later.study).next_batch == flow.batches[0]
