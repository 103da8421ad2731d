"""Names of a batch's workers, on pages and in every file that leaves the house."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.labels.export.pseudonyms import person, simulated
from annotation.models import Abstention, Assignment, Batch, SchemeVote, Vote, Worker
from annotation.vocabulary import Category, WorkerKind

_CATEGORIES = {code: number for number, code in enumerate(sorted(Category.values))}
#: Of so many queries the votes of all simulated workers are read, to tell the workers apart.
_FIRST_QUERIES = 200


def worker_names(*, batch: Batch) -> dict[int, str]:
    """A name for each worker who worked on the batch, by primary key; at most three statements.

    People get a keyed pseudonym, simulated workers a number; a language model keeps its name,
    because which model it was is part of the result.
    """
    mine = {"worker": OuterRef("pk")}
    workers = Worker.objects.filter(
        Exists(Assignment.objects.filter(hit__batch=batch, **mine))
        | Exists(Vote.objects.filter(query__batch=batch, **mine))
        | Exists(Abstention.objects.filter(query__batch=batch, **mine))
        | Exists(SchemeVote.objects.filter(query__batch=batch, **mine))
    )
    names = {
        worker.pk: person(worker.worker_id, key=settings.SECRET_KEY)
        if worker.kind == WorkerKind.HUMAN
        else worker.worker_id
        for worker in workers
    }
    found = [worker for worker in workers if worker.kind == WorkerKind.SIMULATED]
    return names | _numbered(batch, found) if found else names


def _numbered(batch: Batch, workers: Iterable[Worker]) -> dict[int, str]:
    """Numbers for simulated workers, from all that they voted: also on checks, also discarded.

    So the number of a worker is the same in every file, whatever counts in it. Their votes on the
    first queries tell nearly all of them apart; all votes are read only of those who are alike.
    """
    if batch.has_scheme:
        return _numbered_by_answers(batch, workers)
    votes = Vote.objects.filter(query__batch=batch, worker__kind=WorkerKind.SIMULATED).order_by()
    # A vote is one number that is ordered as its (qid, category) is, and much quicker to sort.
    queries = sorted(batch.queries.order_by().values_list("qid", "pk"))
    place = {pk: number * len(_CATEGORIES) for number, (_, pk) in enumerate(queries)}
    first = _read(votes.filter(query__in=[pk for _, pk in queries[:_FIRST_QUERIES]]), place)
    begins = {
        # Whatever follows is larger than any of these.
        worker: (*sorted(first[worker]), *[math.inf] * (n_votes > len(first[worker])))
        for worker, n_votes in votes.values_list("worker").annotate(n_votes=Count("pk"))
    }
    how_often = Counter(begins.values())
    alike = [worker for worker, begin in begins.items() if how_often[begin] > 1]
    orders = begins | (_read(votes.filter(worker__in=alike), place) if alike else {})
    ids = {worker.pk: worker.worker_id for worker in workers}
    numbers = simulated({ids[worker]: order for worker, order in orders.items()})
    return {worker: numbers[ids[worker]] for worker in orders}


def _numbered_by_answers(batch: Batch, workers: Iterable[Worker]) -> dict[int, str]:
    """As `_numbered`, from all that they answered to the questions of a scheme."""
    ids = {worker.pk: worker.worker_id for worker in workers}
    given: dict[str, list[tuple[str, ...]]] = {name: [] for name in ids.values()}
    answers = SchemeVote.objects.filter(query__batch=batch, worker__in=ids).order_by()
    for worker, *answer in answers.values_list(
        "worker_id", "query__qid", "question", "option", "text"
    ).iterator(20_000):
        given[ids[worker]].append(tuple(answer))
    numbers = simulated(given)
    return {worker: numbers[name] for worker, name in ids.items()}


def _read(votes: QuerySet[Vote], place: Mapping[int, int]) -> defaultdict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for worker, query, category in votes.values_list("worker_id", "query_id", "category").iterator(
        20_000
    ):
        found[worker].append(place[query] + _CATEGORIES[category])
    return found
