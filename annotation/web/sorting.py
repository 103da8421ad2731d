"""Tables that are ordered by a click on a head, and keep that in the address."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.http import HttpRequest

Row = TypeVar("Row")


class Column(NamedTuple):
    """What a table can be ordered by: its title, and what of a row decides."""

    title: str
    key: Callable[[Any], Any]
    is_number: bool = False


class Head(NamedTuple):
    """The head of a column: `direction` as in `aria-sort`, `question` of the next address."""

    title: str
    is_number: bool
    direction: str
    question: str


def sorted_rows(
    request: HttpRequest, rows: Sequence[Row], columns: Mapping[str, Column]
) -> tuple[list[Row], list[Head]]:
    """The rows as `?sort=` asks, `-` for descending, and the heads; unasked, as they are.

    Numbers begin with the largest. The rest of the address stays; the page begins anew.
    """
    order = request.GET.get("sort", "")
    by, descending = order.removeprefix("-"), order.startswith("-")
    ordered = list(rows)
    if by in columns:
        ordered.sort(key=columns[by].key, reverse=descending)
    heads = []
    for name, column in columns.items():
        turned = not descending if name == by else column.is_number
        asked = request.GET.copy()
        asked.pop("page", None)
        asked["sort"] = f"-{name}" if turned else name
        direction = ("descending" if descending else "ascending") if name == by else ""
        heads.append(Head(column.title, column.is_number, direction, asked.urlencode()))
    return ordered, heads
