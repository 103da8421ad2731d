"""A collection with the genders swapped, to see whether a ranker treats it otherwise."""

from .pairs import Pairs, read_pairs
from .rewriting import Rewritten, rewrite_collection
from .substitution import substitution

__all__ = ["Pairs", "Rewritten", "read_pairs", "rewrite_collection", "substitution"]
