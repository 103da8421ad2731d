"""Re-ranking of finished runs that trades relevance for gender balance."""

from .objectives import reorder
from .rerank import reranked, write_reranked
from .sweep import Front, sweep

__all__ = ["Front", "reorder", "reranked", "sweep", "write_reranked"]
