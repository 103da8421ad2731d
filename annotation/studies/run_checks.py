"""Anomalies of a run as soon as it is added, in the words of a page.

A small run is read whole at once, as pooling and measuring will read it; for a larger one they
report the same later.
"""

from dataclasses import dataclass
from pathlib import Path

from metrics.errors import InputError
from metrics.runs import read_run
from metrics.runs.queries import Queries

#: Bytes of a run, unpacked, that are read while somebody waits for the page.
READ_AT_ONCE = 64_000_000


@dataclass(frozen=True)
class CheckedRun:
    """The queries and the longest list of a run, and notices without the name of its file."""

    qids: frozenset[str]
    depth: int
    notices: list[str]


def check_run(path: Path) -> CheckedRun:
    """Read the run whole; `InputError` with the line that cannot be read."""
    run = read_run(path)
    depth = int((run.offsets[1:] - run.offsets[:-1]).max(initial=0))
    return CheckedRun(frozenset(run.qids), depth, [notice.text_with_line for notice in run.notices])


def compare_queries(run: str, qids: frozenset[str], queries: Queries) -> list[str]:
    """Describe how the queries of a run differ from those of the study.

    Raises `InputError` where they have none in common: nothing could be pooled or measured.
    """
    ids = frozenset(queries.ids)
    if not ids & qids:
        raise InputError(
            f"the run {run} and the study's queries have no query id in common, for example "
            f"{min(qids)!r} and {min(ids)!r}.",
            remedy="Add the queries that the run was made for, or a run for these queries.",
        )
    remarks = []
    if unknown := len(qids - ids):
        remarks.append(
            f"{unknown:,} of its {len(qids):,} queries are not among the study's queries."
        )
    if absent := len(ids - qids):
        remarks.append(f"{absent:,} of the study's {len(ids):,} queries have no document in it.")
    return remarks
