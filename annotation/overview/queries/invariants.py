"""Invariants of the platform's tables, each as one search for the rows that break it.

The database enforces most of them; here they are proved again from the rows, also after a restore,
a repair by hand, or a fault of the database.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.db import IntegrityError, connection
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from annotation.core.held import held_by_rows
from annotation.models import (
    HIT,
    Assignment,
    Batch,
    BatchQuery,
    Choice,
    HITQuery,
    Label,
    SchemeVersion,
    Task,
    Vote,
    Worker,
)
from annotation.models.tasks import LIVE_STATES
from annotation.schemes import CANNOT_TELL, JOINED
from annotation.vocabulary import (
    TIE,
    AssignmentState,
    BatchState,
    Environment,
    HITState,
    TaskState,
    WorkerKind,
)

Found = Iterator[str]


def broken_invariants() -> dict[str, list[str]]:
    """Return the broken invariants by name, with the offending rows; empty when all is well."""
    broken = {sentence: list(search()) for sentence, search in INVARIANTS.items()}
    return {sentence: breaches for sentence, breaches in broken.items() if breaches}


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


def _known_options() -> Found:
    """Check that the batch offers every choice, and that single questions have one."""
    for batch in Batch.everything.filter(queries__votes__isnull=False).distinct():
        known = _offered(batch)
        chosen = Choice.objects.filter(vote__query__batch=batch).exclude(option="")
        counts = chosen.order_by().values_list("question", "option").annotate(n=Count("pk"))
        for question, option, n in counts:
            if option not in known.get(question, {}):
                yield f"{n} choices of batch {batch.name!r} are {question} {option!r}"
        sole = chosen.exclude(question__in=_with_several(batch))
        yield from _repeated(sole, "vote", "question")


def _offered(batch: Batch) -> Mapping[str, set[str]]:
    questions = batch.scheme.closed
    return {question.name: {*question.codes, CANNOT_TELL} for question in questions}


def _with_several(batch: Batch) -> list[str]:
    questions = batch.scheme.closed
    return [question.name for question in questions if question.kind.takes_several]


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


def _asked_in_force() -> Found:
    versions = SchemeVersion.objects.order_by("number").values_list("batch", "content")
    latest = dict(versions)
    for batch in Batch.everything.filter(pk__in=latest):
        if batch.asks != latest[batch.pk]:
            yield f"batch {batch.name!r} does not ask what its latest scheme says"


def _whole_answers() -> Found:
    """An answer without a problem has a vote for each query of its HIT that none may leave out."""
    n_queries = dict(HITQuery.objects.order_by().values_list("hit").annotate(Count("pk")))
    whole = {batch.pk for batch in Batch.everything.all() if batch.scheme.is_answered_whole}
    answers = Assignment.objects.filter(hit__in=list(n_queries)).annotate(n_votes=Count("votes"))
    for pk, hit, batch, problem, n_votes in answers.values_list(
        "pk", "hit", "hit__batch", "problem", "n_votes"
    ):
        expected = 0 if problem else n_queries[hit]
        if n_votes > expected or (n_votes < expected and batch in whole):
            yield f"answer {pk} has {n_votes} votes, not {expected}"


def _rejected_answers() -> Found:
    for vote in Vote.objects.filter(counts=True, assignment__state=AssignmentState.REJECTED):
        yield f"vote {vote.pk} of the rejected answer {vote.assignment_id} counts"


def _one_answer() -> Found:
    yield from _repeated(Assignment.objects.all(), "assignment_id", "worker")


def _not_too_many_answers() -> Found:
    standing = Q(assignments__state__in=(AssignmentState.SUBMITTED, AssignmentState.APPROVED))
    hits = HIT.objects.annotate(n=Count("assignments", filter=standing))
    # What comes in files, or is asked at Prolific, has no limit of ours.
    beyond = (Environment.IMPORTED, Environment.PROLIFIC)
    for hit in hits.exclude(batch__environment__in=beyond).filter(n__gt=F("max_assignments")):
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
    batches = Batch.everything.exclude(environment=Environment.IMPORTED)
    held = held_by_rows(batches)
    for batch in batches:
        if held.get(batch.pk, batch.committed) != batch.committed:
            yield f"batch {batch.name!r}: {batch.committed} USD are committed for {held[batch.pk]}"


def _labels() -> Found:
    yield from _repeated(Label.objects.all(), "query", "question", "method")
    for batch in Batch.everything.filter(queries__labels__isnull=False).distinct():
        known = _offered(batch)
        values = (
            Label.objects.filter(query__batch=batch).order_by().values_list("question", "value")
        )
        for question, value in values.distinct():
            options = known.get(question, set()) - {CANNOT_TELL}
            if value != TIE and not options.issuperset(value.split(JOINED)):
                yield f"labels of batch {batch.name!r} are {question} {value!r}"
    for label in Label.objects.filter(n_for__gt=F("n_votes")):
        yield f"label {label.pk} has {label.n_for} of {label.n_votes} votes"


def _simulated_are_marked() -> Found:
    unmarked = Worker.objects.filter(environment=Environment.LOCAL, worker_id__startswith="ASIM")
    for worker in unmarked.exclude(kind=WorkerKind.SIMULATED):
        yield f"worker {worker.worker_id} is simulated and not marked so"


def _tasks() -> Found:
    live = Task.objects.filter(state__in=LIVE_STATES)
    yield from _repeated(live, "kind", "batch", "study", "assignment")
    for task in Task.objects.filter(state=TaskState.RUNNING, claim__isnull=True):
        yield f"task {task.pk} runs and nobody has claimed it"
    for task in Task.objects.exclude(state__in=LIVE_STATES).filter(finished_at__isnull=True):
        yield f"task {task.pk} is {task.state} without an end"


def _clock() -> Found:
    """Check that nothing was submitted, or ended, before it began."""
    for answer in Assignment.objects.filter(submitted_at__lt=F("accepted_at")):
        yield f"answer {answer.pk} was submitted before it was accepted"
    now = timezone.now()
    for task in Task.objects.filter(finished_at__gt=now):
        yield f"task {task.pk} ends in the future"


INVARIANTS: Mapping[str, Callable[[], Found]] = {
    "every row that another one names exists": _references,
    "one vote of a worker on a query counts": _one_vote,
    "every vote chooses what its batch offers": _known_options,
    "a batch asks what its latest scheme says": _asked_in_force,
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
