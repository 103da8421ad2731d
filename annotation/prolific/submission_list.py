"""A panel's exported list of submissions: participants and statuses."""

from pathlib import Path
from typing import NamedTuple

from annotation.prolific.statuses import KNOWN, status_of, verdict_of
from metrics.errors import InputError
from metrics.votes.files.table import Row, Table, read_table

#: The columns as Prolific names them, in any case; the submission's may be missing.
PARTICIPANT, SUBMISSION, STATUS = "participant id", "submission id", "status"
MOST_SUBMISSIONS = 10_000
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
    """The submissions of a CSV with the columns `Participant id`, `Status` and `Submission id`.

    Raises `InputError` with file and line.
    """
    table = read_table(path)
    columns = _columns(table)
    if len(table.rows) > MOST_SUBMISSIONS:
        raise InputError(
            f"has {len(table.rows):,} submissions; at most {MOST_SUBMISSIONS:,} are read.",
            path=path,
            remedy="Export each study of the panel by itself.",
        )
    submissions = [_submission(table, columns, row) for row in table.rows]
    statuses = [row.cells[columns[STATUS]] for row in table.rows]
    if statuses and not any(status_of(status) for status in statuses):
        raise InputError(
            f"none of its statuses is known; the first is {statuses[0].strip()[:40]!r}.",
            path=path,
            line=table.rows[0].line,
            remedy=f"Known are {', '.join(status.lower() for status in KNOWN)}.",
        )
    return submissions


def _columns(table: Table) -> dict[str, str]:
    """Return the table's columns by name, in any case."""
    columns = {name.casefold(): name for name in table.columns}
    for name in (PARTICIPANT, STATUS):
        if name not in columns:
            raise InputError(
                f"has no column {name.capitalize()!r}.",
                path=table.path,
                line=1,
                remedy="Export the submissions from the panel, or name the columns "
                "Participant id,Submission id,Status.",
            )
    return columns


def _submission(table: Table, columns: dict[str, str], row: Row) -> PanelSubmission:
    def cell(name: str, longest: int) -> str:
        held = row.cells[columns[name]].strip() if name in columns else ""
        if len(held) > longest or not held.isprintable() or " " in held:
            raise InputError(f"{name!r} is no id.", path=table.path, line=row.line)
        return held

    participant = cell(PARTICIPANT, _LONGEST_PARTICIPANT)
    verdict = verdict_of(row.cells[columns[STATUS]])
    if not participant:
        raise InputError("names no participant.", path=table.path, line=row.line)
    return PanelSubmission(participant, cell(SUBMISSION, _LONGEST_SUBMISSION), verdict)
