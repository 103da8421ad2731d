"""Asking for votes only where they can matter: further HITs for the queries that need them.

The first round is the batch as it was made, with two assignments per HIT. Each further round
bundles the queries that two people saw differently, or that are tied, into new HITs of the same
ledger, from which everybody who has voted in the batch is excluded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from annotation.batches.operations.further_hits import add_hits, voters_exclude
from annotation.batches.operations.planning import shared_out
from annotation.batches.operations.terms import AdaptiveParameters
from annotation.batches.queries.adaptive import adaptive_policy, queries_to_ask
from annotation.core.money import lock_batch
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import value_of
from annotation.crowd.connection import batch_gateway
from annotation.labels.queries.questions import modelled_question
from annotation.models import AdaptivePolicy, AuditEvent, Batch, BatchQuery
from annotation.vocabulary import AuditAction, BatchState
from metrics.errors import InputError
from metrics.votes.adaptive import FIRST, FULL


@dataclass(frozen=True)
class RoundReport:
    """A further round: new HITs, the votes that they ask for, and workers who are excluded."""

    hits: int
    queries: int
    votes: int
    kept_out: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def adaptive_begin(*, batch: Batch, actor: str, terms: AdaptiveParameters) -> AdaptivePolicy:
    """Let a batch of two assignments per HIT ask adaptively; a share of it gets three anyway."""
    with value_of("question"):
        question = modelled_question(batch=batch, name=terms.question)
    if batch.assignments_per_hit != FIRST:
        raise InputError(
            f"the batch asks for {batch.assignments_per_hit} votes at once.",
            remedy="Make it with --assignments 2: the third is asked for where two differ.",
        )
    if not 0 <= terms.full_share <= 1 or terms.most_votes < FULL:
        raise InputError(
            "the share is from 0 to 1, and a query gets up to three votes or more.",
            remedy="For example --full-share 0.1 --most 5.",
        )
    with transaction.atomic():
        lock_batch(batch.pk)
        if AdaptivePolicy.objects.filter(batch=batch).exists():
            raise InputError(f"the batch {batch.name!r} asks adaptively already.")
        detail = asdict(terms) | {"question": question.name}
        rule = AdaptivePolicy.objects.create(batch=batch, **detail)
        AuditEvent.objects.create(
            batch=batch, actor=actor, action=AuditAction.ADAPTIVE, detail=detail
        )
    return rule


def plan_adaptive_round(*, batch: Batch, actor: str) -> RoundReport:
    """Plan the HITs of the next round; `batch publish` publishes them. Collect votes before.

    A query whose votes are still to come waits for them, so that planning twice plans nothing
    twice.
    """
    adaptive_policy(batch=batch)
    if batch.state not in (BatchState.PUBLISHED, BatchState.PUBLISHING):
        raise InputError(
            f"the batch {batch.name!r} is {batch.get_state_display().lower()}.",
            remedy="Publish its first round and collect the votes before.",
        )
    queries_by_votes = queries_to_ask(batch=batch)
    if not queries_by_votes:
        return RoundReport(0, 0, 0, 0)
    kept_out = voters_exclude(batch=batch, gateway=batch_gateway(batch))
    with transaction.atomic():
        locked = lock_batch(batch.pk)
        # Somebody else may have planned the same round since.
        queries_by_votes = queries_to_ask(batch=locked)
        locked.hit_type_id = batch.hit_type_id
        hits = len(add_hits(batch=locked, pages=round_pages(locked, queries_by_votes)))
        report = RoundReport(
            hits=hits,
            queries=sum(map(len, queries_by_votes.values())),
            votes=sum(more * len(queries) for more, queries in queries_by_votes.items()),
            kept_out=kept_out,
        )
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action=AuditAction.FURTHER_VOTES_PLANNED,
            detail=report.as_dict(),
        )
    return report


def round_pages(
    batch: Batch, queries_by_votes: Mapping[int, Sequence[BatchQuery]]
) -> list[tuple[int, Sequence[BatchQuery]]]:
    """Group the queries of this round into HITs of queries that need the same number of votes."""
    return [
        (more, page)
        for more, queries in queries_by_votes.items()
        for page in shared_out(queries, most=batch.queries_per_hit)
    ]


class BeginAdaptive(Operation[Batch, AdaptiveParameters]):
    """Let a batch of two assignments per HIT ask for a third vote where two differ."""

    name = "begin adaptive"
    example = {"most_votes": 5}
    title = "Ask adaptively"
    subject = Batch
    parameters = AdaptiveParameters

    def run(self, subject: Batch, parameters: AdaptiveParameters, run: Run) -> Result:
        rule = adaptive_begin(batch=subject, actor=run.actor.name, terms=parameters)
        values = {name: getattr(rule, name) for name in asdict(parameters)}
        title = subject.scheme.question(rule.question).title
        return Result(values, f"The batch asks adaptively now, by the answers to “{title}”.")


BEGIN_ADAPTIVE = BeginAdaptive()
