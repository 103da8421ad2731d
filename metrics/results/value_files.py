"""Values per query as `fairpool measure --per-query` writes them, in CSV or Parquet."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io.csv_tables import named_rows
from ..io.files import checked_path
from ..io.parquet_tables import is_parquet, parquet_table

#: Measure, magnitude ("" for none) and cut-off.
View = tuple[str, str, str]
#: By view, run and query; NaN where a value is undefined.
Values = Mapping[View, Mapping[str, Mapping[str, float]]]

_COLUMNS = ("run", "qid", "measure", "magnitude", "cutoff", "value")
_SHAPE = "Give what `fairpool measure --per-query` writes, in CSV or Parquet."


def read_values(path: str | Path) -> Values:
    """The values of a file; `InputError` for another one, and for a query that comes twice."""
    path = checked_path(path, "the values")
    values: dict[View, dict[str, dict[str, float]]] = {}
    for line, row in _rows(path):
        view = (str(row["measure"]), str(row["magnitude"] or ""), str(row["cutoff"] or ""))
        of_run = values.setdefault(view, {}).setdefault(str(row["run"]), {})
        if (qid := str(row["qid"])) in of_run:
            raise InputError(
                f"has the query {qid!r} twice for {row['run']} and {view_text(view)}.",
                path=path,
                line=line,
            )
        of_run[qid] = _number(row["value"], path, line)
    if not values:
        raise InputError("has no values.", path=path, remedy=_SHAPE)
    return values


def view_text(view: View) -> str:
    """A measure with its magnitude and cut-off, as messages and tables name it."""
    measure, magnitude, cutoff = view
    return f"{measure}{f' ({magnitude})' if magnitude else ''}{f'@{cutoff}' if cutoff else ''}"


def _rows(path: Path) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    if not is_parquet(path):
        yield from named_rows(path, _COLUMNS, _SHAPE)
        return

    def choose(names: Sequence[str]) -> list[str]:
        if missing := [name for name in _COLUMNS if name not in names]:
            raise InputError(f"lacks {', '.join(missing)}.", path=path, remedy=_SHAPE)
        return list(_COLUMNS)

    names, rows = parquet_table(path, None, choose=choose)
    for cells in rows:
        yield None, dict(zip(names, cells, strict=True))


def _number(value: Any, path: Path, line: int | None) -> float:
    if value in (None, ""):
        return math.nan
    try:
        number = float(value)
    except ValueError:
        number = math.inf
    if math.isinf(number):
        raise InputError(f"{value!r} is not a value.", path=path, line=line, remedy=_SHAPE)
    return number
