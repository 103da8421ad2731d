"""Kernel pooling, which KNRM and ConvKNRM share."""

import torch
from torch import Tensor, nn

#: mu of the eleven kernels: one for exact matches, ten from .9 down to -.9.
MEANS = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1, -0.1, -0.3, -0.5, -0.7, -0.9)
#: sigma of the kernel of exact matches, and of the ten others.
EXACT_WIDTH, WIDTH = 1e-3, 0.1

_SMALLEST = 1e-10
_SCALE = 0.01  # keeps the features small; from the authors' released code, the paper is silent


def cosine_matrix(query: Tensor, document: Tensor) -> Tensor:
    """M (B, Q, D): M_ij = cos(q_i, d_j) of token vectors (B, Q, E) and (B, D, E)."""
    q = nn.functional.normalize(query, dim=-1)
    d = nn.functional.normalize(document, dim=-1)
    return q @ d.transpose(1, 2)


class KernelPooling(nn.Module):
    """From a matrix of cosines (B, Q, D) to soft-match features (B, 11)."""

    means: Tensor
    widths: Tensor

    def __init__(self) -> None:
        super().__init__()
        # Constants, neither counted as parameters nor stored.
        self.register_buffer("means", torch.tensor(MEANS), persistent=False)
        widths = torch.tensor([EXACT_WIDTH, *[WIDTH] * (len(MEANS) - 1)])
        self.register_buffer("widths", widths, persistent=False)

    def forward(self, cosines: Tensor, query_mask: Tensor, document_mask: Tensor) -> Tensor:
        # K_k(M_i) = sum_j exp(-(M_ij - mu_k)^2 / (2 sigma_k^2))
        apart = cosines.unsqueeze(-1) - self.means
        kernels = torch.exp(-(apart**2) / (2 * self.widths**2))
        soft_tf = (kernels * document_mask[:, None, :, None]).sum(dim=2)
        # phi_k = sum_i log K_k(M_i), over the words of the query
        logs = torch.log(soft_tf.clamp(min=_SMALLEST)) * _SCALE
        return (logs * query_mask.unsqueeze(-1)).sum(dim=1)
