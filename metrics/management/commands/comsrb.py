from ...cli.comsrb import ComSRB
from ..command import FairpoolCommand


class Command(ComSRB, FairpoolCommand):
    """`fairpool comsrb`, run by Django."""
