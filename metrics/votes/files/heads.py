"""Tables whose first line names no columns, and the error about them."""

import re

from ...errors import InputError
from ...io.contents import contents_of
from .column_names import usual_among
from .table import Table

_DIGITS = re.compile(r"\d+")
#: Columns of a run of TREC; files with fewer may be votes as well.
_RUN = 6


def problem_of_heads(table: Table) -> InputError | None:
    """Say why the first line cannot be names of columns; None where it can, and for JSON."""
    if not _begins_with_row(table):
        return None
    looks = contents_of(table.path)
    n_words = len(" ".join(table.columns).split())
    if looks is not None and looks.kind == "run" and n_words >= _RUN:
        return InputError(
            f"looks like {looks}.",
            path=table.path,
            line=1,
            remedy="A run has no votes: add it to the files of a study. Votes name their "
            "columns in the first line, as query_id,worker,label.",
        )
    return InputError(
        "the first line does not name the columns of votes.",
        path=table.path,
        line=1,
        remedy="Put a line with their names above it, as query_id,worker,label; separate the "
        "cells of all lines by commas, tabs or semicolons.",
    )


def _begins_with_row(table: Table) -> bool:
    """Return whether the head is one column alone, or looks like the cells below it."""
    if table.rows[0].record or usual_among(table.columns):
        return False
    first = table.columns[0]
    if len(table.columns) == 1:
        return True
    ids = {_DIGITS.sub("0", row.cells.get(first, "").strip()) for row in table.rows}
    if _DIGITS.search(first) and ids == {_DIGITS.sub("0", first)}:
        return True
    # Numbers name people of a data frame, who may answer by numbers, too.
    words = [name for name in table.columns if not _DIGITS.fullmatch(name)]
    return any(row.cells.get(name, "").strip() == name for name in words for row in table.rows)
