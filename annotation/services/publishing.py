"""Publishing a batch so that each HIT comes to exist once, whatever happens on the way.

The rule: the intent is committed, the crowd is called, the outcome is committed. A call is made
with a token that the crowd remembers for a day, so that asking again makes no second HIT; a HIT
whose outcome is unknown for longer is looked for by its annotation before anything is created.
"""

from collections.abc import Callable

from annotation.models import AuditEvent, Batch
from annotation.mturk.gateway import Gateway
from annotation.services.audit import money_note
from annotation.services.comprehension import comprehension_ensure
from annotation.services.crowd import gateway_of_batch
from annotation.services.keeping_out import keep_out_ensure
from annotation.services.ledger import BatchStoppedError
from annotation.services.preflight import check_balance, check_limits, hits_unpublished, terms_of
from annotation.services.publisher import Publisher, PublishReport
from annotation.vocabulary import BatchState, HITState
from metrics.errors import InputError


def batch_publish(
    *, batch_id: int, actor: str, advance: Callable[[int], object] = lambda _n: None
) -> PublishReport:
    """Publish what is not published yet; may be called again, and by several at once.

    `advance` is called with 1 for each HIT that was dealt with. Raises `InputError` where nothing
    can go on before a person has acted; the ledger is right then, and the next call goes on.
    """
    batch = Batch.objects.get(pk=batch_id)
    if batch.state == BatchState.PUBLISHED:
        return PublishReport()
    gateway = gateway_of_batch(batch)
    check_limits(batch, terms_of(batch))
    check_balance(batch, gateway)
    _begin(batch, gateway, actor)
    keep_out_ensure(batch=batch, gateway=gateway)
    comprehension_ensure(batch=batch, gateway=gateway)
    hit_type_id = _hit_type(batch, gateway)
    publisher = Publisher(batch=batch, gateway=gateway, hit_type_id=hit_type_id)
    try:
        for hit in hits_unpublished(batch):
            publisher.publish(hit)
            advance(1)
        _finish(batch, publisher.report, actor)
    except BatchStoppedError:
        publisher.expire_last()
        raise
    finally:
        # Whatever ended it: what the HITs sent may cost is in the log.
        money_note(batch=batch, actor=actor, action="publishing interrupted", only_if_changed=True)
    return publisher.report


def _begin(batch: Batch, gateway: Gateway, actor: str) -> None:
    begun = Batch.objects.filter(pk=batch.pk, state=BatchState.DRAFT, endpoint="").update(
        state=BatchState.PUBLISHING, endpoint=gateway.endpoint
    )
    batch.refresh_from_db()
    if batch.state in (BatchState.STOPPED, BatchState.IMPORTED):
        raise InputError(
            f"the batch {batch.name!r} is {batch.get_state_display().lower()}.",
            remedy="Create another batch for what is still to be labelled.",
        )
    if begun:
        AuditEvent.objects.create(
            batch=batch, actor=actor, action="publishing begun", detail={"at": gateway.endpoint}
        )


def _hit_type(batch: Batch, gateway: Gateway) -> str:
    """The id of the batch's type; asking twice gives the same one."""
    if not batch.hit_type_id:
        batch.hit_type_id = gateway.create_hit_type(terms_of(batch))
        Batch.objects.filter(pk=batch.pk).update(hit_type_id=batch.hit_type_id)
    return batch.hit_type_id


def _finish(batch: Batch, report: PublishReport, actor: str) -> None:
    if batch.hits.exclude(state=HITState.PUBLISHED).exists():
        return
    finished = Batch.objects.filter(pk=batch.pk, state=BatchState.PUBLISHING).update(
        state=BatchState.PUBLISHED
    )
    if finished:
        detail = {"hits": report.published}
        money_note(batch=batch, actor=actor, action="published", detail=detail)
    elif Batch.objects.filter(pk=batch.pk, state=BatchState.STOPPED).exists():
        raise BatchStoppedError(f"the batch {batch.name!r} was stopped.")
