"""doccano-csv: a text classification of doccano as CSV, one file per annotator."""

from dataclasses import replace

from ..choices import SEVERAL
from ..column_names import usual_among
from ..content import VoteFile
from ..formats.doccano import WORKER, notes_of
from ..import_format import ImportFormat, rows_of
from ..table import Row, Table

#: Between the labels of an example with several.
_BETWEEN = "#"
_TEXTS = ("text", "data")


def _recognises(file: VoteFile) -> bool:
    if file.is_json or "worker" in usual_among(file.table.columns):
        return False
    return {"id", "label"} <= set(file.table.columns) and any(
        name in file.table.columns for name in _TEXTS
    )


def _read(file: VoteFile) -> Table:
    table = file.table
    # Every file has all examples: one without a label was not this person's.
    rows = rows_of(file, (_row(file, row) for row in table.rows if row.cells.get("label")))
    usual = {"query_id": usual_among(table.columns).get("query_id", "id"), "worker": WORKER}
    usual |= {"label": "label", "query": next(n for n in _TEXTS if n in table.columns)}
    return replace(
        table,
        rows=rows,
        columns=(*table.columns, WORKER),
        usual=usual,
        notes=notes_of(file, len(table.rows) - len(rows)),
    )


def _row(file: VoteFile, row: Row) -> Row:
    label = SEVERAL.join(part.strip() for part in row.cells["label"].split(_BETWEEN))
    return replace(row, cells={**row.cells, "label": label, WORKER: file.stem})


DOCCANO_CSV = ImportFormat(
    name="doccano-csv",
    title="doccano (CSV, one file per person)",
    summary="id, text or data, and label of each example; the file's name is the annotator's",
    position=12,
    recognises=_recognises,
    read=_read,
    fits=_recognises,
    in_several_files=True,
)
