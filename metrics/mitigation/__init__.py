"""Re-ranking of finished runs that trades relevance for gender balance.

`sweep`, which draws, is imported by itself.
"""

from .objectives import reorder
from .rerank import reranked, write_reranked

__all__ = ["reorder", "reranked", "write_reranked"]
