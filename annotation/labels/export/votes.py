"""Votes to files: one vote per line, or in the layout of Mechanical Turk's results.

`import_votes` reads both back.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from annotation.labels.export.csv_rows import Echo, csv_lines

FORMATS = ("plain", "mturk")
_PLAIN = ("query_id", "worker", "label", "query", "gold", "seconds")
#: Mechanical Turk's columns before `Input.*`, in its order.
_ABOUT = (
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime",
    "MaxAssignments", "RequesterAnnotation", "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds", "Expiration", "NumberOfSimilarHITs", "LifetimeInSeconds",
    "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime", "AutoApprovalTime",
    "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlainVote:
    """One vote that counts; `worker` is a pseudonym, `gold` the known category of a check."""

    query_id: str
    worker: str
    label: str
    query: str
    gold: str
    seconds: float | None


@dataclass(frozen=True)
class ResultRow:
    """One assignment: `about` by column name, and (qid, text, gold, answer) in the HIT's order."""

    about: dict[str, str]
    places: Sequence[tuple[str, str, str, str]]


def plain_lines(votes: Iterable[PlainVote]) -> Iterator[str]:
    """A CSV with a header, one vote per line."""
    rows = (
        (
            vote.query_id,
            vote.worker,
            vote.label,
            vote.query,
            vote.gold,
            "" if vote.seconds is None else repr(vote.seconds),
        )
        for vote in votes
    )
    return csv_lines(chain([_PLAIN], rows))


def results_lines(rows: Iterable[ResultRow], *, n_places: int) -> Iterator[str]:
    """Mechanical Turk's results: every cell quoted, Windows line ends, what is unknown empty.

    Place *i* of a HIT (from 1 to `n_places`, those of the longest) is `Input.qid_i`,
    `Input.query_i`, `Input.gold_i` and `Answer.label_i`; places that a HIT does not have are empty.
    """
    numbers = range(1, n_places + 1)
    inputs = [f"Input.{what}_{i}" for i in numbers for what in ("qid", "query", "gold")]
    answers = [f"Answer.label_{i}" for i in numbers]
    writer = csv.writer(Echo(), lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    yield writer.writerow([*_ABOUT, *inputs, *answers, "Approve", "Reject"])
    for row in rows:
        places = [*row.places, *[("", "", "", "")] * (n_places - len(row.places))]
        yield writer.writerow(
            [
                *(row.about.get(name, "") for name in _ABOUT),
                *(cell for place in places for cell in place[:3]),
                *(place[3] for place in places),
            ]
        )
