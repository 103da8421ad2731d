"""How a study stands while batches come and go between two readings of the same page."""

import itertools
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import Batch
from annotation.overview.queries.flow import study_flow
from tests.study import stored_batch, stored_pool

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("first", [0, 1])
def test_a_batch_that_comes_and_goes_is_there_or_not(first: int) -> None:
    batch = stored_batch(stored_pool(4))
    turns = itertools.count(first)

    def beside(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("SELECT"):
            gone = timezone.now() if next(turns) % 2 else None
            Batch.everything.filter(pk=batch.pk).update(archived_at=gone)
        return execute(sql, *rest)

    study = batch.study
    with connection.execute_wrapper(beside):
        flow = study_flow(study=study)
    assert [progress.number for progress in flow.batches] in ([], [batch.pk])
