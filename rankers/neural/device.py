"""Where torch computes, and the settings under which the same seed gives the same bytes."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn

from metrics.errors import InputError

DEVICES = ("auto", "cpu", "cuda", "mps")


def choose_device(name: str) -> torch.device:
    """The device of this name; `auto` takes a GPU where there is one."""
    available = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if name == "auto":
        name = next(kind for kind in ("cuda", "mps", "cpu") if available[kind])
    if not available.get(name, False):
        raise InputError(
            f"this machine has no device {name!r}.", remedy=f"Use one of {', '.join(DEVICES)}."
        )
    return torch.device(name)


def seed_everything(seed: int) -> None:
    """Seed every generator that training may use, and take deterministic kernels."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - libraries draw from the global generator
    torch.manual_seed(seed)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(mode=True, warn_only=True)


@contextmanager
def plain_memory_errors() -> Iterator[None]:
    """Turn running out of the device's memory into an `InputError`."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise InputError(
            "the device ran out of memory.",
            remedy="Use a smaller --batch-size or --device cpu.",
        ) from None


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch the model to evaluation, and back to what each of its parts was."""
    were_training = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, was_training in were_training:
            module.training = was_training
