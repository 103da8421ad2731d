"""Votes for the categories, stored as tests need them."""

from collections.abc import Iterable
from typing import Any

from annotation.labels.operations.imports import record_votes
from annotation.models import Vote
from annotation.vocabulary import CATEGORY_QUESTION


def store_votes(votes: Iterable[tuple[Vote, str]], question: str = CATEGORY_QUESTION) -> None:
    """Store each vote with the category that it is for."""
    record_votes((vote, [(question, category)]) for vote, category in votes)


def store_vote(category: str, **values: Any) -> Vote:
    """Store one vote."""
    vote = Vote(**values)
    store_votes([(vote, category)])
    return vote
