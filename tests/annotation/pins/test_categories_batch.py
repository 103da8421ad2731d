"""What the API and the exports say of a batch of the four categories, to the letter.

`RECORD=1 python -m pytest tests/annotation/pins` writes the files anew; a change of one is a change
for those who read them, and is named in the changelog.
"""

import json
import os
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.labels.export.formats import LABEL_FORMATS, VOTE_FORMATS
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import batch_label
from annotation.models import Batch
from annotation.reports.queries.bundle import study_bundle
from annotation.workers.operations.discard_votes import votes_discard
from tests.any_batch import answered_batch, hand_in

pytestmark = pytest.mark.django_db

RECORDS = Path(__file__).parent
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\"]*?(Z|UTC|[+]\d\d:\d\d)?(?=[\",\n])")
_AMAZONS_MOMENT = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}")
READ = ("progress", "hits", "assignments", "queries", "agreement", "workers", "labels")


@pytest.fixture
def batch() -> Batch:
    """Answers of four people, a second and a rejected one, discarded votes, labels, a decision."""
    batch = answered_batch("categories")
    hand_in("categories", batch, "A2", "1111", assignment="again")
    hand_in("categories", batch, "A4", "0000", status="Rejected")
    hand_in("categories", batch, "A5", "2222")
    votes_discard(batch=batch, worker_id="A5", reason="Guessed.", actor="test")
    batch_label(batch=batch, actor="test")
    qid = batch.queries.get(position=2).qid
    query_adjudicate(batch=batch, qid=qid, category="o", reason="Both.", by="test")
    batch.refresh_from_db()
    return batch


def as_recorded(text: str, batch: Batch) -> str:
    """Without what differs from one database, and one moment, to the next."""
    text = re.sub(
        r'"(number|hit|\w+_number|seconds\w*|usd_per_hour)": [^,\n]+', r'"\1": "<n>"', text
    )
    text = re.sub(rf"\b{batch.pk}-(A\d)-", r"\1-", text)
    text = text.replace(batch.uid.hex, "<uid>").replace(str(batch.uid), "<uid>")
    return _AMAZONS_MOMENT.sub("<moment>", _MOMENT.sub("<moment>", text))


def test_the_api_says_the_same(batch: Batch, admin_client: Client) -> None:
    answers = {}
    for name in READ:
        response = admin_client.get(reverse(f"api-batch-{name}", args=[batch.pk]))
        assert response.status_code == 200, name
        answers[name] = response.json()
    query = batch.queries.get(position=3)
    detail = admin_client.get(reverse("api-batch-query", args=[batch.pk, query.pk]))
    answers["query"] = detail.json()
    decisions = admin_client.get(reverse("api-adjudication-decisions", args=[batch.pk]))
    answers["decisions"] = decisions.json()
    compare(json.dumps(answers, indent=1) + "\n", "api.json", batch)


def test_the_exports_are_the_same(batch: Batch, admin_client: Client) -> None:
    parts = []
    for view, formats in (("votes", VOTE_FORMATS), ("export", LABEL_FORMATS)):
        for layout in formats:
            sent = {"layout": layout}
            response = admin_client.get(reverse(f"api-batch-{view}", args=[batch.pk]), sent)
            content = b"".join(response) if response.streaming else response.content
            parts.append(f"# {view} {layout} {response.status_code}\n{content.decode()}\n")
    compare("".join(parts).replace("\r\n", "\n"), "exports.txt", batch)


def test_the_tables_of_its_bundle_are_the_same(batch: Batch) -> None:
    """Those of the paper's layout, whatever other schemes have."""
    [bundled] = study_bundle(study=batch.study).batches
    tables = bundled.files()
    parts = [f"# {name}\n{content.decode()}\n" for name, content in tables.items()]
    compare("".join(parts), "bundle.txt", batch)


def compare(text: str, name: str, batch: Batch) -> None:
    """The same as in the file `name`, which `RECORD=1` writes."""
    record, now = RECORDS / name, as_recorded(text, batch)
    if os.environ.get("RECORD"):
        record.write_text(now, encoding="utf-8")
    assert now == record.read_text(encoding="utf-8")
