from ...cli.counterfactual import Counterfactual
from ..command import FairpoolCommand


class Command(Counterfactual, FairpoolCommand):
    """`fairpool counterfactual`, run by Django."""
