"""Simulated workers of a batch with a scheme have numbers, not the ids of the crowd service."""

import pytest

from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import Batch, Worker
from annotation.vocabulary import WorkerKind
from tests.schemed import answered
from tests.study import stored_pool

pytestmark = pytest.mark.django_db


def names(batch: Batch) -> dict[str, str]:
    found = worker_names(batch=batch)
    return {worker.worker_id: found[worker.pk] for worker in Worker.objects.filter(pk__in=found)}


def test_their_answers_number_them() -> None:
    batch = answered(stored_pool(4).belongs.study)
    Worker.objects.exclude(worker_id="A2").update(kind=WorkerKind.SIMULATED)
    found = names(batch)
    assert {found["A1"], found["A3"]} == {"simulated-1", "simulated-2"}
    assert found["A2"].startswith("w-")
    # Another run of the crowd service gives other ids, and the same answers the same numbers.
    before = found["A1"]
    Worker.objects.filter(worker_id="A1").update(worker_id="Z9")
    assert names(batch)["Z9"] == before
