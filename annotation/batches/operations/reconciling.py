"""Whether the ledger and the crowd tell the same story. Reads the crowd, changes nothing."""

from collections import defaultdict
from collections.abc import Iterator

from annotation.crowd.connection import gateway_of_batch
from annotation.crowd.gateway import CrowdHIT, Gateway
from annotation.models import Assignment, Batch
from annotation.vocabulary import HITState


def batch_reconcile(*, batch: Batch) -> list[str]:
    """What the ledger of `batch` and its crowd disagree on; empty if they agree.

    A HIT that was sent without a clear reply may exist or not; all others must be as the ledger
    says, once. The crowd may know more answers than were collected, never fewer.
    """
    return list(_differences(batch, gateway_of_batch(batch)))


def _differences(batch: Batch, gateway: Gateway) -> Iterator[str]:
    offered: defaultdict[str, list[CrowdHIT]] = defaultdict(list)
    for found in gateway.list_hits():
        if found.annotation.startswith(f"fairpool:{batch.uid.hex}:"):
            offered[found.annotation].append(found)
    for hit in batch.hits.order_by("index"):
        made = offered.pop(hit.annotation, [])
        if len(made) > 1:
            yield f"{hit.annotation} exists {len(made)} times"
        elif hit.state == HITState.PUBLISHED:
            if [one.hit_id for one in made] != [hit.hit_id]:
                yield f"{hit.annotation} is published as {hit.hit_id}, the crowd does not have it"
            elif made[0].max_assignments != hit.max_assignments:
                yield (
                    f"{hit.annotation} asks for {made[0].max_assignments} answers, "
                    f"not for {hit.max_assignments}"
                )
            else:
                yield from _lost_answers(str(hit.hit_id), gateway)
        elif made and hit.state != HITState.SENT:
            yield f"{hit.annotation} is {hit.state}, but the crowd has it as {made[0].hit_id}"
    for annotation in offered:
        yield f"{annotation} exists, and the ledger does not know it"


def _lost_answers(hit_id: str, gateway: Gateway) -> Iterator[str]:
    known = set(
        Assignment.objects.filter(hit__hit_id=hit_id, worker__forgotten=False).values_list(
            "assignment_id", "worker__worker_id"
        )
    )
    there = {(one.assignment_id, one.worker_id) for one in gateway.assignments(hit_id)}
    for assignment_id, worker_id in sorted(known - there):
        yield f"the answer {assignment_id} of {worker_id} was collected, and the crowd has it not"
