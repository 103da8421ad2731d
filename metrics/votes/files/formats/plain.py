"""plain: a table with one vote per line."""

from dataclasses import replace

from ..content import VoteFile
from ..import_format import ImportFormat
from ..one_vote import usual_columns
from ..table import Table


def _recognises(file: VoteFile) -> bool:
    return not file.is_json


def _read(file: VoteFile) -> Table:
    return replace(file.table, usual=usual_columns(file.table))


PLAIN = ImportFormat(
    name="plain",
    title="One vote per line (CSV)",
    summary="a table with the columns query_id, worker, label, or others that are matched to them",
    position=29,
    recognises=_recognises,
    read=_read,
    fits=_recognises,
    keeps_repeats=True,
)
