"""Encoders and cross-encoders out of a local folder, an installed package, or a model hub."""

import hashlib
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from metrics.errors import InputError
from metrics.io.files import sha256_of

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


def load_tokenizer(model: str) -> Any:
    """The tokenizer of a local folder or a hub name."""
    return _load(transformers.AutoTokenizer, model)


def load_encoder(model: str) -> nn.Module:
    """The encoder without a head; weights from safetensors only, so that no pickle is loaded."""
    return _load(transformers.AutoModel, model, use_safetensors=True)


def load_cross_encoder(model: str, n_labels: int = 2) -> nn.Module:
    """The encoder with a classification head of `n_labels`, new where the model has none."""
    loader = transformers.AutoModelForSequenceClassification
    return _load(loader, model, use_safetensors=True, num_labels=n_labels)


def _load(loader: Any, model: str, **options: Any) -> Any:
    local = Path(model).exists()
    try:
        return loader.from_pretrained(model, local_files_only=local, **options)
    except (OSError, ValueError) as error:
        first_line = str(error).strip().splitlines()[0]
        raise InputError(
            f"cannot load the model: {first_line}",
            path=model,
            remedy="Give a folder with config.json, a vocabulary and model.safetensors, or the "
            "name of a model on the hub.",
        ) from error


def model_hash(model: str) -> str:
    """SHA-256 over the names and bytes of a local model's files; of the name for a hub model."""
    digest = hashlib.sha256()
    folder = Path(model)
    if not folder.is_dir():
        return hashlib.sha256(model.encode()).hexdigest()
    for path in sorted(folder.iterdir()):
        if path.suffix in {".json", ".txt", ".safetensors"}:
            digest.update(f"{path.name} {sha256_of(path)}\n".encode())
    return digest.hexdigest()


def mean_pooled(hidden: Tensor, mask: Tensor) -> Tensor:
    """Mean of the token vectors (B, L, H) that the mask (B, L) keeps."""
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-9)


def count_parameters(module: nn.Module) -> dict[str, int]:
    """How many parameters there are, and how many of them are trained."""
    parameters = list(module.parameters())
    return {
        "total": sum(one.numel() for one in parameters),
        "trainable": sum(one.numel() for one in parameters if one.requires_grad),
    }


def state_hash(module: nn.Module) -> str:
    """SHA-256 over the bytes of all weights, to show that a frozen model has not changed."""
    digest = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
