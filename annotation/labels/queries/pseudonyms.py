"""Names of a batch's workers, on pages and in every file that leaves the house."""

from collections import defaultdict
from collections.abc import Iterable

from django.conf import settings
from django.db.models import Q

from annotation.labels.export.pseudonyms import person, simulated
from annotation.models import Abstention, Batch, Vote, Worker
from annotation.vocabulary import Category, WorkerKind

_CATEGORIES = {code: number for number, code in enumerate(sorted(Category.values))}


def worker_names(*, batch: Batch) -> dict[int, str]:
    """A name for each worker who worked on the batch, by primary key; at most three statements.

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
    found = [worker for worker in workers if worker.kind == WorkerKind.SIMULATED]
    return names | _numbered(batch, found) if found else names


def _numbered(batch: Batch, workers: Iterable[Worker]) -> dict[int, str]:
    """Numbers for simulated workers, from all that they voted: also on checks, also set aside.

    So the number of a worker is the same in every file, whatever counts in it.
    """
    keys = {worker.worker_id: worker.pk for worker in workers}
    ids = {key: worker_id for worker_id, key in keys.items()}
    # A vote is one number that is ordered as its (qid, category) is, and much quicker to sort.
    queries = sorted(batch.queries.order_by().values_list("qid", "pk"))
    place = {pk: number * len(_CATEGORIES) for number, (_, pk) in enumerate(queries)}
    rows = Vote.objects.filter(query__batch=batch, worker__kind=WorkerKind.SIMULATED).order_by()
    given: defaultdict[str, list[int]] = defaultdict(list)
    for key, query, category in rows.values_list("worker_id", "query_id", "category").iterator(
        20_000
    ):
        given[ids[key]].append(place[query] + _CATEGORIES[category])
    return {keys[one]: name for one, name in simulated(given).items()}
