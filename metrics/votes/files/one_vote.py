"""Records with one vote each, in a table or in JSON: roles of columns by name."""

from ...errors import InputError
from .column_names import usual_among
from .label_columns import may_be_labels
from .plain import seconds_of, time_of
from .table import Table

_MEASURED = {"seconds": seconds_of, "answered_at": time_of}


def usual_columns(table: Table) -> dict[str, str]:
    """Return the roles by names; the label may also be the only remaining column.

    Times under a name that is not ours are taken where all of them are times.
    """
    roles = usual_among(table.columns)
    if "query_id" not in roles and "id" in table.columns:
        roles["query_id"] = "id"
    if "label" not in roles and {"query_id", "worker"} <= set(roles):
        left = [name for name in may_be_labels(table) if name not in roles.values()]
        roles |= {"label": left[0]} if len(left) == 1 else {}
    return {role: name for role, name in roles.items() if _is_readable(table, role, name)}


def _is_readable(table: Table, role: str, name: str) -> bool:
    if name == role or role not in _MEASURED:
        return True
    try:
        for row in table.rows:
            _MEASURED[role](table.with_point(row.cells.get(name, "")), table.path, row.line)
    except InputError:
        return False
    return True
