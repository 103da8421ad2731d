"""TREC runs: any dialect in, one `Run` in ranked order out."""

from metrics.runs.reading import read_run, read_runs
from metrics.runs.run import ORDERS, Notice, Order, Run, check_run_name

__all__ = ["ORDERS", "Notice", "Order", "Run", "check_run_name", "read_run", "read_runs"]
