"""Marks of states on pages: a colour and a sign for each."""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from django.db.models import TextChoices

from annotation.vocabulary import BatchState

State = TypeVar("State", bound=TextChoices)
Row = TypeVar("Row")


class Mark(NamedTuple):
    """A mark: `icon` of `icons.svg`, and the `data-tone` of its colour, "" for that of text."""

    icon: str
    tone: str = ""


def for_each(states: type[State], rows: Mapping[State, Row]) -> Mapping[State, Row]:
    """The rows, one of each state. A state without one is found when the program starts."""
    if missing := [state for state in states if state not in rows]:
        raise RuntimeError(f"nothing says how {missing[0]!r} is shown")
    return rows


BATCH_MARKS = for_each(
    BatchState,
    {
        BatchState.DRAFT: Mark("pencil"),
        BatchState.PUBLISHING: Mark("activity", "accent"),
        BatchState.PUBLISHED: Mark("activity", "accent"),
        BatchState.STOPPED: Mark("ban", "warn"),
        BatchState.IMPORTED: Mark("circle-check", "good"),
    },
)
