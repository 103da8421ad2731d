"""Annotations of a batch's HITs at the crowd, which identify them."""

import uuid


def requester_annotation(*, uid: uuid.UUID, index: int, attempt: int) -> str:
    """Annotation kept with the HIT at the crowd, so that it can be found without its id."""
    return f"{batch_annotation(uid)}{index}:{attempt}"


def batch_annotation(uid: uuid.UUID) -> str:
    """Return the prefix of the annotations of the batch `uid`, unique to it."""
    return f"fairpool:{uid.hex}:"
