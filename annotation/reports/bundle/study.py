"""The contents of a bundle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from annotation.reports.bundle.batch import BatchTables
from annotation.reports.bundle.tables import ModelLabelRow, PassageRow, PoolRow, QueryRow
from metrics.runs.ranked import Ranked


@dataclass(frozen=True)
class PoolBundle:
    """A pool: `terms` are cut-offs and magnitude, digests of the inputs, and counts.

    One of pairs has each of its `passages` once.
    """

    name: str
    terms: Mapping[str, Any]
    queries: Sequence[QueryRow]
    places: Sequence[PoolRow]
    passages: Sequence[PassageRow] = ()

    @property
    def of_pairs(self) -> bool:
        return bool(self.terms.get("of_pairs"))


@dataclass(frozen=True, kw_only=True)
class BatchBundle(BatchTables):
    """A batch without names, keys, ids of a server, times and paths.

    `pool` is the name of the pool that it was made from, or "". `terms` are those of the HITs.
    `task_page` is the page of the first HIT as it was shown; whether voters read the texts of the
    scheme is not known of imported votes (`is_scheme_known`). `runs` hold all study queries; the
    bias is that of the subset. `retrieval` names the inputs of the runs. `places` and `vote_states`
    count the answers and votes that its HITs ask for, by state; an imported batch has no places.
    """

    name: str
    terms: Mapping[str, Any]
    is_scheme_known: bool
    places: Mapping[str, int] = field(default_factory=dict)
    vote_states: Mapping[str, int] = field(default_factory=dict)
    pool: str = ""
    task_page: str = ""
    runs: Sequence[Ranked] = ()
    retrieval: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def outdated(self) -> list[str]:
        """The queries whose labels are older than the last change of their votes."""
        return list(dict.fromkeys(qid for qid, _difference in self.differences()))


@dataclass(frozen=True)
class ReportBundle:
    """A bias report as stored: parameters, inputs and files.

    Batches go by their names, `files` by those that the site stores them under.
    """

    name: str
    request: Mapping[str, Any]
    inputs: Mapping[str, Any]
    labels_digest: str
    summary: Mapping[str, Any]
    files: Mapping[str, Path]


@dataclass(frozen=True)
class ModelBundle:
    """A model that labelled queries: `terms` describe how it was asked, trained or imported."""

    name: str
    terms: Mapping[str, Any]
    labels: Sequence[ModelLabelRow]


@dataclass(frozen=True)
class NamedFile:
    """A file that the study measures with, named by its `digest`; `path` where it is included.

    `filename` is what the file itself is called, `name` what the study calls it. `n_parameters` and
    `n_transferred` are the sizes of the model that made a run, where they are known.
    """

    kind: str
    name: str
    filename: str
    size: int
    digest: str
    n_parameters: int | None = None
    n_transferred: int | None = None
    path: Path | None = None


@dataclass(frozen=True)
class StudyBundle:
    """A study: everything from which its numbers follow.

    `decided_on` is the day of its last label, as 2026-01-31, or the day on which it was begun.
    """

    name: str
    description: str
    decided_on: str
    pools: Sequence[PoolBundle]
    batches: Sequence[BatchBundle]
    reports: Sequence[ReportBundle]
    files: Sequence[NamedFile]
    models: Sequence[ModelBundle] = ()
