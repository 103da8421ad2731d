"""The operations of the API, one function each; importing this package fills the registry."""

from mturk_local.operations import (
    account,
    assignments,
    hit_types,
    hits,
    notifications,
    qualification_types,
    qualifications,
    reviews,
    workers,
)
from mturk_local.operations.registry import Call, operations

__all__ = [
    "Call",
    "account",
    "assignments",
    "hit_types",
    "hits",
    "notifications",
    "operations",
    "qualification_types",
    "qualifications",
    "reviews",
    "workers",
]
