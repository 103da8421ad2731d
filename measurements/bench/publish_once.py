"""Creates and publishes one batch: `python -m measurements.bench.publish_once NAME QUERIES`."""

import json
import sys
import time
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402 - Django must be set up before models are imported

from annotation.batches.operations.batches import create_batch  # noqa: E402
from annotation.batches.operations.planning import BatchPlan, PlannedQuery  # noqa: E402
from annotation.batches.operations.publish import publish_batch  # noqa: E402
from annotation.models import Study  # noqa: E402

QUERIES_PER_HIT = 10


def publish_once(name: str, n_queries: int) -> dict[str, float]:
    queries = [PlannedQuery(f"{name}-{n}", f"query number {n}") for n in range(n_queries)]
    plan = BatchPlan(name=name, queries=queries, queries_per_hit=QUERIES_PER_HIT)
    study = Study.objects.create(name=name)
    start = time.perf_counter()
    batch = create_batch(plan=plan, environment="local", actor="bench", study=study)
    created = time.perf_counter() - start
    statements = 0

    def count(execute: Any, *arguments: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*arguments)

    start = time.perf_counter()
    with connection.execute_wrapper(count):
        report = publish_batch(batch_id=batch.pk, actor="bench")
    took = time.perf_counter() - start
    return {
        "hits": report.published,
        "create_s": created,
        "publish_s": took,
        "hits_per_second": report.published / took,
        "statements_per_hit": statements / report.published,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(publish_once(sys.argv[1], int(sys.argv[2]))))
