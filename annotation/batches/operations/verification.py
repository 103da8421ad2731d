"""Verification of participants of panels, copied from the crowd service."""

from collections import defaultdict

from annotation.crowd.connection import environment_participants
from annotation.crowd.errors import CrowdStopError
from annotation.labels.operations.decide_again import LabelChanges, decide_again
from annotation.models import Batch, Labelling, Worker

_CHUNK = 500


def apply_panel_verdicts(*, batch: Batch, actor: str, votes_changed: bool = False) -> LabelChanges:
    """Store what panels said about participants, and decide labels again where that matters.

    Those of `batch` are decided again also if its votes changed. Labels of other batches with these
    participants follow as well; the changes in `batch` are returned.
    """
    changed = refresh_verifications(environment=batch.environment)
    answered = Batch.objects.filter(queries__votes__worker__in=changed)
    if votes_changed:
        answered |= Batch.objects.filter(pk=batch.pk)
    concerned = answered.distinct().order_by("pk")
    changes = {affected.pk: decide_again(batch=affected, actor=actor) for affected in concerned}
    is_decided = Labelling.objects.filter(batch=batch).exists()
    return changes.get(batch.pk, LabelChanges(is_decided))


def refresh_verifications(*, environment: str) -> list[int]:
    """Store whose identity is proved; return the keys of the workers for whom that changed."""
    service = environment_participants(environment)
    if service is None:
        return []
    by_verification: defaultdict[str, list[str]] = defaultdict(list)
    try:
        for worker_id, verification in service.verifications():
            by_verification[verification].append(worker_id)
    except CrowdStopError as error:
        if error.code not in {"404", "UnknownOperationException"}:
            raise
        return []  # another service, without panels
    changed: list[int] = []
    for verification, ids in by_verification.items():
        for start in range(0, len(ids), _CHUNK):
            others = Worker.objects.filter(
                environment=environment, worker_id__in=ids[start : start + _CHUNK]
            ).exclude(verification=verification)
            keys = list(others.values_list("pk", flat=True))
            Worker.objects.filter(pk__in=keys).update(verification=verification)
            changed += keys
    return changed
