from ...cli.explain_query import ExplainQuery
from ..command import FairpoolCommand


class Command(ExplainQuery, FairpoolCommand):
    """`fairpool explain-query`, run by Django."""
