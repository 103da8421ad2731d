"""Re-ranking of finished runs that trades relevance for gender balance."""

from .objectives import METHODS, Method, reorder
from .rerank import reranked, write_reranked
from .sweep import Front, sweep

__all__ = ["METHODS", "Front", "Method", "reorder", "reranked", "sweep", "write_reranked"]
