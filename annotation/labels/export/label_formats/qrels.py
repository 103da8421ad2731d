"""qrels: judgments of pairs as trec_eval reads them, a format for each rule that decides them."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from annotation.labels.export.labels import ExportedLabel, LabelFormat, unwritable
from metrics.runs.qrels import LEANS

#: The rule by which the labels of a file are those that stand.
STANDING = "adjudicated"
#: By rule, what it decides by.
RULES = {
    "majority": "the majority of the votes",
    "median": "the median of the votes, the lower of two middles",
    STANDING: "the labels that stand: an adjudicator's decision, else that of the method",
}
#: The format of the grades that stand.
QRELS_THAT_STAND = f"qrels-{STANDING}"
#: By rule, the name of the file in bundles.
QRELS_FILES = {rule: f"qrels.{rule}.txt" for rule in RULES}


def _write(labels: Sequence[ExportedLabel], _options: AbstractSet[str]) -> Iterator[str]:
    for label in labels:
        if any(len(name.split()) != 1 for name in label.ids):
            raise unwritable(label, "--format jsonl")
        yield f"{label.qid} 0 {label.docno} {label.label}\n"


def _pandas(rule: str) -> str:
    return f"""\
import pandas as pd

qrels = pd.read_csv(
    "qrels.{rule}.txt", sep=" ", names=["qid", "iteration", "docno", "grade"],
    dtype={{"qid": str, "docno": str}}, keep_default_na=False,
)
"""


def _ir_datasets(rule: str) -> str:
    return f"""\
import ir_datasets

dataset = ir_datasets.create_dataset(qrels_trec="qrels.{rule}.txt")
for judgment in dataset.qrels_iter():
    print(judgment.query_id, judgment.doc_id, judgment.relevance)
"""


def _qrels(rule: str, position: int) -> LabelFormat:
    return LabelFormat(
        name=f"qrels-{rule}",
        title=f"Qrels of TREC: {rule}",
        summary=f"qid 0 docno grade (or gender) of pairs, by {RULES[rule]}",
        position=position,
        content_type="text/plain",
        extension=QRELS_FILES[rule],
        first_line=re.compile(rf"\S+ 0 \S+ (-?\d+|{'|'.join(LEANS)})"),
        rule=rule,
        write=_write,
        pandas=lambda _options, _ids: _pandas(rule),
        ir_datasets=lambda _pandas: _ir_datasets(rule),
    )


QRELS_BY_MAJORITY, QRELS_BY_MEDIAN, QRELS_ADJUDICATED = (
    _qrels(rule, position) for position, rule in enumerate(RULES, start=4)
)
