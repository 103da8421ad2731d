"""The checker of invariants, checked: each one is broken on purpose and has to be found."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.apps import apps
from django.db import connections, models, router, transaction
from django.db.models import F

from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.reconciling import reconcile
from annotation.core.perform import queue_job
from annotation.crowd.connection import batch_gateway
from annotation.labels.operations.decide import batch_label
from annotation.models import (
    HIT,
    Assignment,
    Batch,
    Choice,
    HITQuery,
    Label,
    SchemeVersion,
    Task,
    Vote,
    Worker,
)
from annotation.overview.operations.simulation import batch_simulate, crowd_of
from annotation.overview.queries.invariants import INVARIANTS, broken_invariants
from mturk_local import models as crowd_tables
from mturk_local.invariants import INVARIANTS as CROWD_INVARIANTS
from mturk_local.invariants import broken_invariants as broken_in_the_crowd
from tests.annotation.publishing.conftest import MakeBatch, crowd, make_batch
from tests.commands import failure, run_json

__all__ = ["crowd", "make_batch"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def study(make_batch: MakeBatch) -> Batch:
    """A small study with everything in it: answers, votes, labels, a waiting task."""
    batch = make_batch(6, name="study")
    publish_batch(batch_id=batch.pk, actor="test")
    truth = {f"q{number}": "nfmo"[number % 4] for number in range(6)}
    batch_simulate(batch=batch, truth=truth, crowd=crowd_of(seed=1, n_workers=4, accuracy=0.9))
    collect_batch(batch_id=batch.pk, actor="test")
    batch_label(batch=batch, actor="test")
    queue_job(kind="collect", subject=batch, actor="test")
    batch.refresh_from_db()
    return batch


def a(kind: type[models.Model], **wanted: Any) -> models.QuerySet[Any]:
    """One row, as something that can be updated."""
    rows = kind._base_manager.filter(**wanted)
    return rows.filter(pk__in=[rows.order_by("pk").values_list("pk", flat=True)[0]])


def change(kind: type[models.Model], values: dict[str, Any], **wanted: Any) -> Callable[[], object]:
    return lambda: a(kind, **wanted).update(**values)


def second_vote() -> None:
    vote = Vote.objects.filter(counts=True).latest("pk")
    Vote.objects.create(query=vote.query, worker=vote.worker)


def second_choice() -> None:
    choice = Choice.objects.filter(option="n").latest("pk")
    Choice.objects.create(vote=choice.vote, question=choice.question, option="f")


def second_task() -> None:
    Task.objects.create(kind="collect", batch=Batch.objects.get(), actor="x", run_after=NOW)


def second_go() -> None:
    first, other = crowd_tables.Assignment.objects.filter(
        hit=crowd_tables.HIT.objects.earliest("pk")
    )[:2]
    crowd_tables.Assignment.objects.filter(pk=other.pk).update(worker=first.worker_id)


def too_many_answers() -> None:
    HIT.objects.update(max_assignments=2, unit_cost=F("unit_cost") * 3 / 2)


def move_vote() -> None:
    vote = Vote.objects.earliest("pk")
    elsewhere = HITQuery.objects.exclude(hit__places__query=vote.query_id).earliest("pk")
    Vote.objects.filter(pk=vote.pk).update(query=elsewhere.query_id)


NOW = datetime(2026, 1, 1, tzinfo=UTC)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
#: What to break, how, and the constraint that has to be taken away first.
BREACHES: list[tuple[str, Callable[[], object], str]] = [
    ("every row that another one names exists", lambda: raw("annotation_worker"), ""),
    ("one vote of a worker on a query counts", second_vote, "one_vote_per_query_worker"),
    ("every vote chooses what its batch offers", change(Choice, {"option": "x"}), ""),
    ("every vote chooses what its batch offers", change(Choice, {"question": "x"}), ""),
    ("every vote chooses what its batch offers", second_choice, ""),
    ("a batch asks what its latest scheme says", change(SchemeVersion, {"content": {}}), ""),
    (
        "a vote is its answer's: same worker, a query of the HIT",
        lambda: a(Vote).update(worker=Worker.objects.create(environment="local", worker_id="W")),
        "",
    ),
    ("a vote is its answer's: same worker, a query of the HIT", move_vote, ""),
    ("an answer gave a vote for each query, or says why none", lambda: a(Vote).delete(), ""),
    ("no vote of a rejected answer counts", change(Assignment, {"state": "Rejected"}), ""),
    ("no HIT has more answers than it asked for", too_many_answers, ""),
    (
        "a published HIT has an id, a token and an annotation of its own",
        change(HIT, {"hit_id": None}),
        "published_hit_has_its_id",
    ),
    (
        "a published HIT has an id, a token and an annotation of its own",
        lambda: HIT.objects.update(annotation="the same"),
        "",
    ),
    ("the states of a batch and of its HITs agree", change(HIT, {"state": "refused"}), ""),
    ("the states of a batch and of its HITs agree", change(Batch, {"state": "draft"}), ""),
    (
        "each query is asked, in places of HITs of its batch",
        lambda: a(HITQuery, place=0).delete(),
        "",
    ),
    (
        "committed money stays within the budget",
        change(Batch, {"budget": Decimal("0.01")}),
        "batch_committed_within_budget",
    ),
    (
        "committed money is what HITs and bonuses may cost",
        change(Batch, {"committed": Decimal("0.01")}),
        "",
    ),
    ("a query has one label of a method, within its votes", change(Label, {"n_for": 99}), ""),
    (
        "a query has one label of a method, within its votes",
        change(Label, {"value": "x"}),
        "",
    ),
    ("simulated workers are marked", change(Worker, {"kind": "human"}), ""),
    ("a task is alive once, claimed while it runs, and ends", second_task, "one_live_task_per_"),
    (
        "a task is alive once, claimed while it runs, and ends",
        change(Task, {"state": "running"}),
        "task_claimed_while_running",
    ),
    (
        "a task is alive once, claimed while it runs, and ends",
        change(Task, {"state": "done"}),
        "task_finished_has_its_time",
    ),
    ("time runs forwards", change(Assignment, {"submitted_at": LONG_AGO}), ""),
    (
        "crowd: open and taken slots make up each HIT",
        change(crowd_tables.HIT, {"open_slots": 1}),
        "",
    ),
    ("crowd: one go per worker, person and HIT", second_go, "crowd_one_assignment_per_hit_worker"),
    (
        "crowd: what is handed in has an answer and its time",
        change(crowd_tables.Assignment, {"answer": ""}),
        "",
    ),
    (
        "crowd: the balance covers what is held",
        change(crowd_tables.Requester, {"held_cents": 10**9}, name="lab"),
        "crowd_balance_covers_holds",
    ),
    (
        "crowd: what is held is what HITs may still cost",
        change(crowd_tables.Requester, {"held_cents": 1}, name="lab"),
        "",
    ),
    (
        "crowd: a token made one HIT",
        change(crowd_tables.RequestToken, {"subject": "gone"}, scope="CreateHIT"),
        "",
    ),
    (
        "crowd: simulated workers are marked",
        change(crowd_tables.Worker, {"entry_channel": "account", "username": "x"}),
        "crowd_simulated_ids_are_marked",
    ),
    ("crowd: every row that another one names exists", lambda: raw("mturk_local_worker"), ""),
]
#: The database refuses these itself, and by the schema alone; there is no way to break them here.
KEPT_BY_THE_DATABASE = {"an answer is stored once"}


def raw(table: str) -> None:
    """Delete rows behind the back of Django, which would delete what hangs on them as well."""
    alias = "crowd" if table.startswith("mturk_local") else "default"
    with connections[alias].cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - our own table names


@contextmanager
def unguarded(constraint: str) -> Iterator[None]:
    """Without the named constraint (a prefix will do); what happens meanwhile is rolled back."""
    with ExitStack() as stack:
        for alias in ("default", "crowd"):
            stack.enter_context(transaction.atomic(using=alias))
            stack.callback(transaction.set_rollback, True, using=alias)
        if constraint:
            kind, named = next(
                (kind, one)
                for kind in apps.get_models()
                for one in kind._meta.constraints
                if one.name.startswith(constraint)
            )
            stack.enter_context(_loosened(kind, named))
        yield


@contextmanager
def _loosened(kind: type[models.Model], constraint: models.BaseConstraint) -> Iterator[None]:
    connection = connections[router.db_for_write(kind)]
    is_check = isinstance(constraint, models.CheckConstraint)
    with connection.cursor() as cursor:
        if not is_check:
            cursor.execute(f"DROP INDEX {constraint.name}")
        elif connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = ON")
        else:
            table = kind._meta.db_table
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {constraint.name}")
        yield
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = OFF")


def test_everything_that_is_broken_on_purpose_is_found(study: Batch) -> None:
    for name, breach, constraint in BREACHES:
        if name.endswith("exists") and connections["default"].vendor != "sqlite":
            continue  # PostgreSQL checks references at the end of a transaction, on its own
        with unguarded(constraint):
            breach()
            found = {**broken_invariants(), **broken_in_the_crowd()}
        assert found.get(name), f"{name}: not found after a breach, but {found}"
        assert all(isinstance(text, str) and text for text in found[name])
    assert {**broken_invariants(), **broken_in_the_crowd()} == {}


def test_every_invariant_is_broken_by_a_test() -> None:
    broken = {name for name, _breach, _constraint in BREACHES}
    assert broken | KEPT_BY_THE_DATABASE == {*INVARIANTS, *CROWD_INVARIANTS}


@pytest.mark.long
def test_an_answer_that_was_rejected_at_the_crowd_itself_counts_no_longer(study: Batch) -> None:
    answer = Assignment.objects.earliest("pk")
    batch_gateway(study).reject(answer.assignment_id, feedback="no")
    collect_batch(batch_id=study.pk, actor="test")
    answer.refresh_from_db()
    assert answer.state == "Rejected"
    assert not answer.votes.filter(counts=True).exists()
    assert broken_invariants() == {}


def test_the_command_fails_and_names_what_is_broken(study: Batch) -> None:
    Label.objects.update(n_for=99)
    assert "a query has one label of a method" in failure("site", "check")


@pytest.mark.long
def test_a_hit_that_the_ledger_does_not_know_is_found_at_the_crowd(study: Batch) -> None:
    lost = HIT.objects.filter(batch=study).latest("index")
    Assignment.objects.filter(hit=lost).delete()
    lost.delete()
    [difference] = reconcile(study)[study.name]
    assert difference == f"{lost.annotation} exists, and the ledger does not know it"


@pytest.mark.long
def test_a_hit_that_the_crowd_has_lost_is_found(study: Batch) -> None:
    crowd_tables.Assignment.objects.all().delete()
    crowd_tables.HIT.objects.all().delete()
    found = reconcile(study)[study.name]
    assert len(found) == 3
    assert all(text.endswith("the crowd does not have it") for text in found)


@pytest.mark.long
def test_an_answer_that_the_crowd_has_lost_is_found(study: Batch) -> None:
    crowd_tables.Assignment.objects.earliest("pk").delete()
    [difference] = reconcile(study)[study.name]
    assert difference.endswith("was collected and is missing on the crowd service")


def test_an_untouched_study_holds_every_invariant(study: Batch) -> None:
    found = run_json("site", "check", "--reconcile", "study")
    assert found["checked"] == len(INVARIANTS) + len(CROWD_INVARIANTS) + 1
    assert found["broken"] == {}
