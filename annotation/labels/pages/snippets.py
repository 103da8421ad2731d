"""Code that reads an exported file, to be copied. The tests run every one of them."""

from collections.abc import Mapping
from typing import NamedTuple

_JSONL_PANDAS = """\
import pandas as pd

queries = pd.read_json("queries.jsonl", lines=True, dtype={"qid": str})
"""
_TSV_PANDAS = """\
import csv

import pandas as pd

queries = pd.read_csv(
    "queries.tsv", sep="\\t", names=["qid", "query"], dtype=str,
    quoting=csv.QUOTE_NONE, keep_default_na=False,
)
"""
_TABLE_PANDAS = """\
import pandas as pd

queries = pd.read_csv("queries.csv", dtype=str, keep_default_na=False)
"""
_RELEASED_PANDAS = """\
import pandas as pd

# The released layout has no quoting: the id ends at the first comma, the label begins at the last.
with open("queries.csv", encoding="utf-8", newline="\\n") as lines:
    rows = [line.rstrip("\\n") for line in lines]
queries = pd.DataFrame(
    [(*head.split(",", 1), label) for head, label in (row.rsplit(",", 1) for row in rows)],
    columns=["qid", "query", "label"],
)
"""
_TSV_DATASET = """\
import ir_datasets

dataset = ir_datasets.create_dataset(queries_tsv="queries.tsv")
for query in dataset.queries_iter():
    print(query.query_id, query.text)
"""
#: What ir_datasets has no reader for becomes the layout that it has one for.
_OTHER_DATASET = """\
import ir_datasets

{pandas}
with open("queries.tsv", "w", encoding="utf-8", newline="\\n") as lines:
    for qid, text in zip(queries["qid"], queries["query"]):
        lines.write(f"{{qid}}\\t{{text}}\\n")
dataset = ir_datasets.create_dataset(queries_tsv="queries.tsv")
for query in dataset.queries_iter():
    print(query.query_id, query.text)
"""


class Snippets(NamedTuple):
    """The same file read by two libraries."""

    pandas: str
    ir_datasets: str


def snippets(options: Mapping[str, object]) -> Snippets:
    """Code for the file that the options of the export form make."""
    if options["layout"] == "tsv":
        return Snippets(_TSV_PANDAS, _TSV_DATASET)
    if options["layout"] == "jsonl":
        pandas = _JSONL_PANDAS
    else:
        pandas = _TABLE_PANDAS if options["header"] else _RELEASED_PANDAS
    return Snippets(pandas, _OTHER_DATASET.format(pandas=pandas))
