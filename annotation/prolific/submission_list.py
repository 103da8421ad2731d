"""A panel's exported list of submissions: participants and statuses."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from annotation.prolific.statuses import KNOWN, status_of, verdict_of
from metrics.errors import InputError
from metrics.io.csv_tables import named_rows

#: The columns as Prolific names them, in any case; the submission's may be missing.
PARTICIPANT, SUBMISSION, STATUS = "participant id", "submission id", "status"
MOST_SUBMISSIONS = 10_000
_COLUMNS = (
    "Export the submissions from the panel, or name the columns "
    "Participant id,Submission id,Status."
)
_QUOTED = "Put a cell that holds a comma, a semicolon or a quote in double quotes."
_LONGEST_PARTICIPANT, _LONGEST_SUBMISSION = 140, 200


class PanelSubmission(NamedTuple):
    """One submission in a panel's list: `approved`, `waiting` or `refused`.

    `submission` is the panel's id of it, "" where the list has none. An unknown status is
    `waiting`.
    """

    participant: str
    submission: str
    verdict: str


def read_submissions(path: str | Path) -> list[PanelSubmission]:
    """The submissions of a table with the columns `Participant id`, `Status` and `Submission id`.

    Raises `InputError` with file and line.
    """
    rows = [
        (line, {name.strip().casefold(): cell for name, cell in cells.items()})
        for line, cells in named_rows(path, (), _QUOTED)
    ]
    if not rows:
        raise InputError("has a header and nothing below it.", path=path, remedy=_COLUMNS)
    for name in (PARTICIPANT, STATUS):
        if name not in rows[0][1]:
            problem = f"has no column {name.capitalize()!r}."
            raise InputError(problem, path=path, line=1, remedy=_COLUMNS)
    if len(rows) > MOST_SUBMISSIONS:
        raise InputError(
            f"has {len(rows):,} submissions; at most {MOST_SUBMISSIONS:,} are read.",
            path=path,
            remedy="Export each study of the panel by itself.",
        )
    submissions = [_submission(path, line, cells) for line, cells in rows]
    statuses = [cells[STATUS] for _, cells in rows]
    if not any(status_of(status) for status in statuses):
        raise InputError(
            f"none of its statuses is known; the first is {statuses[0].strip()[:40]!r}.",
            path=path,
            line=rows[0][0],
            remedy=f"Known are {', '.join(status.lower() for status in KNOWN)}.",
        )
    return submissions


def _submission(path: str | Path, line: int, cells: Mapping[str, str]) -> PanelSubmission:
    def cell(name: str, longest: int) -> str:
        held = cells.get(name, "").strip()
        if len(held) > longest or not held.isprintable() or " " in held:
            raise InputError(f"{name!r} is not an id.", path=path, line=line)
        return held

    participant = cell(PARTICIPANT, _LONGEST_PARTICIPANT)
    verdict = verdict_of(cells[STATUS])
    if not participant:
        raise InputError("names no participant.", path=path, line=line)
    return PanelSubmission(participant, cell(SUBMISSION, _LONGEST_SUBMISSION), verdict)
