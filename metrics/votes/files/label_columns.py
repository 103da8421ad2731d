"""Columns that may hold the labels, where no name tells."""

from .choices import cell_text
from .column_names import is_no_answer, usual_among
from .table import Table

#: Most different words of labels.
_MOST_WORDS = 20


def may_be_labels(table: Table) -> list[str]:
    """The columns whose names do not say that they are something else, with few words each."""
    taken = {name for role, name in usual_among(table.columns).items() if role != "label"}
    taken |= table.parts
    free = [name for name in table.columns if name not in taken and not is_no_answer(name)]
    return [name for name in free if 0 < _n_words(table, name) <= _MOST_WORDS]


def _n_words(table: Table, name: str) -> int:
    """Count the different words; 0 where a cell is not a choice, but for instance JSON."""
    words = {cell_text(row.cells.get(name, "")).strip() for row in table.rows} - {""}
    return 0 if any(word.startswith(("{", "[")) for word in words) else len(words)
