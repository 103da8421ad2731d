"""Batches that come from files: what importing votes and importing labels have in common."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from annotation.models import AuditEvent, Batch, BatchQuery, Study
from annotation.vocabulary import AuditAction, BatchState, Environment
from metrics.errors import InputError

#: Rows written by one statement.
CHUNK = 2_000
LONGEST_ID = 200
_LONGEST_NAME = 100


class ImportedQuery(NamedTuple):
    """A query of a file; `gold` is its known category, or ""."""

    qid: str
    text: str
    gold: str = ""


def batch_name_check(*, name: str) -> None:
    """Raise `InputError` for a name that cannot be given to a new batch."""
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable() or "/" in name:
        raise InputError(
            f"{name!r} is no name for a batch.",
            remedy=f"Use up to {_LONGEST_NAME} printable characters without a slash.",
        )
    if Batch.objects.filter(name=name).exists():
        raise _name_taken(name)


def _name_taken(name: str) -> InputError:
    return InputError(f"a batch named {name!r} exists already.", remedy="Choose another name.")


def imported_batch_create(
    *,
    name: str,
    queries: Iterable[ImportedQuery],
    actor: str,
    action: AuditAction,
    detail: object,
    study: Study,
    queries_per_hit: int = 1,
) -> tuple[Batch, Sequence[BatchQuery]]:
    """A batch of the queries of a file, in the order of the file. Call it inside a transaction.

    `queries_per_hit` is 1 where the HITs are not known.
    """
    batch = Batch(
        name=name,
        study=study,
        environment=Environment.IMPORTED,
        state=BatchState.IMPORTED,
        queries_per_hit=queries_per_hit,
    )
    try:
        with transaction.atomic():
            batch.save(force_insert=True)
    except IntegrityError:
        # Somebody took the name since it was checked.
        raise _name_taken(name) from None
    stored = BatchQuery.objects.bulk_create(
        (
            BatchQuery(batch=batch, qid=one.qid, text=one.text, gold=one.gold, position=position)
            for position, one in enumerate(queries)
        ),
        batch_size=CHUNK,
    )
    AuditEvent.objects.create(batch=batch, actor=actor, action=action, detail=detail)
    return batch, stored
