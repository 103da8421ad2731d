"""ConvKNRM.

Dai, Xiong, Callan and Liu. Convolutional Neural Networks for Soft-Matching N-Grams in Ad-hoc
Search, WSDM 2018.
"""

import torch
from torch import Tensor, nn

from rankers.neural.inputs import TokenVectors
from rankers.neural.kernels import MEANS, KernelPooling

WIDTHS = (1, 2, 3)
FILTERS = 300


class ConvKNRM(nn.Module):
    """score = w . [phi(M^{h_q, h_d})]: kernel features of every n-gram length against every one."""

    fixed_lengths = False

    def __init__(self, dimensions: int, filters: int = FILTERS) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Sequential(
                nn.ConstantPad1d((0, width - 1), 0.0), nn.Conv1d(dimensions, filters, width)
            )
            for width in WIDTHS
        )
        self.pooling = KernelPooling()
        self.output = nn.Linear(len(MEANS) * len(WIDTHS) ** 2, 1, bias=False)

    def forward(self, inputs: TokenVectors) -> Tensor:
        queries, documents = self._ngrams(inputs.query), self._ngrams(inputs.document)
        features = [
            self.pooling(q.transpose(1, 2) @ d, inputs.query_mask, inputs.document_mask)
            for q in queries
            for d in documents
        ]
        return self.output(torch.cat(features, dim=1)).squeeze(1)

    def _ngrams(self, vectors: Tensor) -> list[Tensor]:
        """The n-grams of each width (B, F, L), of length 1, so that a product is a cosine."""
        # g_i^h = relu(W^h . T_{i:i+h} + b^h)
        channels = vectors.transpose(1, 2)
        return [
            nn.functional.normalize(torch.relu(conv(channels)), dim=1) for conv in self.convolutions
        ]
