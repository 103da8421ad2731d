"""The crowd of a batch, and a gateway to it. A batch never changes its crowd."""

import json
from pathlib import Path

from django.conf import settings

from annotation.crowd.client import PRODUCTION, SANDBOX, KeyPair, connect
from annotation.crowd.elsewhere import NoCrowd
from annotation.crowd.errors import (
    CrowdAwayError,
    CrowdBusyError,
    CrowdRefusedError,
    OutcomeUnknownError,
)
from annotation.crowd.gateway import Gateway
from annotation.crowd.participants import Participants
from annotation.crowd.people import People
from annotation.models import HIT, Batch
from annotation.vocabulary import Environment, HITState
from metrics.errors import InputError

#: Errors that may pass: the crowd is down, or gave no usable reply.
TRY_LATER = (CrowdAwayError, CrowdBusyError, OutcomeUnknownError)
#: Where events of our HITs wait at our own crowd service.
QUEUE = "fairpool"


def environment_gateway(environment: str) -> Gateway:
    """Return a gateway to the crowd of `environment`; production only if settings allow it."""
    match environment:
        case Environment.LOCAL:
            gateway = _gateway(
                settings.MTURK_LOCAL_ENDPOINT, _local_key(settings.MTURK_LOCAL_KEY_FILE)
            )
            gateway.queue = QUEUE
            return gateway
        case Environment.SANDBOX:
            return _gateway(SANDBOX)
        case Environment.PRODUCTION if settings.MTURK_ALLOW_PRODUCTION:
            return _gateway(PRODUCTION)
        case Environment.PRODUCTION:
            raise InputError(
                "production spends real money and is switched off.",
                remedy="Set MTURK_ALLOW_PRODUCTION=1 once you have rehearsed everything.",
            )
    raise InputError(
        f"the environment {environment!r} has no crowd service.",
        remedy="An imported batch has all its answers; others are local, sandbox or production.",
    )


def people_at_local_crowd(most_seconds: float = float("inf")) -> People:
    """Return the client for annotators on our own crowd service. Amazon brings its workers itself.

    A call waits no longer than `most_seconds`, nor than the settings say.
    """
    return People(
        settings.MTURK_LOCAL_ENDPOINT,
        _local_key(settings.MTURK_LOCAL_KEY_FILE),
        timeout=min(most_seconds, settings.MTURK_TIMEOUT_SECONDS),
    )


def batch_people(batch: Batch) -> People:
    """Return the client for the batch's annotators; refuses a batch whose workers Amazon brings."""
    if batch.environment != Environment.LOCAL:
        raise InputError(
            f"the batch {batch.name!r} is not on our own crowd service: there are no invitations.",
            remedy="Workers of Mechanical Turk find HITs by themselves.",
        )
    # Follows the service to a new address.
    batch_gateway(batch)
    return people_at_local_crowd()


def _gateway(endpoint: str, key: KeyPair | None = None) -> Gateway:
    return Gateway(connect(endpoint, key, timeout=settings.MTURK_TIMEOUT_SECONDS))


def environment_participants(environment: str) -> Participants | None:
    """Return the panels of our own crowd service; None for others, which have none."""
    if environment != Environment.LOCAL:
        return None
    key = _local_key(settings.MTURK_LOCAL_KEY_FILE)
    timeout = settings.MTURK_TIMEOUT_SECONDS
    return Participants(settings.MTURK_LOCAL_ENDPOINT, key, timeout=timeout)


def batch_gateway(batch: Batch) -> Gateway:
    """Return a gateway to the crowd that has the batch's HITs; refuse any other one."""
    if batch.uses_task_builder:
        return NoCrowd()
    if batch.environment != settings.MTURK_ENVIRONMENT:
        raise InputError(
            f"the batch {batch.name!r} belongs to the environment {batch.environment}, "
            f"but MTURK_ENVIRONMENT is {settings.MTURK_ENVIRONMENT}.",
            remedy=f"Run the command with MTURK_ENVIRONMENT={batch.environment}.",
        )
    gateway = environment_gateway(batch.environment)
    if batch.endpoint and batch.endpoint != gateway.endpoint:
        _follow(batch, gateway)
    return gateway


def _follow(batch: Batch, gateway: Gateway) -> None:
    """Follow our own service to a new address; one of the batch's HITs identifies it."""
    hits = HIT.objects.filter(batch=batch).exclude(state=HITState.PLANNED)
    known = hits.filter(hit_id__isnull=False).first()
    if batch.environment != Environment.LOCAL or (hits.exists() and known is None):
        raise _other_endpoint(batch, gateway)
    if known is not None:
        try:
            annotation = gateway.get_hit(str(known.hit_id)).annotation
        except CrowdRefusedError:
            annotation = ""
        if annotation != known.annotation:
            raise _other_endpoint(batch, gateway)
    Batch.objects.filter(pk=batch.pk).update(endpoint=gateway.endpoint)
    batch.endpoint = gateway.endpoint


def _other_endpoint(batch: Batch, gateway: Gateway) -> InputError:
    return InputError(
        f"the batch {batch.name!r} was published to {batch.endpoint}, not to {gateway.endpoint}.",
        remedy="Set the environment and the endpoint back to those of the batch.",
    )


def _local_key(path: Path) -> KeyPair:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return KeyPair(held["access_key_id"], held["secret_access_key"])
    except FileNotFoundError:
        raise InputError(
            "there is no key pair of the local crowd service.",
            path=path,
            remedy="`crowd key` makes one; `serve` does so too.",
        ) from None
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "is not a key pair of the local crowd service.",
            path=path,
            remedy="Delete it; `crowd key` makes a new one.",
        ) from None
