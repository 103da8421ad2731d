"""appen: the full report of a job of Appen (Figure Eight, CrowdFlower), one judgment per line.

The aggregated report has one line per unit; it is recognised to say which report has the votes.
"""

from dataclasses import replace

from ....errors import InputError
from ..answers import REJECTED
from ..column_names import usual_among
from ..content import VoteFile
from ..import_format import ImportFormat, only_answer
from ..label_columns import may_be_labels
from ..table import Row, Table

_UNIT, _WORKER, _GOLD = "_unit_id", "_worker_id", "_gold"
#: Columns that mark an answer that does not count.
_REJECTING = ("_tainted", "_rejected")
#: Columns of an aggregated report, which has no worker.
_AGGREGATED = {"_trusted_judgments", "_last_judgment_at"}


def _recognises(file: VoteFile) -> bool:
    if file.is_json or _UNIT not in file.table.columns:
        return False
    return _WORKER in file.table.columns or _is_aggregated(file.table)


def _is_aggregated(table: Table) -> bool:
    return _WORKER not in table.columns and bool(_AGGREGATED & set(table.columns))


def _read(file: VoteFile) -> Table:
    if _is_aggregated(file.table):
        problem = InputError(
            "is Appen's aggregated report, which has one line per unit and nobody's judgments.",
            path=file.path,
            line=1,
            remedy="Download the full report of the job: it has a column _worker_id.",
        )
        return replace(file.table, problem=problem)
    table = _with_gold_of_one_answer(file.table)
    own = [name for name in table.columns if not name.startswith(("_", "orig_"))]
    answered = [name for name in own if f"{name}{_GOLD}" in table.columns]
    if not answered:
        free = [name for name in may_be_labels(table) if name in own]
        answered = [name for name in free if not name.endswith(_GOLD)]
    about = usual_among(own)
    usual = {"query_id": about.get("query_id", _UNIT), "worker": _WORKER}
    usual |= {"query": about["query"]} if "query" in about else {}
    rows = [replace(row, apart=REJECTED if _is_rejected(row) else "") for row in table.rows]
    usual |= only_answer(table, answered, lambda name: f"{name}{_GOLD}")
    return replace(table, rows=rows, usual=usual)


def _with_gold_of_one_answer(table: Table) -> Table:
    """The table with an empty cell where several answers, a line each, are right; and a note."""
    golds = [name for name in table.columns if name.endswith(_GOLD)]
    several = [
        {name: "" for name in golds if len(set(row.cells.get(name, "").splitlines()) - {""}) > 1}
        for row in table.rows
    ]
    if not (n_left := sum(map(bool, several))):
        return table
    rows = [
        replace(row, cells=row.cells | emptied)
        for row, emptied in zip(table.rows, several, strict=True)
    ]
    note = f"Gold with several right answers is left out; such judgments are votes: {n_left:,}."
    return replace(table, rows=rows, notes=(*table.notes, note))


def _is_rejected(row: Row) -> bool:
    return any(row.cells.get(name, "").strip().lower() == "true" for name in _REJECTING)


APPEN = ImportFormat(
    name="appen",
    title="Appen, Figure Eight (full report, CSV)",
    summary="one judgment per line, with _unit_id and _worker_id; tainted and rejected ones do "
    "not count",
    position=11,
    recognises=_recognises,
    read=_read,
    fits=_recognises,
    in_several_files=True,
    keeps_repeats=True,
)
