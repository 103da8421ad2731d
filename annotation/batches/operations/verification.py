"""What the crowd service says about participants of panels, brought over."""

from collections import defaultdict

from annotation.crowd.connection import environment_participants
from annotation.crowd.errors import CrowdStopError
from annotation.models import Worker

_CHUNK = 500


def verifications_refresh(*, environment: str) -> list[int]:
    """Store whose identity is proved by now; the keys of the workers for whom that changed."""
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
        return []  # another service than ours, which has no panels
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
