"""mturk: the layout of Mechanical Turk's batch results, one assignment per line."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping

from annotation.core.csv_rows import Echo
from annotation.labels.export.votes import ResultRow, VoteFormat, VoteSource

#: Mechanical Turk's columns before `Input.*`, in its order.
_ABOUT = (
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime",
    "MaxAssignments", "RequesterAnnotation", "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds", "Expiration", "NumberOfSimilarHITs", "LifetimeInSeconds",
    "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime", "AutoApprovalTime",
    "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate",
)  # fmt: skip


#: Columns of a place, without their number, with the part of the vote that each has.
_INPUTS = {"qid": "query_id", "query": "query", "gold": "gold"}
_INPUTS_OF_PAIRS = {
    "qid": "query_id",
    "docno": "docno",
    "query": "query",
    "passage": "passage",
    "gold": "gold",
}


def _write(source: VoteSource) -> Iterator[str]:
    inputs = _INPUTS_OF_PAIRS if source.is_of_pairs() else _INPUTS
    return _lines(source.assignments(), source.most_queries(), inputs)


def _lines(rows: Iterable[ResultRow], n_places: int, inputs_of: Mapping[str, str]) -> Iterator[str]:
    """Every cell quoted, Windows line ends, unknown values empty.

    Place *i* of a HIT (from 1 to `n_places`, those of the longest) is `Input.qid_i`,
    `Input.query_i`, `Input.gold_i` and `Answer.label_i`, of a pair also `Input.docno_i` and
    `Input.passage_i`; places that a HIT does not have are empty.
    """
    numbers = range(1, n_places + 1)
    inputs = [f"Input.{what}_{i}" for i in numbers for what in inputs_of]
    answers = [f"Answer.label_{i}" for i in numbers]
    writer = csv.writer(Echo(), lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    yield writer.writerow([*_ABOUT, *inputs, *answers, "Approve", "Reject"])
    for row in rows:
        n_left = n_places - len(row.places)
        yield writer.writerow(
            [
                *(row.about.get(name, "") for name in _ABOUT),
                *(getattr(vote, name) for vote in row.places for name in inputs_of.values()),
                *[""] * (n_left * len(inputs_of)),
                *(vote.label for vote in row.places),
                *[""] * n_left,
            ]
        )


MTURK = VoteFormat(
    name="mturk",
    title="As Mechanical Turk's results (CSV)",
    summary="as Mechanical Turk's batch results, also rejected or unreadable assignments",
    position=2,
    content_type="text/csv",
    extension="csv",
    first_line=re.compile('"?HITId"?,.*'),
    stem="results",
    by_assignment=True,
    write=_write,
)
