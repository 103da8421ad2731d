"""Answers to a scheme, stored as rows."""

from collections.abc import Mapping, Sequence

from annotation.crowd.answers import storable
from annotation.models import SchemeVote
from annotation.schemes import Kind, Scheme
from annotation.task_page import SchemeAnswer


def scheme_votes_store(
    scheme: Scheme,
    queries: Sequence[int],
    answers: Sequence[tuple[SchemeAnswer, int, int]],
) -> int:
    """Store the rows of each (answer, assignment, worker) on the HIT's `queries`; their number.

    Of a worker the first answer to a query is kept, whole: rows of one answer never mix with those
    of another. The HIT's row is locked by the caller, so that two collectors agree which is first.
    """
    first = dict[tuple[int, int], int | None]()
    of_workers = SchemeVote.objects.filter(
        query__in=queries, worker__in={worker for _answer, _assignment, worker in answers}
    )
    for query, worker, assignment in of_workers.order_by().values_list(
        "query_id", "worker_id", "assignment_id"
    ):
        first[query, worker] = assignment
    rows = []
    for answer, assignment, worker in answers:
        for query, codes, texts in zip(queries, answer.codes, answer.texts, strict=False):
            if (codes or texts) and first.setdefault((query, worker), assignment) == assignment:
                rows += _rows(scheme, codes, texts, (query, assignment, worker))
    SchemeVote.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def _rows(
    scheme: Scheme,
    codes: Mapping[str, frozenset[str]],
    texts: Mapping[str, str],
    key: tuple[int, int, int],
) -> list[SchemeVote]:
    query, assignment, worker = key
    of = {"query_id": query, "assignment_id": assignment, "worker_id": worker}
    chosen = [
        SchemeVote(
            **of, question=name, option=code, is_sole=scheme.question(name).kind != Kind.MULTI
        )
        for name, given in codes.items()
        for code in sorted(given)
    ]
    free = [
        SchemeVote(**of, question=name, text=storable(text), is_sole=True)
        for name, text in texts.items()
    ]
    return chosen + free
