from ...cli.measures import Measures
from ..command import FairpoolCommand


class Command(Measures, FairpoolCommand):
    """`fairpool measures`, run by Django."""
