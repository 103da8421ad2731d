"""MatchPyramid. Pang, Lan, Guo, Xu, Wan and Cheng. Text Matching as Image Recognition, AAAI 2016.

Sizes of the SIGIR 2020 study: five convolutions, pooling from 36 x 90 down to 3 x 10.
"""

from functools import reduce

import torch
from torch import Tensor, nn

from rankers.neural.inputs import TokenVectors
from rankers.neural.kernels import cosine_matrix

CHANNELS = 16
POOLING = ((36, 90), (18, 60), (9, 30), (6, 20), (3, 10))


class MatchPyramid(nn.Module):
    """score = MLP(z), z the cosines of all pairs of words after convolutions and max-pooling."""

    fixed_lengths = True

    def __init__(self, dimensions: int) -> None:  # noqa: ARG002 - every network takes it
        super().__init__()
        self.layers = nn.ModuleList()
        for level in range(len(POOLING)):
            self.layers.append(
                nn.Sequential(
                    nn.ConstantPad2d((0, 2, 0, 2), 0.0),
                    nn.Conv2d(CHANNELS if level else 1, CHANNELS, 3),
                )
            )
        rows, columns = POOLING[-1]
        self.hidden = nn.Linear(CHANNELS * rows * columns, 100)
        self.second = nn.Linear(100, 10)
        self.output = nn.Linear(10, 1, bias=False)

    def forward(self, inputs: TokenVectors) -> Tensor:
        # The convolution of padding is the same everywhere: a row and a column of it are enough.
        n_query, n_document = inputs.n_places
        n_rows, n_columns = n_query + 1, n_document + 1
        query, document = inputs.query[:, :n_rows], inputs.document[:, :n_columns]
        image = cosine_matrix(query, document).unsqueeze(1)  # z^0 = M
        shape = (inputs.query.shape[1], inputs.document.shape[1])
        for layer, size in zip(self.layers, POOLING, strict=True):
            # z^{l+1} = max-pool(relu(w^l * z^l + b^l)) = relu(max-pool(w^l * z^l + b^l))
            image, shape = torch.relu(_max_pooled(layer(image), shape, size)), size
        hidden = torch.relu(self.hidden(image.flatten(1)))
        return self.output(torch.relu(self.second(hidden))).squeeze(1)


def _max_pooled(image: Tensor, shape: tuple[int, int], size: tuple[int, int]) -> Tensor:
    """Adaptive max-pooling to `size` of images of `shape`.

    `image` (B, C, R, D) may be smaller: then its last row and column stand for all that follow.
    """
    if image.shape[2:] == shape:
        return nn.functional.adaptive_max_pool2d(image, size)
    for dim in (3, 2):
        n_in, n_out, last = shape[dim - 2], size[dim - 2], image.shape[dim] - 1
        cells = torch.arange(n_out, device=image.device)
        starts, ends = cells * n_in // n_out, -(-(cells + 1) * n_in // n_out)
        width = int((ends - starts).max())
        places = [torch.minimum(starts + i, ends - 1).clamp(max=last) for i in range(width)]
        windows = [image.index_select(dim, place) for place in places]
        image = reduce(torch.maximum, windows)
    return image
