"""tsv: ids and texts separated by a tab, as ir_datasets and Anserini read queries."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from annotation.labels.export.labels import ExportedLabel, LabelFormat, breaks_lines, unwritable
from annotation.labels.export.spreadsheet import BYTE_ORDER_MARK, SPREADSHEET, as_text

_PANDAS = """\
import csv

import pandas as pd

queries = pd.read_csv(
    "queries.tsv", sep="\\t", names=[%s, "query"], dtype=str,
    quoting=csv.QUOTE_NONE, keep_default_na=False,
)
"""
_IR_DATASETS = """\
import ir_datasets

dataset = ir_datasets.create_dataset(queries_tsv="queries.tsv")
for query in dataset.queries_iter():
    print(query.query_id, query.text)
"""


def _write(labels: Sequence[ExportedLabel], options: AbstractSet[str]) -> Iterator[str]:
    is_for_spreadsheet = SPREADSHEET.name in options
    start = BYTE_ORDER_MARK if is_for_spreadsheet else ""
    for label in labels:
        if "\t" in label.item_id or breaks_lines(label):
            raise unwritable(label, "--format jsonl")
        cells = [*label.ids, label.query]
        yield start + "\t".join(map(as_text, cells) if is_for_spreadsheet else cells) + "\n"
        start = ""


def _pandas(_options: AbstractSet[str], ids: Sequence[str]) -> str:
    return _PANDAS % ", ".join(f'"{name}"' for name in ids)


TAB_SEPARATED = LabelFormat(
    name="tsv",
    title="TSV: qid and query",
    summary="qid<TAB>query",
    position=2,
    content_type="text/tab-separated-values",
    extension="tsv",
    first_line=re.compile(r"[^\t]+\t[^\t]+"),
    options=(SPREADSHEET,),
    write=_write,
    pandas=_pandas,
    ir_datasets=lambda _pandas: _IR_DATASETS,
)
