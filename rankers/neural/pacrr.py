"""PACRR.

Hui, Yates, Berberich and de Melo. PACRR: A Position-Aware Neural IR Model for Relevance Matching,
EMNLP 2017.

The SIGIR 2020 study counts 394,538 parameters beyond the embeddings, which fits an IDF table of
364,938 and 29,600 others. Several sizes give 29,600; this one has n-grams of 1 to 4 words, 20
filters for each, the 7 strongest signals of each n-gram length, the IDF as one more signal of each
query word, and layers of 32, 32 and 1 (the last without bias).
"""

import torch
from torch import Tensor, nn

from rankers.neural.inputs import QUERY_TOKENS, TokenVectors
from rankers.neural.kernels import cosine_matrix

SIZES = (2, 3, 4)
FILTERS = 20
STRONGEST = 7
HIDDEN = 32


class PACRR(nn.Module):
    """score = MLP of the strongest n-gram matches of each query word, and of its IDF."""

    fixed_lengths = True

    def __init__(self, dimensions: int) -> None:  # noqa: ARG002 - every network takes it
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Sequential(
                nn.ConstantPad2d((0, size - 1, 0, size - 1), 0.0), nn.Conv2d(1, FILTERS, size)
            )
            for size in SIZES
        )
        signals = STRONGEST * (1 + len(SIZES)) + 1
        self.hidden = nn.Linear(QUERY_TOKENS * signals, HIDDEN)
        self.second = nn.Linear(HIDDEN, HIDDEN)
        self.output = nn.Linear(HIDDEN, 1, bias=False)

    def forward(self, inputs: TokenVectors) -> Tensor:
        # A window of padding alone gives the same signal wherever it is: one such row and as many
        # such columns as can be among the strongest stand for all of them.
        n_query, n_document = inputs.n_places
        n_rows, n_columns = n_query + 1, n_document + STRONGEST
        cosines = cosine_matrix(inputs.query[:, :n_rows], inputs.document[:, :n_columns])
        image = cosines.unsqueeze(1)
        # C^1 = M; C^n = max over the filters of the n x n convolution
        matrices = [cosines, *(torch.relu(conv(image).amax(dim=1)) for conv in self.convolutions)]
        # P_i = the k largest of C^1_i, ..., C^n_i, and softmax(IDF)_i
        strongest = torch.cat([matrix.topk(STRONGEST, dim=2).values for matrix in matrices], dim=2)
        rest = strongest[:, -1:].expand(-1, QUERY_TOKENS - strongest.shape[1], -1)
        signals = torch.cat(
            [torch.cat([strongest, rest], dim=1), self._idf(inputs).unsqueeze(2)], dim=2
        )
        hidden = torch.relu(self.hidden(signals.flatten(1)))
        return self.output(torch.relu(self.second(hidden))).squeeze(1)

    def _idf(self, inputs: TokenVectors) -> Tensor:
        words = inputs.query_mask > 0
        weights = torch.softmax(inputs.query_idf.masked_fill(~words, -1e9), dim=1)
        return weights * words
