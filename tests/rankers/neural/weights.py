"""The weights of a model, to show that a frozen one has not changed."""

import hashlib

import torch
from torch import nn


def state_hash(module: nn.Module) -> str:
    """SHA-256 over the bytes of all weights."""
    digest = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
