from ...cli.compare_runs import CompareRuns
from ..command import FairpoolCommand


class Command(CompareRuns, FairpoolCommand):
    """`fairpool compare-runs`, run by Django."""
