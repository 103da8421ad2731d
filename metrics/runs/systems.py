"""Data frames that hold several systems, as PyTerrier and ir_measures concatenate them."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..io.headers import normal
from ..io.ids import some
from .columns import DOCNO_NAMES, QID_NAMES, as_frame, is_frame
from .run import check_run_name

#: Columns that name the system of a row; a document may have a `name`, too.
_SYSTEMS = (
    *("run", "system", "name", "tag", "run_id", "runid", "run_name", "run_tag", "runtag"),
    *("system_id", "system_name", "submission"),
)
#: Columns that may, or say of what one fused ranking was made.
_PERHAPS = ("model", "model_name", "method", "retriever", "ranker", "algorithm", "pipeline")


class SystemRows(dict[str, list[Any]]):
    """The columns of a frame, with the rows of one system."""


def systems_in(source: Any) -> dict[str, SystemRows]:
    """The rows of each system of a frame, by its name; nothing where it holds one alone.

    A column `name` that has another value in each row names documents. One such as `model` names
    systems where a query has a document twice, or a rank; else a warning says that it was not
    looked at. Raises `InputError` where two columns name systems otherwise.
    """
    table = as_frame(source) if _may_name_systems(source) else None
    if table is None:
        return {}
    column_of = {normal(name): name for name in reversed(list(table))}
    named = {
        column_of[name]: _names(table[column_of[name]]) for name in _SYSTEMS if name in column_of
    }
    several = {name: values for name, values in named.items() if _are_systems(name, values)}
    if not several:
        several = _perhaps(table, column_of)
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
    return names is None or not {normal(str(name)) for name in names}.isdisjoint(
        (*_SYSTEMS, *_PERHAPS)
    )


def _perhaps(
    table: Mapping[str, list[Any]], column_of: Mapping[str, str]
) -> dict[str, Sequence[str]]:
    """The first column that may name systems, if it does."""
    for column in (column_of[name] for name in _PERHAPS if name in column_of):
        names = _names(table[column])
        if len(set(names)) <= 1:
            continue
        if any(_comes_twice(table, known) for known in (DOCNO_NAMES, ("rank",))):
            return {column: names}
        warnings.warn(
            f"the column {column} has several values ({some(names)}), but the frame is measured "
            "as one ranking. If they are systems, name the column run.",
            stacklevel=7,
        )
    return {}


def _comes_twice(table: Mapping[str, list[Any]], known: Sequence[str]) -> bool:
    """Return whether a query has two rows of one value in such a column."""
    columns = [next((table[n] for n in names if n in table), None) for names in (QID_NAMES, known)]
    if columns[0] is None or columns[1] is None:
        return False
    rows = list(zip(*columns, strict=True))
    return len(set(rows)) < len(rows)


def _names(values: Iterable[Any]) -> Sequence[str]:
    return ["" if value is None else str(value) for value in values]


def _are_systems(column: str, names: Sequence[str]) -> bool:
    n_different = len(set(names))
    return n_different > 1 and (normal(column) != "name" or n_different < len(names))
