"""What the networks over word vectors read."""

from dataclasses import dataclass

from torch import Tensor

QUERY_TOKENS = 30
DOCUMENT_TOKENS = 180


@dataclass(frozen=True)
class TokenVectors:
    """Word vectors of B pairs: `query` (B, Q, E), `document` (B, D, E), zero for no word.

    The masks (B, Q) and (B, D) are 1 at words, 0 elsewhere. `query_idf` (B, Q).
    """

    query: Tensor
    document: Tensor
    query_mask: Tensor
    document_mask: Tensor
    query_idf: Tensor
