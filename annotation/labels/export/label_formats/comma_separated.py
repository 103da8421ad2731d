"""csv: the released layout `qid,query,label`, or standard CSV."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from annotation.core.csv_rows import csv_text
from annotation.labels.export.labels import (
    ExportedLabel,
    FormatOption,
    LabelFormat,
    breaks_lines,
    converted_for_ir_datasets,
    unwritable,
)
from annotation.labels.export.spreadsheet import BYTE_ORDER_MARK, SPREADSHEET, as_text
from metrics.runs.query_tables import HEADER
from metrics.vocabulary import Category

QUOTE = FormatOption("quote", "Quotes", "Quote cells that need it (standard CSV).")
_HEADER_OF_PAIRS = HEADER.replace("qid", "qid,docno")
TITLES = FormatOption(
    "header",
    "Header and quotes",
    f"Standard CSV below the header {HEADER}, as pandas.read_csv reads it.",
)
_TABLE = """\
import pandas as pd

queries = pd.read_csv("queries.csv", dtype=str, keep_default_na=False)
"""
_QUOTED = """\
import pandas as pd

queries = pd.read_csv(
    "queries.csv", names=[{columns}], dtype=str, keep_default_na=False
)
"""
_RELEASED = """\
import pandas as pd

# The released layout has no quoting: {ends}, the label begins at the last.
with open("queries.csv", encoding="utf-8", newline="\\n") as lines:
    rows = [line.rstrip("\\n") for line in lines]
queries = pd.DataFrame(
    [(*head.split(",", {n_ids}), label) for head, label in (row.rsplit(",", 1) for row in rows)],
    columns=[{columns}],
)
"""


def _write(labels: Sequence[ExportedLabel], options: AbstractSet[str]) -> Iterator[str]:
    """Write texts byte for byte unless an option says otherwise; spreadsheets get a header, too."""
    is_for_spreadsheet = SPREADSHEET.name in options
    has_header = TITLES.name in options or is_for_spreadsheet
    if has_header:
        header = _HEADER_OF_PAIRS if any(label.docno for label in labels) else HEADER
        yield f"{BYTE_ORDER_MARK if is_for_spreadsheet else ''}{header}\n"
    for label in labels:
        row = (*label.ids, label.query, label.label)
        if is_for_spreadsheet:
            yield csv_text([(*map(as_text, row[:-1]), label.label)])
        elif has_header or QUOTE.name in options:
            yield csv_text([row])
        elif "," in label.item_id or breaks_lines(label):
            raise unwritable(label, "--quote or --format jsonl")
        else:
            yield ",".join(row) + "\n"


def _pandas(options: AbstractSet[str], ids: Sequence[str]) -> str:
    if options & {TITLES.name, SPREADSHEET.name}:
        return _TABLE
    columns = ", ".join(f'"{name}"' for name in (*ids, "query", "label"))
    if QUOTE.name in options:
        return _QUOTED.format(columns=columns)
    ends = "the id ends at the first comma" if len(ids) == 1 else "ids end at two commas"
    return _RELEASED.format(columns=columns, n_ids=len(ids), ends=ends)


COMMA_SEPARATED = LabelFormat(
    name="csv",
    title="CSV: qid,query,label",
    summary=f"{HEADER} as released, no header",
    position=1,
    content_type="text/csv",
    extension="csv",
    first_line=re.compile(
        rf'\ufeff?({HEADER}|{_HEADER_OF_PAIRS})|[^,\t]+,.*,"?({"|".join(Category)})"?\r?'
    ),
    options=(QUOTE, TITLES, SPREADSHEET),
    write=_write,
    pandas=_pandas,
    ir_datasets=converted_for_ir_datasets,
)
