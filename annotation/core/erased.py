"""Workers whose personal data were deleted: their ids are unknown to any crowd."""

import hashlib

from annotation.models import Worker
from metrics.errors import InputError

#: Prefix of the ids of erased workers.
PREFIX = "erased-"
_DIGITS = 40


def erased_id(assignment_id: str) -> str:
    """Return the replacement of an answer's id, which still recognises it in the crowd's list.

    Otherwise the answer would be collected again as long as the crowd keeps it. Once the crowd has
    deleted it, nothing leads back: the crowd's ids are random, and cannot be guessed.
    """
    return PREFIX + hashlib.sha256(assignment_id.encode()).hexdigest()[:_DIGITS]


def check_is_known(worker: Worker) -> None:
    """Raise `InputError` for an erased worker, about whom the crowd cannot be asked."""
    if worker.is_erased:
        raise InputError(
            "the worker's personal data were deleted, so the crowd service no longer knows whom "
            "this is about.",
            remedy="Earlier decisions stay.",
        )
