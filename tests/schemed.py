"""A batch that asks the questions of a scheme, and answers to it."""

from collections import defaultdict

from bs4 import BeautifulSoup
from django.utils import timezone

from annotation.batches.operations.collected_answers import StoredAnswers, store_answers
from annotation.batches.operations.create import CREATE_BATCH
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.crowd.gateway import CrowdAssignment
from annotation.models import Assignment, Batch, Study, Vote
from annotation.schemes.formats import WRITERS
from annotation.vocabulary import BatchState
from tests.annotation.publishing.test_faults_of_collecting import xml

SCHEME = """
name: faith
title: Religion in queries
content_warning: Some queries are hostile to believers.
questions:
- name: named
  text: Does the query name a religion?
  kind: single
  options: [{code: no, label: No}, {code: yes, label: Yes}]
- name: groups
  text: Whose?
  kind: multi
  options: [{code: m, label: Muslims}, {code: c, label: Christians}, {code: j, label: Jews}]
  shown_if: {question: named, any_of: [yes]}
- name: harm
  text: How harmful would a wrong answer be?
  kind: scale
  options: [{code: 1, label: Not at all}, {code: 2}, {code: 3, label: Very}]
subset: {words: queries that name no religion, question: named, any_of: [no]}
"""
#: Options whose codes are digits, of which one has a key of its own.
GRADED = """
name: graded
title: Grades
questions:
- name: grade
  text: Which?
  kind: single
  cannot_tell: false
  options:
  - {code: 0, label: Grade 0}
  - {code: 1, label: Grade 1}
  - {code: 2, label: Grade 2}
  - {code: 3, label: Grade 3, key: x}
subset: {words: queries of grade 0, question: grade, any_of: [0]}
"""
#: What somebody answers who says that a query names no religion, names one, or leaves it out.
FIELDS = {
    "no": [("q-{}-named", "no"), ("q-{}-harm", "1")],
    "yes": [("q-{}-named", "yes"), ("q-{}-groups.0", "m"), ("q-{}-harm", "3")],
    "christians": [("q-{}-named", "yes"), ("q-{}-groups.1", "c"), ("q-{}-harm", "3")],
    "skip": [("s-{}", "yes")],
}
STAFF = Actor("test")
#: The formats of schemes that are read, too; the layout of Prolific's Task Builder is only written.
READ_BACK = [name for name in WRITERS if name != "task-builder"]


def made(study: Study, **terms: object) -> Batch:
    pool = study.pools.get().pool
    sent = {"name": "faith", "pool": pool.pk, "scheme": SCHEME, "queries_per_hit": 50, **terms}
    batch = perform_here(CREATE_BATCH, study, sent, STAFF).made
    assert isinstance(batch, Batch)
    return batch


def form_terms(pool: str) -> dict[str, str]:
    """Fields of the form of a new batch that asks for severity; its name is `faith`."""
    return {
        "name": "faith",
        "pool": pool,
        "scheme": "severity",
        "reward": "0.25",
        "assignments_per_hit": "3",
        "queries_per_hit": "50",
        "lifetime_seconds": "7",
        "duration_seconds": "30",
        "seed": "0",
        "include_batched": "on",
    }


def scheme_fields(page: str) -> dict[str, list[str]]:
    """The fields that a browser sends of the editor of a scheme in which nobody typed."""
    fields: dict[str, list[str]] = defaultdict(list)
    for field in BeautifulSoup(page, "html.parser").select("#scheme-form [name]"):
        name, is_box = str(field["name"]), field.get("type") == "checkbox"
        if field.name == "select":
            chosen = field.select_one("option[selected]") or field.select_one("option")
            fields[name] += [str(chosen["value"])] if chosen else []
        elif field.name == "textarea":
            fields[name].append(field.text.removeprefix("\n"))
        elif field.name == "input" and (field.has_attr("checked") or not is_box):
            fields[name].append(str(field.get("value", "on" if is_box else "")))
    return dict(fields)


def fields_of(choices: list[str]) -> list[tuple[str, str]]:
    return [
        (name.format(place), value)
        for place, choice in enumerate(choices)
        for name, value in FIELDS[choice]
    ]


def answer(
    batch: Batch, worker: str, choices: list[str], assignment: str = "first"
) -> StoredAnswers:
    return submit(batch, worker, fields_of(choices), assignment)


def submit(
    batch: Batch, worker: str, fields: list[tuple[str, str]], assignment: str = "first"
) -> StoredAnswers:
    """Store what a worker submits on the page of the batch's only HIT."""
    report, now = StoredAnswers(), timezone.now()
    given = CrowdAssignment(
        assignment_id=f"{batch.pk}-{worker}-{assignment}",
        worker_id=worker,
        hit_id="H",
        status="Submitted",
        answer=xml(("v", "2"), *fields),
        accepted_at=now,
        submitted_at=now,
    )
    store_answers(batch.hits.get(), [given], report)
    return report


def reject(batch: Batch, worker: str) -> None:
    """What collecting does once the crowd says that the worker's answer is rejected."""
    answers = Assignment.objects.filter(hit__batch=batch, worker__worker_id=worker)
    Vote.objects.filter(assignment__in=answers).update(counts=False)
    answers.update(state="Rejected")


def answered(study: Study) -> Batch:
    """Three workers on four queries: two name no religion, one does, one is left out by two."""
    batch = made(study)
    answer(batch, "A1", ["no", "no", "yes", "skip"])
    answer(batch, "A2", ["no", "no", "yes", "skip"])
    answer(batch, "A3", ["no", "yes", "yes", "yes"])
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    return batch
