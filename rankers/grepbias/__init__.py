"""Grep-BiasIR: the tables of Sundararaman & Subramanian 2022 from anyone's logits."""

from .dataset import CATEGORIES, Pair, read_pairs
from .logits import LOGITS, Alpha, LogitRun, parse_alpha, read_logits, write_logits

__all__ = [
    "CATEGORIES",
    "LOGITS",
    "Alpha",
    "LogitRun",
    "Pair",
    "parse_alpha",
    "read_logits",
    "read_pairs",
    "write_logits",
]
