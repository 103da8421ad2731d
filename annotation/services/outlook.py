"""What an act on a batch would do and cost, before anybody agrees to it. US dollars with fees."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum

from annotation.models import Assignment, Batch, Redundancy
from annotation.mturk.pricing import fee, unit_price
from annotation.mturk.qualifications import WorkerConditions
from annotation.selectors.redundancy import queries_to_ask
from annotation.vocabulary import AssignmentState
from metrics.errors import InputError


@dataclass(frozen=True)
class Outlook:
    """`n_answers` answers of `n_hits` HITs are asked for, paid or given a bonus, for `cost`.

    `n_queries` counts the queries, where the act is about some of them only.
    """

    n_answers: int
    n_hits: int
    cost: Decimal
    n_queries: int = 0


def outlook_of_more(*, batch: Batch, assignments: int) -> Outlook:
    """Asking for what is missing, and for `assignments` answers to each HIT; one statement more.

    It is what is known now: `batch_top_up` collects before, and asks for less if answers came in.
    """
    if Redundancy.objects.filter(batch=batch).exists():
        raise InputError(
            "the batch asks adaptively.", remedy="Its next round asks where the votes differ."
        )
    good = Q(assignments__problem="") & ~Q(assignments__state=AssignmentState.REJECTED)
    hits = batch.hits.filter(hit_id__isnull=False).annotate(
        n_all=Count("assignments"), n_good=Count("assignments", filter=good)
    )
    more, touched, cost = 0, 0, Decimal(0)
    for hit in hits:
        is_usual = hit.answers_wanted == batch.assignments_per_hit
        wanted = max(assignments, hit.answers_wanted) if is_usual else hit.answers_wanted
        lacking = wanted - hit.n_good
        added = max(hit.n_all + lacking - hit.max_assignments, 0) if lacking > 0 else 0
        more += added
        touched += lacking > 0
        cost += added * hit.unit_cost
    return Outlook(more, touched, cost)


def outlook_of_round(*, batch: Batch) -> Outlook:
    """The next round of a batch that asks adaptively, from the votes that are collected."""
    masters = WorkerConditions.from_json(batch.conditions).masters
    answers, hits, cost, queries = 0, 0, Decimal(0), 0
    for more, asked in queries_to_ask(batch=batch).items():
        pages = -(-len(asked) // batch.queries_per_hit)
        hits += pages
        answers += pages * more
        queries += len(asked)
        cost += pages * more * unit_price(batch.reward, assignments=more, masters=masters)
    return Outlook(answers, hits, cost, queries)


def outlook_of_approval(*, batch: Batch) -> Outlook:
    """Paying for every readable answer that was not reviewed; the money is committed already."""
    waiting = Assignment.objects.filter(
        hit__batch=batch, state=AssignmentState.SUBMITTED, problem=""
    ).aggregate(n=Count("pk"), hits=Count("hit", distinct=True), cost=Sum("hit__unit_cost"))
    cost = Decimal(waiting["cost"] or 0).quantize(Decimal("0.01"))
    return Outlook(waiting["n"], waiting["hits"], cost)


def outlook_of_bonus(*, n_workers: int, amount: Decimal) -> Outlook:
    """A bonus of `amount` for each of `n_workers`."""
    return Outlook(n_workers, 0, n_workers * (amount + fee(amount)))
