"""Inputs of the networks over word vectors."""

from dataclasses import dataclass

from torch import Tensor

QUERY_TOKENS = 30
DOCUMENT_TOKENS = 180


@dataclass(frozen=True)
class TokenVectors:
    """Word vectors of B pairs: `query` (B, Q, E), `document` (B, D, E), zero for no word.

    The masks (B, Q) and (B, D) are 1 at known words, 0 elsewhere. `query_idf` (B, Q).
    """

    query: Tensor
    document: Tensor
    query_mask: Tensor
    document_mask: Tensor
    query_idf: Tensor

    @property
    def n_places(self) -> tuple[int, int]:
        """Places of the longest query and the longest document, up to their last words."""
        return _last_place(self.query_mask), _last_place(self.document_mask)


def _last_place(mask: Tensor) -> int:
    places = mask.sum(dim=0).nonzero()
    return int(places[-1]) + 1 if len(places) else 0
