"""A process with Django loaded that forks a child for each piece of work, so that it can be killed.

Each line on standard input is JSON `[verb, argument, ...]`; each gets one line of JSON back. `fork`
answers with the child's process id at once, and `join` with how the child ended; everything else is
done here, and no connection is open while a child is made.
"""

import json
import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import django

django.setup()

from django.db import connections  # noqa: E402 - Django must be set up before models are imported

from annotation.batches.operations.approve import APPROVE  # noqa: E402
from annotation.batches.operations.ask_model import ASK_MODEL  # noqa: E402
from annotation.batches.operations.batches import create_batch  # noqa: E402
from annotation.batches.operations.bonus import BONUS  # noqa: E402
from annotation.batches.operations.collect import collect_batch  # noqa: E402
from annotation.batches.operations.planning import BatchPlan, PlannedQuery  # noqa: E402
from annotation.batches.operations.publish import publish_batch  # noqa: E402
from annotation.batches.operations.reconciling import reconcile  # noqa: E402
from annotation.crowd.connection import batch_gateway, environment_gateway  # noqa: E402
from annotation.language_models.double import rule  # noqa: E402
from annotation.models import (  # noqa: E402
    HIT,
    Assignment,
    Batch,
    Bonus,
    ModelRater,
    Study,
    Vote,
)
from annotation.overview.operations.simulation import batch_simulate, crowd_of  # noqa: E402
from annotation.overview.queries.invariants import broken_invariants  # noqa: E402
from annotation.vocabulary import AssignmentState, BatchState  # noqa: E402
from tests.performing import do  # noqa: E402
from tests.site.kills import person, recruiting  # noqa: E402

QUERIES_PER_HIT = 2
N_WORKERS = 4


def create(number: int, n_hits: int, assignments: int = 3) -> str:
    queries = [PlannedQuery(f"{number}-{i}", f"query {i}") for i in range(n_hits * QUERIES_PER_HIT)]
    plan = BatchPlan(
        name=f"b{number}",
        queries=queries,
        queries_per_hit=QUERIES_PER_HIT,
        assignments_per_hit=assignments,
    )
    study = Study.objects.create(name=plan.name)
    return create_batch(plan=plan, environment="local", actor="test", study=study).name


def fork(work: str, name: str, reason: str = "") -> int:
    batch = Batch.objects.get(name=name)
    works: dict[str, Callable[[], object]] = {
        "publish": partial(publish_batch, batch_id=batch.pk, actor="test"),
        "collect": partial(collect_batch, batch_id=batch.pk, actor="test"),
        "approve": partial(do, APPROVE, batch),
        "bonus": partial(do, BONUS, batch, amount="0.01", reason=reason),
        "recruit": partial(recruiting.recruit, batch),
        "ask there": partial(recruiting.ask_there, batch),
        "add places": partial(recruiting.places, batch),
        "catch up": partial(recruiting.catch_up, batch),
        "approve people": partial(recruiting.approve, batch),
        "pay people": partial(recruiting.pay, batch, reason),
        "erase": person.erase,
        "ask": partial(do, ASK_MODEL, batch, **(json.loads(reason) if work == "ask" else {})),
    }
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            works[work]()
        except BaseException:  # noqa: BLE001 - a forked child must never run on as its parent
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def join(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def asked(name: str) -> dict[str, Any]:
    """How many queries of the batch's study a model has labelled, and what that may have cost.

    `wrong` labels are others than the double's rule gives; a missing one is not among them.
    """
    rater = ModelRater.objects.filter(study__name=name).first()
    if rater is None:
        return {"labels": 0, "committed": "0"}
    ModelRater.objects.get(study__name=name)  # one for the model and its prompt
    texts = dict(Batch.objects.get(name=name).queries.values_list("qid", "text"))
    said = rater.labels.exclude(category=None).values_list("qid", "category")
    n = rater.parameters["repetitions"]
    draws = [f"{seed}:" for seed in range(n)] if n > 1 else [""]
    return {
        "labels": rater.labels.count(),
        "committed": str(rater.committed),
        "queries": rater.labels.values("qid").distinct().count(),
        "wrong": sum(
            category not in {rule(texts[qid], draw) for draw in draws} for qid, category in said
        ),
    }


def is_published(name: str) -> bool:
    return Batch.objects.get(name=name).state == BatchState.PUBLISHED


def hits(_: str) -> dict[str, Any]:
    """What the crowd holds, and what the ledger says of it."""
    crowd = list(environment_gateway("local").list_hits())
    ledger = dict(HIT.objects.exclude(hit_id=None).values_list("annotation", "hit_id"))
    return {
        "crowd": len(crowd),
        "most_of_one": max(Counter(hit.annotation for hit in crowd).values()),
        "ledger": len(ledger),
        "agree": ledger == {hit.annotation: hit.hit_id for hit in crowd},
    }


def is_approved(name: str) -> bool:
    mine = Assignment.objects.filter(hit__batch__name=name)
    return not mine.exclude(state=AssignmentState.APPROVED).exists()


def n_paid(name: str, reason: str) -> int:
    paid = Bonus.objects.filter(assignment__hit__batch__name=name, reason=reason)
    return paid.exclude(paid_at=None).count()


def balance(_: str) -> str:
    """What the crowd's account has, less what is held for HITs."""
    return str(environment_gateway("local").balance())


def committed(_: str) -> str:
    """What the ledger says that all batches may cost."""
    return str(sum(Batch.objects.values_list("committed", flat=True), Decimal(0)))


def differences(name: str) -> list[str]:
    """What ledger and crowd disagree on, to the single answer and bonus; nothing if all is well."""
    batch = Batch.objects.get(name=name)
    gateway = batch_gateway(batch)
    found = reconcile(batch)[batch.name]
    found += [f"{sentence}: {breaches}" for sentence, breaches in broken_invariants().items()]
    mine = Assignment.objects.filter(hit__batch=batch).select_related("worker")
    ledger = Counter((one.assignment_id, one.state) for one in mine)
    hits = list(batch.hits.exclude(hit_id=None))
    crowd = Counter(
        (one.assignment_id, one.status)
        for hit in hits
        for one in gateway.assignments(str(hit.hit_id))
    )
    found += [f"only in the ledger: {one}" for one in (ledger - crowd).elements()]
    found += [f"only at the crowd: {one}" for one in (crowd - ledger).elements()]
    bonuses = Bonus.objects.filter(assignment__in=mine).select_related("assignment__worker")
    intended = Counter((one.assignment.worker.worker_id, one.amount, one.reason) for one in bonuses)
    paid = Counter(bonus for one in mine for bonus in gateway.bonuses(one.assignment_id))
    found += [f"not paid: {one}" for one in (intended - paid).elements()]
    found += [f"paid too often: {one}" for one in (paid - intended).elements()]
    found += [f"begun: {one.pk}" for one in bonuses if one.paid_at is None]
    return found


def simulate(name: str) -> int:
    batch = Batch.objects.get(name=name)
    # Its annotators' pages are where this process reaches the crowd, not where a proxy does.
    batch_gateway(batch)
    truth = dict.fromkeys(batch.queries.values_list("qid", flat=True), "n")
    crowd = crowd_of(seed=1, n_workers=N_WORKERS, accuracy=1.0)
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
        "asked": asked,
        "is_published": is_published,
        "hits": hits,
        "is_approved": is_approved,
        "n_paid": n_paid,
        "balance": balance,
        "committed": committed,
        "differences": differences,
        "simulate": simulate,
        "work": person.work,
        "results": person.results,
        "ask_to_erase": person.ask_to_erase,
        "tasks": person.tasks,
        "traces": person.traces,
        "answers": answers,
        "connect": recruiting.connect,
        "choose": recruiting.choose,
        "recruited": recruiting.recruited,
        "codes": recruiting.codes,
        "hits_of": recruiting.hits_of,
        "submissions": recruiting.submissions,
        "bonus_state": recruiting.bonus_state,
        "bonuses": recruiting.bonuses,
        "books": recruiting.books,
        "forget": forget,
    }
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        result = verbs[verb](*arguments)  # type: ignore[operator]
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
