from ...cli.field_table import FieldTable
from ..command import FairpoolCommand


class Command(FieldTable, FairpoolCommand):
    """`fairpool field-table`, run by Django."""
