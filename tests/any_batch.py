"""Batches of every kind, answered on the crowd service and imported, for tests that hold for all.

Every one of them has four queries and three workers. They agree on the first query, two of three on
the second one, nobody on the third one, and on the last one somebody cannot tell.
"""

from pathlib import Path

import pytest
from django.utils import timezone

from annotation.batches.operations.collected_answers import StoredAnswers, store_answers
from annotation.batches.operations.create import CREATE_BATCH
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.crowd.gateway import CrowdAssignment
from annotation.models import Batch, Study
from annotation.vocabulary import BatchState
from tests.annotation.publishing.test_faults_of_collecting import xml
from tests.annotation.test_import_bundle import import_bundle
from tests.commands import run
from tests.schemed import SCHEME
from tests.study import stored_pool

SHOPS = """
name: shops
title: Shops
questions:
- name: buys
  text: Does somebody want to buy something?
  kind: single
  options: [{code: no, label: No}, {code: yes, label: Yes}, {code: may, label: Maybe}]
subset: {words: queries of buyers, question: buys, any_of: [yes]}
"""
#: The kinds of batches: the scheme of each.
SCHEMES = {"categories": "gender", "one nominal question": SHOPS, "three questions": SCHEME}
WORKERS = ("A1", "A2", "A3")
#: The answers of each worker to the four queries: the first, second and third option, or none.
ANSWERS = ("000?", "0110", "0020")
_STAFF = Actor("test")


def given_fields(kind: str, place: int, answer: str) -> list[tuple[str, str]]:
    """The fields of the page of such a batch that say `answer` about the query at `place`."""
    if kind == "categories":
        return [(f"q-{place}-gender", "?" if answer == "?" else "nfm"[int(answer)])]
    if kind == "one nominal question":
        return [(f"q-{place}-buys", {"0": "no", "1": "yes", "2": "may", "?": "?"}[answer])]
    if answer == "?":
        return [(f"q-{place}-named", "?"), (f"q-{place}-harm", "?")]
    harm = (f"q-{place}-harm", str(int(answer) + 1))
    if answer == "0":
        return [(f"q-{place}-named", "no"), harm]
    groups = [(f"q-{place}-groups.{n}", "mc"[n]) for n in range(int(answer))]
    return [(f"q-{place}-named", "yes"), *groups, harm]


def hand_in(
    kind: str,
    batch: Batch,
    worker: str,
    answers: str,
    *,
    assignment: str = "first",
    status: str = "Submitted",
) -> StoredAnswers:
    """Collect what `worker` answered to the only HIT of the batch."""
    fields = [
        field for place, one in enumerate(answers) for field in given_fields(kind, place, one)
    ]
    return store_fields(batch, worker, fields, assignment=assignment, status=status)


def store_fields(
    batch: Batch,
    worker: str,
    fields: list[tuple[str, str]],
    *,
    assignment: str = "first",
    status: str = "Submitted",
) -> StoredAnswers:
    """Collect what `worker` filled in on the page of the only HIT."""
    report, now = StoredAnswers(), timezone.now()
    collected = CrowdAssignment(
        assignment_id=f"{batch.pk}-{worker}-{assignment}",
        worker_id=worker,
        hit_id="H",
        status=status,
        answer=xml(("v", "2"), *fields),
        accepted_at=now,
        submitted_at=now,
    )
    store_answers(batch.hits.get(), [collected], report)
    return report


def asking_batch(kind: str, study: Study | None = None, name: str = "asked") -> Batch:
    """A published batch of that kind, which nobody answered yet."""
    pool = (study.pools.get() if study else stored_pool(4).belongs).pool
    terms = {"name": name, "pool": pool.pk, "scheme": SCHEMES[kind], "queries_per_hit": 50}
    batch = perform_here(CREATE_BATCH, pool.belongs.study, terms, _STAFF).made
    assert isinstance(batch, Batch)
    batch.hits.update(state="published", hit_id="H", sent_at=timezone.now(), max_assignments=9)
    committed = 9 * batch.hits.get().unit_cost
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED, committed=committed)
    batch.refresh_from_db()
    return batch


def answered_batch(kind: str) -> Batch:
    """The same with the answers of everybody."""
    batch = asking_batch(kind)
    for worker, answers in zip(WORKERS, ANSWERS, strict=True):
        hand_in(kind, batch, worker, answers)
    return batch


def imported_batch(kind: str, folder: Path) -> Batch:
    """An answered batch as it arrives elsewhere, by the bundle of its study."""
    path = folder / "bundle.zip"
    run("study", "bundle", answered_batch(kind).study.name, "--output", path)
    batch = import_bundle(path, name="elsewhere").made.batches.get()
    assert isinstance(batch, Batch)
    return batch


@pytest.fixture(params=[*SCHEMES])
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of batch by its name."""
    name: str = request.param
    return name


def joined_batch(kind: str, folder: Path) -> Batch:
    """A batch that one worker answered, with the votes of the others from a file."""
    batch = asking_batch(kind)
    hand_in(kind, batch, WORKERS[0], ANSWERS[0])
    field = f"q-{{}}-{batch.scheme.questions[0].name}"
    said = [
        (query.qid, worker, dict(given_fields(kind, place, answers[place]))[field.format(place)])
        for worker, answers in zip(WORKERS[1:], ANSWERS[1:], strict=True)
        for place, query in enumerate(batch.queries.order_by("position"))
    ]
    unsure = {"?": "u" if kind == "categories" else "?"}
    file = folder / "votes.csv"
    lines = ("query_id,worker,label", *(f"{q},{w},{unsure.get(a, a)}" for q, w, a in said))
    file.write_text("\n".join(lines) + "\n")
    run("label", "add-votes", file, "--name", batch.name)
    return batch


@pytest.fixture(params=["answered", "imported", "joined"])
def any_batch(request: pytest.FixtureRequest, kind: str, db: None, tmp_path: Path) -> Batch:
    """A batch of each kind, answered on the crowd service, imported, or both."""
    if request.param == "joined":
        if kind == "three questions":
            pytest.skip("a file of votes answers one question")
        return joined_batch(kind, tmp_path)
    return answered_batch(kind) if request.param == "answered" else imported_batch(kind, tmp_path)
