"""Data frames that hold several systems, as PyTerrier and ir_measures concatenate them."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import InputError
from .columns import as_frame, is_frame
from .run import check_run_name

#: Columns that name the system of a row; a document may have a `name`, too.
_SYSTEMS = ("run", "system", "name", "tag")


class SystemRows(dict[str, list[Any]]):
    """The columns of a frame, with the rows of one system."""


def systems_in(source: Any) -> dict[str, SystemRows]:
    """The rows of each system of a frame, by its name; nothing where it holds one alone.

    A column `name` that has another value in each row names documents. Raises `InputError` where
    two columns name systems otherwise.
    """
    table = as_frame(source) if _may_name_systems(source) else None
    if table is None:
        return {}
    named = {name: _names(table[name]) for name in _SYSTEMS if name in table}
    several = {name: values for name, values in named.items() if _are_systems(name, values)}
    if not several:
        return {}
    column, names = next(iter(several.items()))
    for other, values in several.items():
        if len(set(zip(names, values, strict=True))) > len(set(names)):
            raise InputError(
                f"the frame names systems by the columns {column} and {other}.",
                remedy=f"Leave one of them out: frame.drop(columns={other!r}).",
            )
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(check_run_name(name), []).append(place)
    return {
        name: SystemRows({key: [values[row] for row in rows] for key, values in table.items()})
        for name, rows in places.items()
    }


def _may_name_systems(source: Any) -> bool:
    """Return whether a frame has such a column, as far as that is known without computing it."""
    if not is_frame(source):
        return False
    names = getattr(source, "column_names", None)
    if names is None and type(source).__name__ != "LazyFrame":
        names = getattr(source, "columns", None)
    return names is None or not {str(name) for name in names}.isdisjoint(_SYSTEMS)


def _names(values: Iterable[Any]) -> Sequence[str]:
    return ["" if value is None else str(value) for value in values]


def _are_systems(column: str, names: Sequence[str]) -> bool:
    n_different = len(set(names))
    return n_different > 1 and (column != "name" or n_different < len(names))
