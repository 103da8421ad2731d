"""plain: a CSV with a header, one vote per line.

Where workers saw what a model says, a last column `suggestion` has it.
"""

import re
from collections.abc import Iterator
from itertools import chain

from annotation.core.csv_rows import csv_lines
from annotation.labels.export.votes import VoteFormat, VoteSource

_COLUMNS = ("query_id", "worker", "label", "query", "gold", "seconds")


def _write(source: VoteSource) -> Iterator[str]:
    is_suggested = source.has_suggestions()
    rows = (
        (
            vote.query_id,
            vote.worker,
            vote.label,
            vote.query,
            vote.gold,
            "" if vote.seconds is None else repr(vote.seconds),
            *([vote.suggestion] if is_suggested else ()),
        )
        for vote in source.votes()
    )
    columns = (*_COLUMNS, "suggestion") if is_suggested else _COLUMNS
    return csv_lines(chain([columns], rows))


PLAIN = VoteFormat(
    name="plain",
    title="One vote per line (CSV)",
    summary=",".join(_COLUMNS),
    position=1,
    content_type="text/csv",
    extension="csv",
    first_line=re.compile("query_id,worker,label.*"),
    stem="votes",
    write=_write,
)
