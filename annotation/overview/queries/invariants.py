"""Invariants of the platform's tables, each as one search for the rows that break it.

Most of it the database itself refuses to break; here it is proved again, from the rows, so that it
also holds after a restore, a repair by hand, or a fault of the database.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, connection
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone

from annotation.models import (
    HIT,
    Assignment,
    Batch,
    BatchQuery,
    Bonus,
    HITQuery,
    Label,
    ProlificBonusSet,
    ProlificStudy,
    Task,
    Vote,
    Worker,
)
from annotation.models.tasks import LIVE_STATES
from annotation.vocabulary import (
    TIE,
    AssignmentState,
    BatchState,
    Category,
    Environment,
    HITState,
    TaskState,
    WorkerKind,
)

Found = Iterator[str]
_CENT = Decimal("0.01")


def broken_invariants() -> dict[str, list[str]]:
    """The broken ones by name, each with what breaks it; empty when all is well."""
    found = {sentence: list(search()) for sentence, search in INVARIANTS.items()}
    return {sentence: breaches for sentence, breaches in found.items() if breaches}


def _references() -> Found:
    try:
        connection.check_constraints()
    except IntegrityError as error:
        yield str(error)


def _repeated(rows: QuerySet[Any], *fields: str) -> Found:
    """The values of `fields` that more than one row has."""
    repeated = rows.order_by().values(*fields).annotate(n=Count("pk")).filter(n__gt=1)
    for row in repeated:
        yield f"{row.pop('n')} rows with " + ", ".join(f"{name} {row[name]}" for name in fields)


def _one_vote() -> Found:
    yield from _repeated(Vote.objects.filter(counts=True), "query", "worker")


def _known_votes() -> Found:
    for vote in Vote.objects.exclude(category__in=Category.values):
        yield f"vote {vote.pk} is {vote.category!r}"


def _answer_votes() -> Found:
    for vote in Vote.objects.filter(assignment__isnull=False).exclude(
        worker=F("assignment__worker")
    ):
        yield f"vote {vote.pk} and answer {vote.assignment_id} are of different workers"
    places = HITQuery.objects.values_list("hit", "query")
    expected = set(places)
    voted = Vote.objects.filter(assignment__isnull=False, assignment__hit__places__isnull=False)
    for pk, hit, query in voted.values_list("pk", "assignment__hit", "query").distinct():
        if (hit, query) not in expected:
            yield f"vote {pk} is on the query {query}, which HIT {hit} did not ask"


def _whole_answers() -> Found:
    """An answer without a problem gave one vote or "I cannot tell" for each query of its HIT."""
    n_queries = dict(HITQuery.objects.order_by().values_list("hit").annotate(Count("pk")))
    # What a scheme asks may be left out.
    of_categories = Assignment.objects.filter(hit__batch__has_scheme=False)
    answers = of_categories.filter(hit__in=list(n_queries)).annotate(
        n_choices=Count("votes", distinct=True) + Count("abstentions", distinct=True)
    )
    for pk, hit, problem, n_choices in answers.values_list("pk", "hit", "problem", "n_choices"):
        expected = 0 if problem else n_queries[hit]
        if n_choices != expected:
            yield f"answer {pk} has {n_choices} choices, not {expected}"


def _rejected_answers() -> Found:
    for vote in Vote.objects.filter(counts=True, assignment__state=AssignmentState.REJECTED):
        yield f"vote {vote.pk} of the rejected answer {vote.assignment_id} counts"


def _one_answer() -> Found:
    yield from _repeated(Assignment.objects.all(), "assignment_id", "worker")


def _not_too_many_answers() -> Found:
    standing = Q(assignments__state__in=(AssignmentState.SUBMITTED, AssignmentState.APPROVED))
    hits = HIT.objects.annotate(n=Count("assignments", filter=standing))
    for hit in hits.exclude(batch__environment=Environment.IMPORTED).filter(
        n__gt=F("max_assignments")
    ):
        yield f"HIT {hit.pk} has {hit.n} answers of {hit.max_assignments}"


def _hit_ids() -> Found:
    for hit in HIT.objects.filter(state=HITState.PUBLISHED).filter(
        Q(hit_id__isnull=True) | Q(hit_id="")
    ):
        yield f"HIT {hit.pk} is published without an id"
    for name in ("hit_id", "request_token", "annotation"):
        yield from _repeated(HIT.objects.exclude(**{f"{name}__isnull": True}), name)
    for answer in Assignment.objects.exclude(hit__batch__environment=Environment.IMPORTED).filter(
        hit__hit_id__isnull=True
    ):
        yield f"answer {answer.pk} belongs to a HIT that was never published"


def _batch_states() -> Found:
    unfinished = HIT.objects.filter(batch__state=BatchState.PUBLISHED)
    for hit in unfinished.exclude(state=HITState.PUBLISHED):
        yield f"HIT {hit.pk} of a published batch is {hit.state}"
    for hit in HIT.objects.filter(batch__state=BatchState.DRAFT).exclude(state=HITState.PLANNED):
        yield f"HIT {hit.pk} of a draft is {hit.state}"
    for hit in HIT.objects.exclude(state=HITState.PLANNED).filter(sent_at__isnull=True):
        yield f"HIT {hit.pk} is {hit.state} but was never sent"


def _pages() -> Found:
    """Each query of a batch with HITs is asked, in places 0, 1, 2 ... of a HIT.

    Rounds that ask adaptively, and top-ups, ask it again in a further HIT.
    """
    for query in BatchQuery.objects.filter(places=None, batch__hits__isnull=False).distinct():
        yield f"query {query.qid} of batch {query.batch_id} is in no HIT"
    hits = HIT.objects.annotate(n=Count("places"), last=Max("places__place"))
    for hit in hits.exclude(n=F("last") + 1):
        yield f"HIT {hit.pk} has {hit.n} queries in places up to {hit.last}"
    for place in HITQuery.objects.exclude(query__batch=F("hit__batch")):
        yield f"HIT {place.hit_id} asks a query of another batch"


def _within_budget() -> Found:
    for batch in Batch.everything.filter(Q(committed__lt=0) | Q(committed__gt=F("budget"))):
        yield f"batch {batch.name!r}: {batch.committed} USD of {batch.budget} are committed"


def _committed_is_owed() -> Found:
    """The amount committed equals the cost of HITs sent, bonuses and recruiting, to the cent."""
    sent = HIT.objects.filter(state__in=(HITState.SENT, HITState.PUBLISHED))
    hits = _sums(sent, "batch", F("unit_cost") * F("max_assignments"))
    bonuses = _sums(Bonus.objects.all(), "assignment__hit__batch", F("amount") + F("fee"))
    # In cents.
    fees = _sums(ProlificStudy.objects.all(), "batch", F("fees_committed"))
    sets = _sums(ProlificBonusSet.objects.all(), "study__batch", F("committed"))
    for batch in Batch.everything.exclude(environment=Environment.IMPORTED):
        dollars = sum((one.get(batch.pk, Decimal(0)) for one in (hits, bonuses)), Decimal(0))
        market = sum((one.get(batch.pk, Decimal(0)) for one in (fees, sets)), Decimal(0)) / 100
        owed = (dollars + market).quantize(_CENT)
        if owed != batch.committed:
            yield f"batch {batch.name!r}: {batch.committed} USD are committed for {owed}"


def _sums(rows: QuerySet[Any], key: str, amount: Any) -> Mapping[int, Decimal]:
    totals = rows.order_by().values_list(key).annotate(total=Sum(amount))
    return {batch: Decimal(total) for batch, total in totals}


def _labels() -> Found:
    yield from _repeated(Label.objects.all(), "query", "method")
    for label in Label.objects.exclude(value__in=[*Category.values, TIE]):
        yield f"label {label.pk} is {label.value!r}"
    for label in Label.objects.filter(n_for__gt=F("n_votes")):
        yield f"label {label.pk} has {label.n_for} of {label.n_votes} votes"


def _simulated_are_marked() -> Found:
    unmarked = Worker.objects.filter(environment=Environment.LOCAL, worker_id__startswith="ASIM")
    for worker in unmarked.exclude(kind=WorkerKind.SIMULATED):
        yield f"worker {worker.worker_id} is simulated and not marked so"


def _tasks() -> Found:
    live = Task.objects.filter(state__in=LIVE_STATES)
    yield from _repeated(live, "kind", "batch", "study", "scoring", "part")
    for task in Task.objects.filter(state=TaskState.RUNNING, claim__isnull=True):
        yield f"task {task.pk} runs and nobody has claimed it"
    for task in Task.objects.exclude(state__in=LIVE_STATES).filter(finished_at__isnull=True):
        yield f"task {task.pk} is {task.state} without an end"


def _clock() -> Found:
    """Nothing was handed in, or ended, before it began."""
    for answer in Assignment.objects.filter(submitted_at__lt=F("accepted_at")):
        yield f"answer {answer.pk} was submitted before it was accepted"
    now = timezone.now()
    for task in Task.objects.filter(finished_at__gt=now):
        yield f"task {task.pk} ends in the future"


INVARIANTS: Mapping[str, Callable[[], Found]] = {
    "every row that another one names exists": _references,
    "one vote of a worker on a query counts": _one_vote,
    "every vote is for a known category": _known_votes,
    "a vote is its answer's: same worker, a query of the HIT": _answer_votes,
    "an answer gave a vote for each query, or says why none": _whole_answers,
    "no vote of a rejected answer counts": _rejected_answers,
    "an answer is stored once": _one_answer,
    "no HIT has more answers than it asked for": _not_too_many_answers,
    "a published HIT has an id, a token and an annotation of its own": _hit_ids,
    "the states of a batch and of its HITs agree": _batch_states,
    "each query is asked, in places of HITs of its batch": _pages,
    "committed money stays within the budget": _within_budget,
    "committed money is what HITs and bonuses may cost": _committed_is_owed,
    "a query has one label of a method, within its votes": _labels,
    "simulated workers are marked": _simulated_are_marked,
    "a task is alive once, claimed while it runs, and ends": _tasks,
    "time runs forwards": _clock,
}
