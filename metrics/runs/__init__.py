"""TREC runs: any dialect in, one `Run` in ranked order out."""

from ..vocabulary import ORDERS, Order
from .reading import read_run, read_runs
from .run import Notice, Run, check_run_name

__all__ = ["ORDERS", "Notice", "Order", "Run", "check_run_name", "read_run", "read_runs"]
