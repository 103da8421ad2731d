"""Workers whose personal data were deleted: no crowd knows them by their id."""

import hashlib

from annotation.models import Worker
from metrics.errors import InputError

#: Ids that stand for erased workers begin so.
PREFIX = "erased-"
_DIGITS = 40


def erased_id(assignment_id: str) -> str:
    """Replacement of the crowd's id of an answer: enough to know it again in the crowd's list.

    As long as the crowd keeps the answer, it would come in again otherwise. Once the crowd has
    deleted it, nothing leads back: the crowd's ids are random, and cannot be tried out.
    """
    return PREFIX + hashlib.sha256(assignment_id.encode()).hexdigest()[:_DIGITS]


def check_is_known(worker: Worker) -> None:
    """Raise `InputError` for whom the crowd cannot be asked about any more."""
    if worker.is_erased:
        raise InputError(
            "the worker's personal data were deleted: the crowd cannot be told about them.",
            remedy="What was decided before stays.",
        )
