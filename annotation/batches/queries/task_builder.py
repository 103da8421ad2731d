"""A batch, or a scheme with items, as Prolific's Task Builder takes it: data set and layout.

What cannot be shown there is refused, or left out and named, before anything is made.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from annotation.core.csv_rows import csv_text
from annotation.models import Batch, HITQuery
from annotation.schemes import About, Scheme
from annotation.schemes.formats.task_builder import (
    GROUP,
    PASSAGE,
    QUERY,
    layout_of,
    layout_text,
    not_shown,
)
from metrics.errors import InputError
from metrics.votes.files.formats.task_builder import ITEM

#: Names of the two files.
ITEMS_FILE, LAYOUT_FILE = "items.csv", "layout.json"


@dataclass(frozen=True)
class BuilderTasks:
    """The rows of a data set, the layout that shows them, and what is left out, in words."""

    rows: Sequence[Mapping[str, str]]
    layout: dict[str, Any]
    left_out: Sequence[str]

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the data set."""
        schema: dict[str, Any] = self.layout["schema"]
        return schema

    @property
    def csv(self) -> str:
        """The data set as a file."""
        columns = [*self.schema["fields"]]
        return csv_text([columns, *([row[name] for name in columns] for row in self.rows)])

    @property
    def text(self) -> str:
        """The layout as text to paste."""
        return layout_text(self.layout)

    @property
    def n_groups(self) -> int:
        """The number of submissions in which everything is answered once; 0 without groups."""
        return len({row[GROUP] for row in self.rows if GROUP in row})


def tasks_of(
    scheme: Scheme, items: Iterable[Mapping[str, str]], *, together: int = 0,
    notices: tuple[str, ...] = (), left_out: Sequence[str] = (),
) -> BuilderTasks:  # fmt: skip
    """The tasks of asking `scheme` about `items`, which have an id, a query and maybe a passage.

    With `together` each person does so many, in the order of the items; items may name their group
    themselves.
    """
    rows = [dict(item) for item in items]
    if not rows:
        raise InputError("there is nothing to ask about.", remedy="Give queries.")
    if together:
        rows = [row | {GROUP: group_name(place // together)} for place, row in enumerate(rows)]
    for row in rows:
        _check_item(scheme, row)
    layout = layout_of(scheme, is_grouped=GROUP in rows[0], notices=notices)
    return BuilderTasks(rows, layout, [*not_shown(scheme), *left_out])


def batch_tasks(*, batch: Batch) -> BuilderTasks:
    """The tasks of a batch: a group is a HIT. `InputError` names what cannot be asked there."""
    _check_terms(batch)
    places = HITQuery.objects.filter(hit__batch=batch).select_related("query")
    rows = (
        {ITEM: place.query.qid, QUERY: place.query.text, GROUP: group_name(place.index)}
        | ({PASSAGE: place.query.passage} if place.query.passage else {})
        for place in places.annotate(index=F("hit__index")).order_by("hit__index", "place")
    )
    notices = tuple(filter(None, (batch.consent.strip(), _contact(batch))))
    return tasks_of(batch.scheme, rows, notices=notices, left_out=_gold_note(batch))


def parts_left_out(*, batch: Batch) -> list[str]:
    """Parts of a batch that the Task Builder leaves out, in words; none of other batches.

    `InputError` names what cannot be asked there.
    """
    if not batch.uses_task_builder:
        return []
    _check_terms(batch)
    layout_of(batch.scheme)
    return [*not_shown(batch.scheme), *_gold_note(batch)]


def left_out_fact(*, batch: Batch) -> tuple[tuple[str, str], ...]:
    """These parts as a fact for people who are about to agree; errors as of `parts_left_out`."""
    parts = parts_left_out(batch=batch)
    return (("Left out at Prolific", "\n".join(parts)),) if parts else ()


def group_name(index: int) -> str:
    """The name of the group of items that the HIT with this place in a batch has."""
    return f"group {index + 1}"


def _check_terms(batch: Batch) -> None:
    refused = [
        words
        for is_wanted, words in (
            (batch.comprehension, "the test before the first task"),
            (hasattr(batch, "adaptive_policy"), "adaptive votes"),
            (any(batch.conditions.values()), "conditions of workers (Prolific has filters)"),
            (batch.suggested_by, "a model's suggestions"),
        )
        if is_wanted
    ]
    if refused:
        raise InputError(
            f"Prolific's Task Builder has no {', no '.join(refused)}.",
            remedy="Ask this batch elsewhere, or make one without.",
        )


def _gold_note(batch: Batch) -> list[str]:
    has_gold = batch.queries.exclude(gold="").exists()
    return (
        ["Gold questions are asked like others: nobody sees the right answer."] if has_gold else []
    )


def _contact(batch: Batch) -> str:
    return f"Questions? Write to {batch.contact}." if batch.contact.strip() else ""


def _check_item(scheme: Scheme, row: Mapping[str, str]) -> None:
    if bool(row.get(PASSAGE)) != (scheme.about == About.PASSAGE):
        raise InputError(
            f"the scheme is about {scheme.item_noun}s, but {row[ITEM]!r} is not one.",
            remedy="Choose a scheme about what the pool holds.",
        )
