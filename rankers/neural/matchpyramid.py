"""MatchPyramid. Pang, Lan, Guo, Xu, Wan and Cheng. Text Matching as Image Recognition, AAAI 2016.

Sizes of the SIGIR 2020 study: five convolutions, pooling from 36 x 90 down to 3 x 10.
"""

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
        for level, size in enumerate(POOLING):
            self.layers.append(
                nn.Sequential(
                    nn.ConstantPad2d((0, 2, 0, 2), 0.0),
                    nn.Conv2d(CHANNELS if level else 1, CHANNELS, 3),
                    nn.ReLU(),
                    nn.AdaptiveMaxPool2d(size),
                )
            )
        rows, columns = POOLING[-1]
        self.hidden = nn.Linear(CHANNELS * rows * columns, 100)
        self.second = nn.Linear(100, 10)
        self.output = nn.Linear(10, 1, bias=False)

    def forward(self, inputs: TokenVectors) -> Tensor:
        image = cosine_matrix(inputs.query, inputs.document).unsqueeze(1)  # z^0 = M
        for layer in self.layers:
            image = layer(image)  # z^{l+1} = max-pool(relu(w^l * z^l + b^l))
        hidden = torch.relu(self.hidden(image.flatten(1)))
        return self.output(torch.relu(self.second(hidden))).squeeze(1)
