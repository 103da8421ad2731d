"""Comparison of the ledger with the crowd service. Reads the service, changes nothing."""

from collections import defaultdict
from collections.abc import Iterator

from annotation.crowd.connection import batch_gateway
from annotation.crowd.gateway import CrowdHIT, Gateway
from annotation.models import Assignment, Batch
from annotation.vocabulary import HITState


def reconcile(*batches: Batch) -> dict[str, list[str]]:
    """Differences between the ledger of each batch and the crowd, by the batch's name.

    A HIT that was sent without a clear reply may exist or not; all others must exist once, as in
    the ledger, and those deleted there must be gone. The crowd may know more answers than were
    collected, never fewer. Its HITs are listed once, however many batches there are: all of them
    are on the crowd of this site, but for those that Prolific asks, which nobody else knows.
    """
    here = [batch for batch in batches if not batch.uses_task_builder]
    gateways = [batch_gateway(batch) for batch in here]
    listed: defaultdict[str, defaultdict[str, list[CrowdHIT]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for hit in gateways[0].list_hits() if gateways else ():
        batch_part = hit.annotation.rsplit(":", 2)[0]
        listed[batch_part][hit.annotation].append(hit)
    return {batch.name: [] for batch in batches} | {
        batch.name: list(_differences(batch, gateway, listed[f"fairpool:{batch.uid.hex}"]))
        for batch, gateway in zip(here, gateways, strict=True)
    }


def _differences(
    batch: Batch, gateway: Gateway, offered: dict[str, list[CrowdHIT]]
) -> Iterator[str]:
    collected = _collected(batch)
    for hit in batch.hits.order_by("index"):
        made = offered.pop(hit.annotation, [])
        if len(made) > 1:
            yield f"{hit.annotation} exists {len(made)} times"
        elif hit.disposed_at is not None:
            if made:
                yield f"{hit.annotation} was deleted, and the crowd still has it"
        elif hit.state == HITState.PUBLISHED:
            if [crowd_hit.hit_id for crowd_hit in made] != [hit.hit_id]:
                yield f"{hit.annotation} is published as {hit.hit_id}, the crowd does not have it"
            elif made[0].max_assignments != hit.max_assignments:
                yield (
                    f"{hit.annotation} asks for {made[0].max_assignments} answers, "
                    f"not for {hit.max_assignments}"
                )
            else:
                yield from _lost_answers(collected[hit.annotation], str(hit.hit_id), gateway)
        elif made and hit.state != HITState.SENT:
            yield f"{hit.annotation} is {hit.state}, but the crowd has it as {made[0].hit_id}"
    for annotation in offered:
        yield f"{annotation} exists, and the ledger does not know it"


def _collected(batch: Batch) -> defaultdict[str, set[tuple[str, str]]]:
    """Return the collected answers with their workers, by HIT, without those of erased people."""
    collected: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    answers = Assignment.objects.filter(hit__batch=batch, worker__is_erased=False)
    columns = ("hit__annotation", "assignment_id", "worker__worker_id")
    for annotation, assignment_id, worker_id in answers.values_list(*columns):
        collected[annotation].add((assignment_id, worker_id))
    return collected


def _lost_answers(known: set[tuple[str, str]], hit_id: str, gateway: Gateway) -> Iterator[str]:
    if not known:
        return
    there = {
        (assignment.assignment_id, assignment.worker_id)
        for assignment in gateway.assignments(hit_id)
    }
    for assignment_id, worker_id in sorted(known - there):
        yield (
            f"the answer {assignment_id} of {worker_id} was collected "
            "and is missing on the crowd service"
        )
