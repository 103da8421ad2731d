"""A process with Django loaded that forks a child for each piece of work, so that it can be killed.

Each line on standard input is JSON `[verb, argument]`; each gets one line of JSON back. `publish`
and `collect` answer with the child's process id at once, and `join` with how the child ended;
everything else is done here, and no connection is open while a child is made.
"""

import json
import os
import sys
import traceback
from collections import Counter
from typing import Any

import django

django.setup()

from django.db import connections  # noqa: E402 - Django must be set up before models are imported

from annotation.batches.operations.batches import batch_create  # noqa: E402
from annotation.batches.operations.collect import batch_collect  # noqa: E402
from annotation.batches.operations.planning import BatchPlan, PlannedQuery  # noqa: E402
from annotation.batches.operations.publish import batch_publish  # noqa: E402
from annotation.crowd.connection import gateway_of_environment  # noqa: E402
from annotation.models import HIT, Assignment, Batch, Vote  # noqa: E402
from annotation.overview.operations.simulation import batch_simulate, crowd_of  # noqa: E402
from annotation.vocabulary import BatchState  # noqa: E402

QUERIES_PER_HIT = 2


def create(number: int, n_hits: int) -> str:
    queries = [PlannedQuery(f"{number}-{i}", f"query {i}") for i in range(n_hits * QUERIES_PER_HIT)]
    plan = BatchPlan(name=f"b{number}", queries=queries, queries_per_hit=QUERIES_PER_HIT)
    return batch_create(plan=plan, environment="local", actor="test").name


def fork(work: str, name: str) -> int:
    batch_id = Batch.objects.get(name=name).pk
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            {"publish": batch_publish, "collect": batch_collect}[work](
                batch_id=batch_id, actor="test"
            )
        except BaseException:  # noqa: BLE001 - a forked child must never run on as its parent
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def join(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def is_published(name: str) -> bool:
    return Batch.objects.get(name=name).state == BatchState.PUBLISHED


def hits(_: str) -> dict[str, Any]:
    """What the crowd holds, and what the ledger says of it."""
    crowd = list(gateway_of_environment("local").list_hits())
    ledger = dict(HIT.objects.exclude(hit_id=None).values_list("annotation", "hit_id"))
    return {
        "crowd": len(crowd),
        "most_of_one": max(Counter(hit.annotation for hit in crowd).values()),
        "ledger": len(ledger),
        "agree": ledger == {hit.annotation: hit.hit_id for hit in crowd},
    }


def simulate(name: str) -> int:
    batch = Batch.objects.get(name=name)
    truth = dict.fromkeys(batch.queries.values_list("qid", flat=True), "n")
    crowd = crowd_of(seed=1, n_workers=4, accuracy=1.0)
    return batch_simulate(batch=batch, truth=truth, crowd=crowd).n_assignments


def answers(name: str) -> dict[str, int]:
    mine = Assignment.objects.filter(hit__batch__name=name)
    return {
        "assignments": mine.count(),
        "readable": mine.filter(problem="").count(),
        "votes": Vote.objects.filter(assignment__in=mine, counts=True).count(),
        "repeated": Vote.objects.filter(assignment__in=mine, counts=False).count(),
    }


def forget(name: str) -> int:
    """Drop the collected answers, as if nobody had ever collected."""
    return Assignment.objects.filter(hit__batch__name=name).delete()[0]


def main() -> None:
    verbs = {
        "create": create,
        "fork": fork,
        "join": join,
        "is_published": is_published,
        "hits": hits,
        "simulate": simulate,
        "answers": answers,
        "forget": forget,
    }
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        result = verbs[verb](*arguments)  # type: ignore[operator]
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
