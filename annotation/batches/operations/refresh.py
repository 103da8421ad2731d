"""Refresh our copy of the crowd service's data on a batch: its channels, and messages."""

from contextlib import suppress
from datetime import timedelta

import structlog
from django.db.models import Max, Q
from django.utils import timezone

from annotation.batches.operations.channels import batch_channels, batch_inquiries, has_channels
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.crowd.errors import CrowdError, CrowdStopError
from annotation.models import Batch, CrowdSnapshot
from annotation.vocabulary import Environment
from metrics.errors import InputError

log = structlog.get_logger(__name__)

#: Age after which a copy is refreshed while people may work on the batch.
_SOON = timedelta(seconds=30)
#: Age after which it is refreshed later: people erased at the crowd service are erased here.
_A_DAY = timedelta(days=1)


class Refresh(Operation[Batch, NoParameters]):
    """Read the invitations of a batch, who came by them, and its messages from the crowd service.

    Pages and the API name the time of the last reading.
    """

    name = "refresh"
    path = "refresh"
    title = "Refresh"
    button = "Refresh"
    subject = Batch
    parameters = NoParameters
    states = PUBLIC_STATES

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        if not has_channels(subject):
            raise InputError("a batch that is not on our own crowd service has no invitations.")
        take_snapshot(subject)
        return Result(message="Refreshed.")


REFRESH = Refresh()


def take_snapshot(batch: Batch) -> None:
    """Store the crowd service's current data on the batch."""
    at = timezone.now()
    read = {
        "channels": [channel.own for channel in batch_channels(batch)],
        "inquiries": [inquiry.wire for inquiry in batch_inquiries(batch)],
    }
    CrowdSnapshot.objects.update_or_create(batch=batch, defaults={"at": at, **read})


def snapshot_after(batch: Batch) -> None:
    """Take a snapshot after a change at the service; if the service fails, the change stands."""
    with suppress(CrowdError):
        take_snapshot(batch)


def snapshots_take_due() -> None:
    """Refresh the due data of every batch; ends where the crowd service does not answer."""
    now = timezone.now()
    is_open = Q(last_expiry__gt=now - _A_DAY, crowd_snapshot__at__lte=now - _SOON)
    due = (
        Batch.objects.filter(environment=Environment.LOCAL, state__in=PUBLIC_STATES)
        .exclude(endpoint="")
        .annotate(last_expiry=Max("hits__expires_at"))
        .filter(Q(crowd_snapshot=None) | Q(crowd_snapshot__at__lte=now - _A_DAY) | is_open)
        .order_by("crowd_snapshot__at")
    )
    for batch in due:
        try:
            take_snapshot(batch)
        except CrowdStopError:
            return
        except InputError as error:
            log.warning("no invitations and messages", batch=batch.pk, why=error.message)
