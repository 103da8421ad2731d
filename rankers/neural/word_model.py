"""A network over word vectors as a model that scores pairs of texts."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from rankers.neural.inputs import DOCUMENT_TOKENS, QUERY_TOKENS, TokenVectors
from rankers.neural.kernels import EXACT_WIDTH, KernelPooling
from rankers.neural.registry import NETWORKS
from rankers.neural.vocabulary import PADDING, UNKNOWN, Vocabulary


class WordModel(nn.Module):
    """An embedding table, the table of IDF where the network reads it, and the network.

    Words that the vocabulary does not have are masked in their places, as padding is: two of them
    are not a match.
    """

    def __init__(
        self,
        architecture: str,
        n_words: int,
        dimensions: int,
        exact_width: float = EXACT_WIDTH,
    ) -> None:
        super().__init__()
        self.architecture = architecture
        self.exact_width = exact_width
        # Sparse gradients: a batch touches few of the rows.
        self.embedding = nn.Embedding(n_words, dimensions, padding_idx=PADDING, sparse=True)
        self.idf = nn.Embedding(n_words, 1) if architecture == "pacrr" else None
        if self.idf is not None:
            self.idf.requires_grad_(requires_grad=False)
        self.network = NETWORKS[architecture](dimensions)
        for module in self.network.modules():
            if isinstance(module, KernelPooling):
                module.widths[0] = exact_width
        self.vocabulary = Vocabulary((), np.empty(0, dtype=np.float32))

    def use_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Read texts with this vocabulary, and take its IDF where the network reads it."""
        self.vocabulary = vocabulary
        if self.idf is not None:
            self.idf.weight.data = torch.from_numpy(vocabulary.idf).unsqueeze(1)

    def prepare(self, queries: Sequence[str], texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Numbers of the words of both sides, (B, Q) and (B, D)."""
        return self._numbers(queries, QUERY_TOKENS), self._numbers(texts, DOCUMENT_TOKENS)

    def _numbers(self, texts: Sequence[str], length: int) -> Tensor:
        rows = [self.vocabulary.numbers(text, length) for text in texts]
        width = length if self.network.fixed_lengths else max(1, *map(len, rows), 1)
        padded = torch.tensor([row + [PADDING] * (width - len(row)) for row in rows])
        padded[padded == UNKNOWN] = PADDING
        return padded.to(self.embedding.weight.device)

    def forward(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        query, document = batch
        masks = [(numbers != PADDING).to(self.embedding.weight.dtype) for numbers in batch]
        idf = masks[0] if self.idf is None else self.idf(query).squeeze(2)
        return self.network(
            TokenVectors(
                query=self.embedding(query),
                document=self.embedding(document),
                query_mask=masks[0],
                document_mask=masks[1],
                query_idf=idf,
            )
        )
