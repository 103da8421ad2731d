"""A collection with the genders swapped, to see whether a ranker treats it otherwise."""

from metrics.counterfactual.pairs import Pairs, read_pairs
from metrics.counterfactual.rewriting import Rewritten, rewrite_collection
from metrics.counterfactual.substitution import substitution

__all__ = ["Pairs", "Rewritten", "read_pairs", "rewrite_collection", "substitution"]
