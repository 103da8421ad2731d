"""plain: a CSV with a header, one vote per line.

Of pairs, columns `docno` and `passage` follow. Where workers saw what a model says, a last column
`suggestion` has it.
"""

import re
from collections.abc import Iterator
from itertools import chain

from annotation.core.csv_rows import csv_lines
from annotation.labels.export.votes import VoteFormat, VoteSource

#: Fields of `PlainVote`.
_COLUMNS = ("query_id", "worker", "label", "query", "gold", "seconds")
_OF_PAIRS = ("docno", "passage")


def _write(source: VoteSource) -> Iterator[str]:
    columns = (
        *_COLUMNS,
        *(_OF_PAIRS if source.is_of_pairs() else ()),
        *(["suggestion"] if source.has_suggestions() else ()),
    )
    rows = ([getattr(vote, name) for name in columns] for vote in source.votes())
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
