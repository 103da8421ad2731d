"""Votes of participants of a panel count once the panel says that it approved them."""

import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.adaptive_policy import adaptive_begin
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.terms import AdaptiveParameters
from annotation.batches.queries.adaptive import queries_to_ask
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.agreement import batch_agreement
from annotation.labels.queries.votes import votes_that_count
from annotation.models import Assignment, AuditEvent, Batch, Vote, Worker
from annotation.reports.queries.measured import labels_warnings
from annotation.workers.operations.approvals import import_approvals
from annotation.workers.operations.discard_votes import votes_discard
from annotation.workers.operations.erasure import erase_worker
from metrics.errors import InputError
from metrics.votes.agreement import Agreement
from mturk_local.keys import key_pair_issue
from mturk_local.models import EntryChannel, Verification
from mturk_local.models import Worker as CrowdWorker
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.panels import HEADER, Come, answer, the_list
from tests.commands import failure, run, run_json
from tests.mturk_local.conftest import Annotator

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    """One HIT of two queries for three workers."""
    batch = make_batch(2, assignments_per_hit=3)
    publish_batch(batch_id=batch.pk, actor="test")
    return batch


def collect(batch: Batch) -> None:
    call_command("batch", "collect", batch.name, "--quiet")


def imported(batch: Batch, tmp_path: Path, *rows: str) -> dict[str, object]:
    path = the_list(tmp_path, *rows)
    report: dict[str, object] = run_json("batch", "import-approvals", batch.name, str(path))
    return report


def refused(batch: Batch, tmp_path: Path, row: str) -> None:
    path = tmp_path / "submissions.csv"
    path.write_text(f"{HEADER}{row}\n")
    with pytest.raises(InputError) as caught:
        import_approvals(batch=batch, path=path, actor="test")
    assert caught.value.path == str(path)


def voters(batch: Batch) -> int:
    return len(set(votes_that_count(batch=batch).values_list("worker", flat=True)))


def test_one_browser_with_three_invented_ids_decides_nothing(batch: Batch, come: Come) -> None:
    """It is paid, and fills the three places; no vote of it is a vote for a label."""
    guest = come(batch, "invented1")
    for name in ("invented2", "invented3"):
        come(batch, name, guest=guest)
    collect(batch)

    assert Assignment.objects.filter(hit__batch=batch).count() == 3
    assert Vote.objects.filter(query__batch=batch).count() == 6
    assert voters(batch) == 0
    with pytest.raises(InputError):
        batch_label(batch=batch, actor="test")
    call_command("batch", "collect", batch.name, "--approve", "--quiet")
    assert Assignment.objects.filter(state="Approved").count() == 3


def test_the_panels_list_lets_count_whom_it_approved(
    batch: Batch, come: Come, tmp_path: Path
) -> None:
    come(batch, "good", "f")
    come(batch, "rejected", "m")
    come(batch, "invented", "m")
    collect(batch)
    report = imported(
        batch, tmp_path,
        "good-session,good,APPROVED,2026", "rejected-session,rejected,REJECTED,2026",
        "other-session,other,APPROVED,2026",
    )  # fmt: skip

    assert report == {
        "name": "b",
        "batch": "b",
        "verified": 1,
        "waiting": 0,
        "refused": 2,
        "not_here": 1,
        "kept": 0,
        "labels_changed": 0,
    }
    assert voters(batch) == 1
    assert batch_label(batch=batch, actor="test").labels["f"] == 2
    # Doing it twice, and collecting again, changes nothing.
    assert imported(batch, tmp_path, "good-session,good,APPROVED,2026")["verified"] == 1
    collect(batch)
    assert voters(batch) == 1
    # A later list may approve who was not on the first.
    later = imported(batch, tmp_path, "invented-session,invented,APPROVED,2026")
    assert later["verified"] == 2
    # No id of a participant is stored on this side, in the log neither.
    told = [json.dumps(one.detail) for one in AuditEvent.objects.all()]
    assert not any("good-session" in one or '"good"' in one for one in told)


def test_whom_a_later_list_rejects_stays_verified_until_the_votes_are_discarded(
    batch: Batch, come: Come, tmp_path: Path
) -> None:
    come(batch, "good", "f")
    come(batch, "other", "f")
    collect(batch)
    imported(batch, tmp_path, "good-session,good,APPROVED,1", "other-session,other,APPROVED,1")
    rows = "good-session,good,REJECTED,2", "other-session,other,APPROVED,2"
    words = ["batch", "import-approvals", batch.name, the_list(tmp_path, *rows)]
    planned = run_json(*words, "--dry-run")["facts"]["It would report"]
    assert "2 participants are verified." in planned
    assert planned in run(*words)
    kept = re.search(r"(\w+) had been approved before and is not on", planned)
    assert kept
    assert imported(batch, tmp_path, *rows)["kept"] == 1
    # A list without a participant says nothing of theirs.
    assert imported(batch, tmp_path, rows[1])["kept"] == 0
    assert voters(batch) == 2
    votes_discard(batch=batch, worker_id=kept[1], reason="rejected", actor="test")
    assert voters(batch) == 1


def test_a_dry_run_of_the_list_says_the_same_and_changes_nothing(
    batch: Batch, come: Come, tmp_path: Path
) -> None:
    come(batch, "good")
    come(batch, "invented")
    collect(batch)
    words = ["batch", "import-approvals", batch.name]
    path = the_list(tmp_path, "good-session,good,APPROVED,2026", "s,other,APPROVED,2026")
    planned = run_json(*words, path, "--dry-run")["facts"]["It would report"]
    assert voters(batch) == 0
    assert set(Worker.objects.values_list("verification", flat=True)) == {"waiting"}
    unproved = CrowdWorker.objects.filter(verification=Verification.WAITING)
    assert unproved.count() == 2
    assert planned in run(*words, path)
    assert (voters(batch), unproved.count()) == (1, 0)

    nobody = the_list(tmp_path, "s,stranger,APPROVED,x")
    assert failure(*words, nobody, "--dry-run") == failure(*words, nobody)


def test_a_submission_of_another_session_approves_nobody(
    batch: Batch, come: Come, tmp_path: Path
) -> None:
    come(batch, "p1")
    come(batch, "p2")
    collect(batch)

    report = imported(batch, tmp_path, "p1-session,p1,APPROVED,x", "elsewhere,p2,APPROVED,x")
    assert (report["verified"], report["refused"]) == (1, 1)


def test_a_list_about_nobody_here_is_refused(batch: Batch, come: Come, tmp_path: Path) -> None:
    come(batch, "p1")
    collect(batch)

    refused(batch, tmp_path, "s,stranger,APPROVED,x")
    assert Worker.objects.get().verification == "waiting"


@pytest.mark.long
def test_another_requesters_list_changes_nothing_here(
    batch: Batch, come: Come, tmp_path: Path, settings: Settings
) -> None:
    come(batch, "p1")
    collect(batch)
    other = key_pair_issue(requester_name="other lab")
    settings.MTURK_LOCAL_KEY_FILE.write_text(
        json.dumps(
            {
                "access_key_id": other.access_key_id,
                "secret_access_key": other.secret_access_key,
            }
        )
    )

    refused(batch, tmp_path, "p1-session,p1,APPROVED,x")
    assert CrowdWorker.objects.get().verification == Verification.WAITING


def test_an_adaptive_round_waits_for_the_verdict(
    make_batch: MakeBatch, come: Come, tmp_path: Path
) -> None:
    batch = make_batch(2, assignments_per_hit=2)
    adaptive_begin(batch=batch, actor="test", terms=AdaptiveParameters(full_share=0))
    publish_batch(batch_id=batch.pk, actor="test")
    come(batch, "p1", "f")
    come(batch, "p2", "m")
    collect(batch)
    assert queries_to_ask(batch=batch) == {}

    imported(batch, tmp_path, "p1-session,p1,APPROVED,x", "p2-session,p2,AWAITING REVIEW,x")
    assert queries_to_ask(batch=batch) == {}
    imported(batch, tmp_path, "p1-session,p1,APPROVED,x", "p2-session,p2,RETURNED,x")
    assert {n: len(queries) for n, queries in queries_to_ask(batch=batch).items()} == {1: 2}


def test_who_accepts_the_risk_reads_it_in_every_report(
    batch: Batch, come: Come, settings: Settings
) -> None:
    come(batch, "p1")
    come(batch, "p2")
    collect(batch)

    def warned(found: Agreement) -> bool:
        return any("FAIRPOOL_COUNT_UNVERIFIED" in one for one in found.warnings)

    assert not warned(batch_agreement(batch=batch).questions[0])
    settings.COUNT_UNVERIFIED = True
    assert voters(batch) == 2
    assert warned(batch_agreement(batch=batch).questions[0])
    assert labels_warnings(batches=[batch])
    # Whom the panel refused counts nowhere.
    Worker.objects.filter(pk=Worker.objects.earliest("pk").pk).update(verification="refused")
    assert voters(batch) == 1


def test_other_channels_are_not_affected(batch: Batch, live_server: LiveServer) -> None:
    answer(Annotator(live_server.url, "ada"), batch, "n")
    collect(batch)

    assert voters(batch) == 1
    assert CrowdWorker.objects.get().entry_channel == EntryChannel.ACCOUNT


def test_who_is_forgotten_stays_unproved(batch: Batch, come: Come) -> None:
    come(batch, "p1")
    collect(batch)
    call_command("batch", "collect", batch.name, "--approve", "--quiet")
    collect(batch)
    erase_worker(worker=Worker.objects.get(), batches=Batch.objects.all(), actor="test")

    assert voters(batch) == 0


def test_the_list_is_imported_in_the_browser(
    batch: Batch, come: Come, admin_client: Client, tmp_path: Path
) -> None:
    come(batch, "p1")
    collect(batch)
    page = reverse("batch-workers", args=[batch.pk])
    act = reverse("worker-approvals", args=[batch.pk])
    assert f'action="{act}"' in admin_client.get(page).content.decode()

    path = tmp_path / "prolific.csv"
    path.write_text(f"{HEADER}p1-session,p1,BOGUS,x\n")
    with path.open("rb") as file:
        reply = admin_client.post(act, {"file": file, "then": "batch-workers"}, follow=True)
    assert "prolific.csv:2" in reply.content.decode()
    assert voters(batch) == 0
    path.write_text(f"{HEADER}p1-session,p1,APPROVED,x\n")
    with path.open("rb") as file:
        admin_client.post(act, {"file": file, "then": "batch-workers"})
    assert voters(batch) == 1
    assert f'action="{act}"' not in admin_client.get(page).content.decode()
