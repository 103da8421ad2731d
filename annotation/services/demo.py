"""Clears the way for another run of the demonstration."""

from django.db import transaction

from annotation.models import Batch, Vote
from annotation.vocabulary import WorkerKind
from metrics.errors import InputError
from pooling.models import Pool


@transaction.atomic
def demo_remove(*, name: str) -> None:
    """Remove the batch and the pool of an earlier demonstration, unless people voted in it."""
    votes = Vote.objects.filter(query__batch__name=name)
    if votes.exclude(worker__kind=WorkerKind.SIMULATED).exists():
        raise InputError(
            f"the batch {name!r} holds votes of people.",
            remedy="Give the demonstration a data folder of its own: FAIRPOOL_DATA_DIR=demo-var.",
        )
    Batch.objects.filter(name=name).delete()
    Pool.objects.filter(name=name).delete()
