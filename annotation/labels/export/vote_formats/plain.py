"""plain: a CSV with a header, one vote per line."""

import re
from collections.abc import Iterator
from itertools import chain

from annotation.labels.export.csv_rows import csv_lines
from annotation.labels.export.votes import VoteFormat, VoteSource

_COLUMNS = ("query_id", "worker", "label", "query", "gold", "seconds")


def _write(source: VoteSource) -> Iterator[str]:
    rows = (
        (
            vote.query_id,
            vote.worker,
            vote.label,
            vote.query,
            vote.gold,
            "" if vote.seconds is None else repr(vote.seconds),
        )
        for vote in source.votes()
    )
    return csv_lines(chain([_COLUMNS], rows))


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
