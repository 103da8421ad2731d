from ...cli.score_runs import ScoreRuns
from ..command import FairpoolCommand


class Command(ScoreRuns, FairpoolCommand):
    """`fairpool score-runs`, run by Django."""
