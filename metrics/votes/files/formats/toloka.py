"""toloka: the assignments of a pool of Toloka, whose columns say what each is."""

from dataclasses import replace

from ..answers import LEFT_OUT, REJECTED
from ..column_names import usual_among
from ..content import VoteFile
from ..import_format import ImportFormat, only_answer
from ..table import Row, Table

_INPUT, _OUTPUT, _GOLDEN, _ASSIGNMENT = "INPUT:", "OUTPUT:", "GOLDEN:", "ASSIGNMENT:"
_WORKER, _STATUS, _TASK = "ASSIGNMENT:worker_id", "ASSIGNMENT:status", "ASSIGNMENT:task_id"
#: Statuses of answers that do not count; an empty one, APPROVED and SUBMITTED do.
_APART = {"REJECTED": REJECTED, "SKIPPED": LEFT_OUT, "EXPIRED": LEFT_OUT, "ACTIVE": LEFT_OUT}


def _recognises(file: VoteFile) -> bool:
    return not file.is_json and {_INPUT, _OUTPUT} <= {
        name.partition(":")[0] + ":" for name in file.table.columns
    }


def _fits(file: VoteFile) -> bool:
    return not file.is_json and _WORKER in file.table.columns


def _read(file: VoteFile) -> Table:
    table = file.table
    inputs = [name for name in table.columns if name.startswith(_INPUT)]
    outputs = [name for name in table.columns if name.startswith(_OUTPUT)]
    about = usual_among(inputs, prefix=_INPUT)
    if "query_id" not in about:
        ids = [name for name in ("INPUT:id", _TASK) if name in table.columns]
        about |= {"query_id": ids[0]} if ids else {}
    texts = [name for name in inputs if name not in about.values()]
    if "query" not in about and len(texts) == 1:
        about["query"] = texts[0]
    usual = {role: name for role, name in about.items() if role in ("query_id", "query")}
    usual |= {"worker": _WORKER} if _WORKER in table.columns else {}
    usual |= only_answer(table, outputs, lambda name: _GOLDEN + name.removeprefix(_OUTPUT))
    if "ASSIGNMENT:submitted" in table.columns:
        usual["answered_at"] = "ASSIGNMENT:submitted"
    return replace(table, rows=[_row(row) for row in table.rows if _is_row(row)], usual=usual)


def _is_row(row: Row) -> bool:
    """Toloka puts an empty line between the suites."""
    return any(cell.strip() for cell in row.cells.values())


def _row(row: Row) -> Row:
    return replace(row, apart=_APART.get(row.cells.get(_STATUS, "").strip().upper(), ""))


TOLOKA = ImportFormat(
    name="toloka",
    title="Toloka (TSV)",
    summary="one answer per line, with columns called INPUT:, OUTPUT: and ASSIGNMENT:; rejected "
    "ones do not count",
    position=10,
    recognises=_recognises,
    read=_read,
    fits=_fits,
    in_several_files=True,
    keeps_repeats=True,
)
