"""Checks of a batch against every limit before the first call."""

from collections.abc import Iterator
from decimal import Decimal

from django.db.models import Prefetch

from annotation.batches.operations.planning import question_of, shown_items
from annotation.batches.queries.schemes import page_texts
from annotation.core.consent import Charge
from annotation.crowd.errors import CrowdStopError
from annotation.crowd.gateway import Gateway
from annotation.crowd.qualifications import WorkerConditions, to_wire
from annotation.crowd.questions import most_bytes
from annotation.crowd.terms import Terms, hit_problems, term_problems
from annotation.models import HIT, Batch, HITQuery
from annotation.schemes import is_blank
from annotation.task_page import PageTexts
from annotation.vocabulary import HITState
from metrics.errors import InputError

_HITS_AT_ONCE = 100


def terms_of(batch: Batch) -> Terms:
    """Terms that the batch offers its workers."""
    return Terms(
        title=batch.title,
        description=batch.description,
        keywords=batch.keywords,
        reward=batch.reward,
        duration_seconds=batch.duration_seconds,
        auto_approval_seconds=batch.auto_approval_seconds,
        requirements=to_wire(
            WorkerConditions.from_json(batch.conditions),
            environment=batch.environment,
            kept_out=batch.exclusion_qualification_id,
            tested=batch.comprehension_type_id,
        ),
    )


def check_questions(batch: Batch) -> None:
    """Refuse a batch whose questions nobody has written yet."""
    if is_blank(batch.scheme):
        raise InputError(
            f"the questions of the batch {batch.name!r} are still to be written.",
            remedy="Write them on the page of its scheme.",
        )


def hits_unpublished(batch: Batch) -> Iterator[HIT]:
    """Return the HITs without a known id, in order, with their queries prefetched."""
    last = -1
    places = Prefetch("places", HITQuery.objects.select_related("query").order_by("place"))
    while True:
        chunk = list(
            batch.hits.exclude(state=HITState.PUBLISHED)
            .select_related("batch")
            .filter(index__gt=last)
            .order_by("index")
            .prefetch_related(places)[:_HITS_AT_ONCE]
        )
        if not chunk:
            return
        yield from chunk
        last = chunk[-1].index


def count_unpublished_hits(batch: Batch) -> int:
    """The number of HITs of which no id is known."""
    return batch.hits.exclude(state=HITState.PUBLISHED).count()


def charges_to_come(batch: Batch) -> tuple[Charge, ...]:
    """Return the cost of HITs not sent yet, by price; the others are committed."""
    waiting = batch.hits.filter(state__in=(HITState.PLANNED, HITState.REFUSED))
    by_price: dict[tuple[Decimal, int], list[int]] = {}
    for pk, price, quantity in waiting.values_list("pk", "unit_cost", "max_assignments"):
        by_price.setdefault((price, quantity), []).append(pk)
    return tuple(
        Charge(batch.reward, price - batch.reward, tuple(hits), quantity)
        for (price, quantity), hits in sorted(by_price.items())
    )


def reserved_cost(batch: Batch) -> Decimal:
    """Return the money already held for these HITs, in US dollars."""
    reserved = batch.hits.filter(reserved_at__isnull=False)
    prices = reserved.values_list("unit_cost", "max_assignments")
    return sum((price * quantity for price, quantity in prices), Decimal("0.00"))


def cost_to_come(batch: Batch) -> Decimal:
    """US dollars of the HITs that were not sent yet, fees included."""
    return sum((charge.cost for charge in charges_to_come(batch)), Decimal(0))


def hit_question(hit: HIT, texts: PageTexts) -> str:
    """Return the HIT's `Question`; its places are prefetched."""
    return question_of(shown_items([place.query for place in hit.places.all()]), texts)


def check_limits(batch: Batch, terms: Terms) -> None:
    """Find everything that the crowd would refuse, before the first call."""
    problems, texts = term_problems(terms), page_texts(batch)
    for hit in hits_unpublished(batch):
        problems += [
            f"HIT {hit.index + 1}: {problem}"
            for problem in hit_problems(
                question=hit_question(hit, texts),
                most_bytes=most_bytes(batch.environment),
                annotation=hit.annotation,
                token=hit.request_token,
                lifetime_seconds=batch.lifetime_seconds,
                max_assignments=hit.max_assignments,
            )
        ]
    if problems:
        raise InputError(
            f"the batch {batch.name!r} cannot be published: {'; '.join(problems[:5])}.",
            remedy="Create it again with other terms or queries.",
        )


def check_balance(batch: Batch, gateway: Gateway) -> None:
    needed, balance = cost_to_come(batch), gateway.balance()
    if needed > balance:
        raise CrowdStopError(
            f"publishing costs {needed} USD, but the account holds {balance} USD.",
            remedy="Add money to the account; nothing was published.",
        )
