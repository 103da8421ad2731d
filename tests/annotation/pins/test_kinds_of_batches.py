"""What every door says of each kind of batch: API, commands, files, bundle.

`RECORD=1 python -m pytest tests/annotation/pins` writes the files anew; a change of one is a change
for those who read them, and is named in the changelog.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import batch_label
from annotation.models import Batch
from annotation.reports.queries.bundle import study_bundle
from annotation.workers.operations.discard_votes import votes_discard
from tests.annotation.pins.test_categories_batch import as_recorded
from tests.annotation.test_import_bundle import import_bundle
from tests.any_batch import SCHEMES, answered_batch, asking_batch, hand_in, kind
from tests.commands import run, run_json

__all__ = ["kind"]

pytestmark = pytest.mark.django_db

RECORDS = Path(__file__).parent / "kinds"
FILES = ("labels", "votes", "quality", "subset", "scheme")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("scheme", "agreement"),
    ("worker", "quality"),
    ("label", "queue"),
)


def answered(kind: str, _folder: Path) -> Batch:
    return answered_batch(kind)


def decided(kind: str, _folder: Path) -> Batch:
    """Every question is labelled, one answer decided by a person, one worker set aside."""
    batch = answered_batch(kind)
    hand_in(kind, batch, "A5", "2222")
    votes_discard(batch=batch, worker_id="A5", reason="Guessed.", actor="test")
    for question in batch.scheme.closed:
        batch_label(batch=batch, question=question.name, actor="test")
    question = batch.scheme.subset_question
    terms = {"question": question.name, "category": question.codes[1], "reason": "Both."}
    qid = batch.queries.get(position=2).qid
    query_adjudicate(batch=batch, qid=qid, by="test", **terms)
    batch.refresh_from_db()
    return batch


def imported(kind: str, folder: Path) -> Batch:
    """The decided one, as it arrives elsewhere."""
    run("study", "bundle", decided(kind, folder).study.name, "--output", folder / "b.zip")
    batch = import_bundle(folder / "b.zip", name="elsewhere").made.batches.get()
    assert isinstance(batch, Batch)
    return batch


def adaptive(kind: str, _folder: Path) -> Batch:
    batch = asking_batch(kind)
    Batch.objects.update(assignments_per_hit=2)
    run_json("batch", "begin-adaptive", batch.name, "--full-share", "0.5")
    for worker, answers in (("A1", "0010"), ("A2", "0110"), ("A3", "021?")):
        hand_in(kind, batch, worker, answers)
    batch.refresh_from_db()
    return batch


STATES = {of.__name__: of for of in (answered, decided, imported, adaptive)}


def said(batch: Batch, client: Client) -> dict[str, Any]:
    """By door what it says of the batch."""
    found: dict[str, Any] = {}

    def read(name: str, **sent: str) -> None:
        response = client.get(reverse(f"api-batch-{name}", args=[batch.pk]), sent)
        found[f"API {name} {' '.join(sent.values())}"] = response.json()

    for question in batch.scheme.nominal:
        read("agreement", question=question.name)
        agreement = ("batch", "agreement", batch.name, "--question", question.name, "--details")
        found[f"batch agreement {question.name}"] = run_json(*agreement)["n_votes"]
        compare = ("label", "compare-methods", batch.name, "--question", question.name)
        found[f"label compare-methods {question.name}"] = run_json(*compare)
    for question in batch.scheme.closed:
        read("queries", question=question.name)
    read("scheme")
    read("workers")
    for command in COMMANDS:
        found[" ".join(command)] = run_json(*command, batch.name)
    for file in FILES:
        response = client.get(reverse("api-batch-scheme-file", args=[batch.pk, file]))
        found[f"file {file}"] = b"".join(response).decode()
    [bundled] = study_bundle(study=batch.study).batches
    found["agreement.json"] = bundled.agreement
    for name, content in bundled.files().items():
        found[name] = content.decode()
    return found


@pytest.mark.parametrize("state", STATES)
def test_every_door_says_the_same(
    state: str, kind: str, admin_client: Client, tmp_path: Path
) -> None:
    batch = STATES[state](kind, tmp_path)
    doors = said(batch, admin_client)
    parts = [f"# {name}\n{_text(found, state)}\n" for name, found in doors.items()]
    now = as_recorded("".join(parts).replace("\r\n", "\n"), batch)
    record = RECORDS / f"{[*SCHEMES].index(kind) + 1}-{state}.txt"
    if os.environ.get("RECORD"):
        record.parent.mkdir(exist_ok=True)
        record.write_text(now, encoding="utf-8")
    assert now == record.read_text(encoding="utf-8")


def _text(found: Any, state: str) -> str:
    """A text as it is, members of JSON a line each."""
    if isinstance(found, dict):
        found = "\n".join(f"{name}: {json.dumps(one)}" for name, one in found.items())
    text = str(found)
    if state != "imported":
        return text
    # Workers are called by another name each time that a bundle comes in, which orders them.
    if "with_others" in text:
        return "quality of workers\n"
    return "\n".join(sorted(re.sub(r"w-[0-9a-f]{12}", "w-<n>", text).splitlines()))
