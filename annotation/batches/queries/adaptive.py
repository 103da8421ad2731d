"""Queries of a batch that need another vote, and the savings of asking adaptively."""

import shlex
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from django.db.models import Count
from django.utils import timezone

from annotation.batches.queries.batches import BatchProgress
from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.votes import (
    queries_awaiting_proof,
    study_queries,
    votes_on,
    votes_that_count,
)
from annotation.models import HIT, AdaptivePolicy, Batch, BatchQuery, HITQuery
from annotation.vocabulary import BatchState, HITState
from metrics.errors import InputError
from metrics.votes.adaptive import FULL, gets_all_votes, votes_to_ask
from metrics.votes.agreeing import agree
from metrics.votes.agreement import Agreement
from metrics.votes.table import Mask, Votes


@dataclass(frozen=True)
class AdaptiveReport:
    """Votes asked for so far, against three on every query; costs in US dollars with fees.

    The answers to `question` bring further votes. `n_full` queries get three in any case; `sample`
    is the agreement over them alone, the one estimate without selection. `n_open` queries need
    another vote.
    """

    question: str
    n_queries: int
    n_full: int
    n_open: int
    votes: int
    votes_fixed: int
    cost: Decimal
    cost_fixed: Decimal
    sample: Agreement


def adaptive_policy(*, batch: Batch) -> AdaptivePolicy:
    """Return the policy by which the batch asks adaptively; `InputError` if it has none."""
    policy = AdaptivePolicy.objects.filter(batch=batch).first()
    if policy is None:
        raise InputError(
            f"the batch {batch.name!r} does not ask adaptively.",
            remedy=f"Begin with: python manage.py batch begin-adaptive {shlex.quote(batch.name)}",
        )
    return policy


def queries_to_ask(*, batch: Batch) -> dict[int, list[BatchQuery]]:
    """Study queries by the number of votes to ask for now, in the batch's order.

    A query waits for votes of HITs that are still open, and for a panel's list that may make votes
    count.
    """
    rule = adaptive_policy(batch=batch)
    categories = _votes_by_query(batch, rule.question)
    waiting = _queries_waiting(batch) | queries_awaiting_proof(batch=batch)
    queries_by_votes: defaultdict[int, list[BatchQuery]] = defaultdict(list)
    for query in study_queries(batch=batch):
        if query.pk in waiting:
            continue
        full = gets_all_votes(query.qid, share=rule.full_share, seed=rule.seed)
        more = votes_to_ask(categories.get(query.pk, []), full=full, most=rule.most_votes)
        if more:
            queries_by_votes[more].append(query)
    return dict(sorted(queries_by_votes.items()))


def n_to_ask(batches: Iterable[BatchProgress]) -> dict[int, int]:
    """The queries that the next round of each adaptive batch asks about, by number of the batch.

    Of published batches to which no answer is to come; a few statements for each of them.
    """
    out = [b.number for b in batches if b.state == BatchState.PUBLISHED and not b.is_awaited]
    adaptive = Batch.objects.filter(pk__in=out, adaptive_policy__isnull=False)
    return {batch.pk: sum(map(len, queries_to_ask(batch=batch).values())) for batch in adaptive}


def _votes_by_query(batch: Batch, question: str) -> dict[int, list[str]]:
    options: defaultdict[int, list[str]] = defaultdict(list)
    votes = votes_that_count(batch=batch, question=question)
    rows = votes.filter(choices__question=question)
    for query, option in rows.values_list("query_id", "choices__option").iterator(20_000):
        options[query].append(option)
    return options


def _queries_waiting(batch: Batch) -> set[int]:
    """Return the queries of HITs that can still bring a vote: unpublished or open to workers."""
    hits = HIT.objects.filter(batch=batch).exclude(state=HITState.REFUSED)
    now = timezone.now()
    out = [
        hit.pk
        for hit in hits.annotate(n_answers=Count("assignments"))
        if hit.n_answers < hit.max_assignments and (hit.expires_at is None or hit.expires_at > now)
    ]
    return set(HITQuery.objects.filter(hit__in=out).values_list("query_id", flat=True))


def adaptive_report(*, batch: Batch) -> AdaptiveReport:
    """Return the state of an adaptive batch."""
    rule = adaptive_policy(batch=batch)
    question = nominal_question(batch=batch, name=rule.question)
    table = votes_on(batch=batch, question=question).counted().told()
    full = np.array(
        [gets_all_votes(qid, share=rule.full_share, seed=rule.seed) for qid in table.items],
        dtype=bool,
    )
    hits = list(HIT.objects.filter(batch=batch).exclude(state=HITState.REFUSED))
    n_first = -(-batch.queries.count() // batch.queries_per_hit)
    price = hits[0].unit_cost if hits else Decimal(0)
    return AdaptiveReport(
        question=question.name,
        n_queries=len(table.items),
        n_full=int(full.sum()),
        n_open=sum(map(len, queries_to_ask(batch=batch).values())),
        votes=len(table),
        votes_fixed=FULL * len(table.items),
        cost=sum((hit.unit_cost * hit.max_assignments for hit in hits), Decimal(0)),
        cost_fixed=n_first * FULL * price,
        sample=agree(_of_sample(table, full)),
    )


def _of_sample(votes: Votes, full: Mask) -> Votes:
    """The votes on queries that get three in any case: whatever the first ones were."""
    return replace(votes.kept(full[votes.item]), first_round=None)
