"""Removes an earlier run of the demonstration."""

from django.db import transaction

from annotation.models import Batch, Study, Vote
from annotation.overview.operations.delete_removed import delete_study
from annotation.vocabulary import WorkerKind
from metrics.errors import InputError
from pooling.models import Pool


def sample_name(name: str) -> str:
    """Name of the drawn sample of the demonstration, and of the batch that asks for it."""
    return f"{name} sample"


@transaction.atomic
def remove_demo(*, name: str) -> None:
    """Remove the study, the batches and the pools of an earlier demonstration.

    `InputError` if people voted in it, or use the study.
    """
    names = (sample_name(name), name)
    votes = Vote.objects.filter(query__batch__name__in=names)
    if votes.exclude(worker__kind=WorkerKind.SIMULATED).exists():
        raise _in_use(f"the batch {name!r} holds votes of people.")
    study = Study.objects.filter(name=name).first()
    if study is not None and _is_of_people(study):
        raise _in_use(f"the study {name!r} has members, or batches of its own.")
    Batch.objects.filter(name__in=names).delete()
    Pool.objects.filter(name__in=names).delete()
    if study is not None:
        delete_study(study)


def _is_of_people(study: Study) -> bool:
    others = study.batches.exclude(name__in=(study.name, sample_name(study.name)))
    return study.members.exists() or study.invites.exists() or others.exists()


def _in_use(message: str) -> InputError:
    return InputError(
        message,
        remedy="Give the demonstration a data folder of its own: FAIRPOOL_DATA_DIR=demo-var.",
    )
