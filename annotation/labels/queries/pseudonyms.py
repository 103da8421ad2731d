"""Names of a batch's workers, on pages and in every file that leaves the house."""

from collections import defaultdict

from django.conf import settings
from django.db.models import Q

from annotation.labels.export.pseudonyms import person, simulated
from annotation.models import Abstention, Batch, Vote, Worker
from annotation.vocabulary import WorkerKind


def worker_names(*, batch: Batch) -> dict[int, str]:
    """A name for each worker who worked on the batch, by primary key; two statements.

    People get a keyed pseudonym, simulated workers a number; a language model keeps its name,
    because which model it was is part of the result.
    """
    workers = Worker.objects.filter(
        Q(pk__in=Vote.objects.filter(query__batch=batch).values("worker"))
        | Q(pk__in=Abstention.objects.filter(query__batch=batch).values("worker"))
        | Q(assignments__hit__batch=batch)
    ).distinct()
    names = {
        worker.pk: person(worker.worker_id, key=settings.SECRET_KEY)
        if worker.kind == WorkerKind.HUMAN
        else worker.worker_id
        for worker in workers
    }
    return names | _numbered(batch)


def _numbered(batch: Batch) -> dict[int, str]:
    """Numbers for simulated workers, from all that they voted: also on checks, also set aside.

    So the number of a worker is the same in every file, whatever counts in it.
    """
    given: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    keys: dict[str, int] = {}
    rows = Vote.objects.filter(query__batch=batch, worker__kind=WorkerKind.SIMULATED)
    columns = rows.order_by().values_list(
        "worker_id", "worker__worker_id", "query__qid", "category"
    )
    for key, worker_id, qid, category in columns.iterator(20_000):
        keys[worker_id] = key
        given[worker_id].append((qid, category))
    return {keys[one]: name for one, name in simulated(given).items()}
