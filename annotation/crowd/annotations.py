"""Annotations that a batch's HITs carry at the crowd, by which they are told from all others."""

import uuid


def requester_annotation(*, uid: uuid.UUID, index: int, attempt: int) -> str:
    """Annotation kept with the HIT at the crowd, so that it can be found without its id."""
    return f"{batch_annotation(uid)}{index}:{attempt}"


def batch_annotation(uid: uuid.UUID) -> str:
    """Prefix of the annotations of the HITs of the batch `uid`, and of no others."""
    return f"fairpool:{uid.hex}:"
