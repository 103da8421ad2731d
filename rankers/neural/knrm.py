"""KNRM. Xiong, Dai, Callan, Liu and Power. End-to-End Neural Ad-hoc Ranking, SIGIR 2017."""

from torch import Tensor, nn

from rankers.neural.inputs import TokenVectors
from rankers.neural.kernels import MEANS, KernelPooling, cosine_matrix


class KNRM(nn.Module):
    """score = w . phi(M), phi the kernel features of the cosines of all pairs of words."""

    fixed_lengths = False

    def __init__(self, dimensions: int) -> None:  # noqa: ARG002 - every network takes it
        super().__init__()
        self.pooling = KernelPooling()
        self.output = nn.Linear(len(MEANS), 1, bias=False)

    def forward(self, inputs: TokenVectors) -> Tensor:
        cosines = cosine_matrix(inputs.query, inputs.document)  # M_ij
        features = self.pooling(cosines, inputs.query_mask, inputs.document_mask)  # phi
        return self.output(features).squeeze(1)
