"""rank_study: a run of a study, made by the site."""

from annotation.core.commands import OperationCommand
from annotation.studies.operations.rank import RANK

Command = OperationCommand.of(RANK, "rank_study gender-2026 --ranker BM25")
