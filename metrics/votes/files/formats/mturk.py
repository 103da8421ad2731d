"""mturk: the results of a Mechanical Turk batch, as its requester downloads them."""

from .. import mturk_results
from ..content import VoteFile
from ..import_format import ImportFormat
from ..mturk_answers import with_whole_answers
from ..table import Table


def _recognises(file: VoteFile) -> bool:
    return not file.is_json and mturk_results.is_results(file.table)


def _read(file: VoteFile) -> Table:
    return with_whole_answers(file.table)


MTURK = ImportFormat(
    name="mturk",
    title="Results of Mechanical Turk (CSV)",
    summary="one assignment per line, with the columns HITId, AssignmentId and WorkerId",
    position=1,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
    keeps_repeats=True,
)
