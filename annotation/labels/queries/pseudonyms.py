"""Names of a batch's workers, on pages and in exported files."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.labels.export.pseudonyms import person, simulated
from annotation.models import Assignment, Batch, Choice, Vote, Worker
from annotation.vocabulary import WorkerKind

#: Place of a query, question, option and text: an answer, ordered as its query's id is.
_Answer = tuple[Any, ...]
#: Larger than every answer.
_LAST: _Answer = (math.inf,)
#: Number of queries whose answers are read to distinguish simulated workers.
_FIRST_QUERIES = 200


def worker_names(*, batch: Batch) -> dict[int, str]:
    """A name for each worker who worked on the batch, by primary key; at most three statements.

    People get a keyed pseudonym, simulated workers a number; a language model keeps its name, which
    is part of the result.
    """
    mine = {"worker": OuterRef("pk")}
    workers = Worker.objects.filter(
        Exists(Assignment.objects.filter(hit__batch=batch, **mine))
        | Exists(Vote.objects.filter(query__batch=batch, **mine))
    )
    names = {
        worker.pk: person(worker.worker_id, key=settings.SECRET_KEY)
        if worker.kind == WorkerKind.HUMAN
        else worker.worker_id
        for worker in workers
    }
    simulated = [worker for worker in workers if worker.kind == WorkerKind.SIMULATED]
    return names | _numbered(batch, simulated) if simulated else names


def _numbered(batch: Batch, workers: Iterable[Worker]) -> dict[int, str]:
    """Number simulated workers by all their answers, discarded and gold ones included.

    So a worker's number is the same in every file. Answers on the first queries distinguish nearly
    all of them; the others' answers are all read.
    """
    ids = {worker.pk: worker.worker_id for worker in workers}
    choices = Choice.objects.filter(
        vote__query__batch=batch, vote__worker__kind=WorkerKind.SIMULATED
    ).order_by()
    queries = sorted(batch.queries.order_by().values_list("qid", "pk"))
    place = {pk: number for number, (_, pk) in enumerate(queries)}
    first = _read(choices.filter(vote__query__in=[pk for _, pk in queries[:_FIRST_QUERIES]]), place)
    begins = {
        # Everything that follows is larger than any of these.
        worker: (*sorted(first[worker]), *[_LAST] * (n_choices > len(first[worker])))
        for worker, n_choices in choices.values_list("vote__worker").annotate(n=Count("pk"))
    }
    how_often = Counter(begins.values())
    alike = [worker for worker, begin in begins.items() if how_often[begin] > 1]
    orders: dict[int, Sequence[_Answer]] = {worker: begins.get(worker, [_LAST]) for worker in ids}
    if alike:
        orders |= _read(choices.filter(vote__worker__in=alike), place)
    numbers = simulated({ids[worker]: order for worker, order in orders.items()})
    return {worker: numbers[name] for worker, name in ids.items()}


def _read(choices: QuerySet[Choice], place: Mapping[int, int]) -> defaultdict[int, list[_Answer]]:
    answers: defaultdict[int, list[_Answer]] = defaultdict(list)
    for worker, query, *answer in choices.values_list(
        "vote__worker_id", "vote__query_id", "question", "option", "text"
    ).iterator(20_000):
        answers[worker].append((place[query], *answer))
    return answers
