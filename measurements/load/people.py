"""The people of the load test: their names, how they come in, and what they answer.

An answer is a function of who answers what, so that every single one can be checked afterwards.
"""

import hashlib

CODES = "nfmo"
#: The password of those with an account, and the panel that sends the others.
PASSWORD = "only for the load test"
PANEL = "load"


def category(annotator: str, qid: str) -> str:
    """The category that `annotator` gives to the query `qid`."""
    return CODES[hashlib.sha256(f"{annotator}:{qid}".encode()).digest()[0] % len(CODES)]


def name_of(number: int) -> str:
    """The name of annotator `number`, on every site."""
    return f"load-{number:04d}"
