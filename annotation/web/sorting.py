"""Tables that are sorted by a click on a column's head, as kept in the address."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from annotation.core.names_sent import chosen
from annotation.core.ordering import ordered

Row = TypeVar("Row")
AnyModel = TypeVar("AnyModel", bound=Model)


class Column(NamedTuple):
    """A column's title and sort key; without a key it cannot be sorted by.

    The key is a function of the row, or for `sorted_query` the name of a field.
    """

    title: str
    key: Callable[[Any], Any] | str | None = None
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
    """Sort the rows by `?sort=`, `-` for descending, and return them with the heads.

    Unasked, the rows stay as they are. Numbers begin with the largest. The rest of the address
    stays, but for the page number.
    """
    by, is_descending = _order(request, columns)
    key = columns[by].key if by else None
    sorted_list = ordered(rows, key, is_descending=is_descending) if callable(key) else list(rows)
    return sorted_list, _heads(request, columns)


def sorted_query(
    request: HttpRequest, rows: QuerySet[AnyModel], columns: Mapping[str, Column]
) -> tuple[QuerySet[AnyModel], list[Head]]:
    """Sort rows of the database for a page; equal rows keep their usual order."""
    by, is_descending = _order(request, columns)
    if by:
        rows = rows.order_by(f"{'-' * is_descending}{columns[by].key}", *rows.query.order_by)
    return rows, _heads(request, columns)


def _order(request: HttpRequest, columns: Mapping[str, Column]) -> tuple[str, bool]:
    """The column that the address names, if it orders anything, and whether descending."""
    names = [name for name, column in columns.items() if column.key is not None]
    order = chosen(request.GET, "sort", [*names, *(f"-{name}" for name in names)])
    return order.removeprefix("-"), order.startswith("-")


def _heads(request: HttpRequest, columns: Mapping[str, Column]) -> list[Head]:
    by, is_descending = _order(request, columns)
    heads = []
    for name, column in columns.items():
        turned = not is_descending if name == by else column.is_number
        query = request.GET.copy()
        query.pop("page", None)
        query["sort"] = f"-{name}" if turned else name
        direction = ("descending" if is_descending else "ascending") if name == by else ""
        question = query.urlencode() if column.key is not None else ""
        heads.append(Head(column.title, column.is_number, direction, question))
    return heads
