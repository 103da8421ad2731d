"""What a bundle holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.reports.bundle.recompute import Parameters
from annotation.reports.bundle.tables import LabelRow, PoolRow, QueryRow, VoteRow
from metrics.runs.ranked import Ranked


@dataclass(frozen=True)
class StudyBundle:
    """A study without names, keys, ids of a server, times and paths.

    `decided_on` is the day on which the labels were decided, as 2026-01-31.

    `task_page` is the page of the first HIT as it was shown, `codebook` its texts and version.
    `terms` are those of the HITs, `pool` the parameters and input checksums of the pool,
    `retrieval` those of the runs measured.
    `runs` hold all study queries; the bias is that of the queries labelled `n`.
    """

    name: str
    parameters: Parameters
    terms: Mapping[str, Any]
    queries: Sequence[QueryRow]
    votes: Sequence[VoteRow]
    labels: Sequence[LabelRow]
    decided_on: str
    pool: Mapping[str, Any] | None = None
    places: Sequence[PoolRow] = ()
    task_page: str = ""
    codebook: Mapping[str, Any] | None = None
    runs: Sequence[Ranked] = ()
    retrieval: Mapping[str, Any] = field(default_factory=dict)
