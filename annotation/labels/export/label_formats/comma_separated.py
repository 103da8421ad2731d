"""csv: the released layout `qid,query,label`, or standard CSV."""

import re
from collections.abc import Iterable, Iterator
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
    "queries.csv", names=["qid", "query", "label"], dtype=str, keep_default_na=False
)
"""
_RELEASED = """\
import pandas as pd

# The released layout has no quoting: the id ends at the first comma, the label begins at the last.
with open("queries.csv", encoding="utf-8", newline="\\n") as lines:
    rows = [line.rstrip("\\n") for line in lines]
queries = pd.DataFrame(
    [(*head.split(",", 1), label) for head, label in (row.rsplit(",", 1) for row in rows)],
    columns=["qid", "query", "label"],
)
"""


def _write(labels: Iterable[ExportedLabel], options: AbstractSet[str]) -> Iterator[str]:
    """Write texts byte for byte unless an option says otherwise; spreadsheets get a header, too."""
    is_for_spreadsheet = SPREADSHEET.name in options
    has_header = TITLES.name in options or is_for_spreadsheet
    if has_header:
        yield f"{BYTE_ORDER_MARK if is_for_spreadsheet else ''}{HEADER}\n"
    for label in labels:
        row = (label.qid, label.query, label.label)
        if is_for_spreadsheet:
            yield csv_text([(as_text(label.qid), as_text(label.query), label.label)])
        elif has_header or QUOTE.name in options:
            yield csv_text([row])
        elif "," in label.qid or breaks_lines(label):
            raise unwritable(label, "--quote or --format jsonl")
        else:
            yield ",".join(row) + "\n"


def _pandas(options: AbstractSet[str]) -> str:
    if options & {TITLES.name, SPREADSHEET.name}:
        return _TABLE
    return _QUOTED if QUOTE.name in options else _RELEASED


COMMA_SEPARATED = LabelFormat(
    name="csv",
    title="CSV: qid,query,label",
    summary=f"{HEADER} as released, no header",
    position=1,
    content_type="text/csv",
    extension="csv",
    first_line=re.compile(rf'\ufeff?{HEADER}|[^,\t]+,.*,"?({"|".join(Category)})"?\r?'),
    options=(QUOTE, TITLES, SPREADSHEET),
    write=_write,
    pandas=_pandas,
    ir_datasets=converted_for_ir_datasets,
)
