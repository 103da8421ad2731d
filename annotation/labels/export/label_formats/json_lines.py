"""jsonl: an object per line with all facts about a label."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from annotation.labels.export.labels import (
    TIES,
    ExportedLabel,
    LabelFormat,
    converted_for_ir_datasets,
)

_PANDAS = """\
import pandas as pd

queries = pd.read_json("queries.jsonl", lines=True, dtype={%s})
"""


def _write(labels: Sequence[ExportedLabel], _options: AbstractSet[str]) -> Iterator[str]:
    for label in labels:
        row = {
            "qid": label.qid,
            **({"docno": label.docno} if label.docno else {}),
            "query": label.query,
            **({"passage": label.passage} if label.docno else {}),
            "label": label.label,
            "method": label.method,
            "source": label.source,
            "n_votes": label.n_votes,
            "n_for": label.n_for,
            "confidence": label.confidence,
            "reason": label.reason,
            "tally": _counted(vote.category for vote in label.votes),
            "voters": _counted(vote.kind for vote in label.votes),
            "votes": [
                {"worker": vote.worker, "category": vote.category, "kind": vote.kind}
                for vote in label.votes
            ],
        }
        yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def _pandas(_options: AbstractSet[str], ids: Sequence[str]) -> str:
    return _PANDAS % ", ".join(f'"{name}": str' for name in ids)


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


JSON_LINES = LabelFormat(
    name="jsonl",
    title="JSON lines: all that is known",
    summary="all that is known about a label",
    position=3,
    content_type="application/jsonl",
    extension="jsonl",
    first_line=re.compile(r'\{"qid": .*'),
    options=(TIES,),
    has_votes=True,
    write=_write,
    pandas=_pandas,
    ir_datasets=converted_for_ir_datasets,
)
