"""Further HITs for a published batch, for workers who have not voted in it."""

from collections.abc import Sequence

from django.db.models import Max

from annotation.batches.operations.batches import request_token
from annotation.batches.operations.exclusion_qualification import ensure_exclusion_qualification
from annotation.batches.operations.planning import question_of, shown_items
from annotation.batches.operations.preflight import terms_of
from annotation.batches.queries.schemes import page_texts
from annotation.crowd.annotations import requester_annotation
from annotation.crowd.gateway import Gateway
from annotation.crowd.pricing import unit_price
from annotation.crowd.qualifications import WorkerConditions
from annotation.models import HIT, Batch, BatchQuery, HITQuery, Vote
from annotation.vocabulary import BatchState

_CHUNK = 500


def voters_exclude(*, batch: Batch, gateway: Gateway) -> int:
    """Mark all voters, make a HIT type for workers without the mark, and return the number.

    The calls come before the HITs are planned: after an interruption they are repeated.
    `batch.hit_type_id` is set on the object, and stored by `add_hits`.
    """
    ensure_exclusion_qualification(batch=batch, gateway=gateway)
    votes = Vote.objects.filter(query__batch=batch, worker__is_erased=False)
    names = set(votes.order_by().values_list("worker__worker_id", flat=True).distinct())
    for name in sorted(names):
        gateway.qualification_give(batch.exclusion_qualification_id, name)
    batch.hit_type_id = gateway.create_hit_type(terms_of(batch))
    return len(names)


def add_hits(*, batch: Batch, pages: Sequence[tuple[int, Sequence[BatchQuery]]]) -> list[HIT]:
    """Plan a HIT for each (answers wanted, queries); `batch publish` publishes them.

    To be called in a transaction that holds the batch's row.
    """
    last = batch.hits.aggregate(last=Max("index"))["last"]
    begin = 0 if last is None else last + 1
    masters = WorkerConditions.from_json(batch.conditions).masters
    texts = page_texts(batch)
    hits = HIT.objects.bulk_create(
        (
            HIT(
                batch=batch,
                index=index,
                max_assignments=n_answers,
                target_answers=n_answers,
                unit_cost=unit_price(batch.reward, assignments=n_answers, masters=masters),
                annotation=requester_annotation(uid=batch.uid, index=index, attempt=0),
                request_token=request_token(
                    uid=batch.uid,
                    index=index,
                    attempt=0,
                    question=question_of(shown_items(page), texts),
                ),
            )
            for index, (n_answers, page) in enumerate(pages, start=begin)
        ),
        batch_size=_CHUNK,
    )
    HITQuery.objects.bulk_create(
        (
            HITQuery(hit=hit, query=query, place=place)
            for hit, (_, page) in zip(hits, pages, strict=True)
            for place, query in enumerate(page)
        ),
        batch_size=_CHUNK,
    )
    if hits:
        Batch.objects.filter(pk=batch.pk).update(
            state=BatchState.PUBLISHING, hit_type_id=batch.hit_type_id
        )
    return hits
