"""Encoders and cross-encoders out of a local folder, an installed package, or a model hub."""

import hashlib
import json
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from sentence_transformers import CrossEncoder, SentenceTransformer
from torch import Tensor, nn

from metrics.errors import InputError
from metrics.io.files import sha256_of

_MODULES = "modules.json"
_SETTINGS = "config_sentence_transformers.json"
_QUIET = {
    "_raise_exceptions_for_missing_entries": False,
    "_raise_exceptions_for_connection_errors": False,
}

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


def load_tokenizer(model: str) -> Any:
    """The tokenizer of a local folder or a hub name."""
    return _load(transformers.AutoTokenizer, model)


def load_encoder(model: str) -> nn.Module:
    """The encoder without a head; weights from safetensors only, so that no pickle is loaded."""
    return _load(transformers.AutoModel, model, use_safetensors=True)


def is_sentence_encoder(model: str) -> bool:
    """Whether the model's files are those of a bi-encoder of sentence-transformers.

    Its cross-encoders have `modules.json`, too, since version 6; their settings name the kind.
    """
    if _own_file(model, _MODULES) is None:
        return False
    settings = _own_file(model, _SETTINGS)
    if settings is None:
        return True
    try:
        return json.loads(settings.read_text(encoding="utf-8")).get("model_type") != "CrossEncoder"
    except (ValueError, AttributeError) as error:
        raise InputError(f"is not a JSON object: {error}.", path=settings) from error


def _own_file(model: str, name: str) -> Path | None:
    if Path(model).exists():
        path = Path(model) / name
        return path if path.is_file() else None
    found = transformers.utils.cached_file(model, name, **_QUIET)
    return None if found is None else Path(found)


def load_sentence_encoder(model: str) -> Any:
    """The `SentenceTransformer` of a local folder or a hub name; weights from safetensors only."""
    encoder = _load_learner(SentenceTransformer, model)
    if encoder.similarity_fn_name not in {"cosine", "dot"}:
        raise InputError(
            f"compares vectors by {encoder.similarity_fn_name}, not by cosine or dot product.",
            path=model,
        )
    return encoder


def load_pair_encoder(model: str) -> Any:
    """The `CrossEncoder` of sentence-transformers with one label, new where the model has none."""
    return _load_learner(CrossEncoder, model, num_labels=1)


def _load_learner(kind: Any, model: str, **options: Any) -> Any:
    local = Path(model).exists()
    if local and (pickled := sorted(Path(model).rglob("*.bin"))):
        raise InputError(
            "weights in pickle files are not loaded.",
            path=pickled[0],
            remedy="Save the model as safetensors.",
        )
    try:
        learner = kind(
            model,
            device="cpu",
            local_files_only=local,
            model_kwargs={"use_safetensors": True},
            **options,
        )
    except (OSError, ValueError, SafetensorError) as error:
        raise _unloadable(error, model) from error
    check_vocabulary(learner[0].model, learner.tokenizer, model)
    return learner


def check_vocabulary(encoder: nn.Module, tokenizer: Any, model: str) -> None:
    """Refuse a tokenizer with more tokens than the encoder has vectors: it is another model's."""
    n_tokens, n_vectors = len(tokenizer), encoder.get_input_embeddings().num_embeddings
    if n_tokens > n_vectors:
        raise InputError(
            f"its tokenizer has {n_tokens:,} tokens, its weights {n_vectors:,}: it is the "
            "tokenizer of another model.",
            path=model,
            remedy="Save the model with its own tokenizer.",
        )


def load_cross_encoder(model: str, n_labels: int = 2) -> tuple[Any, Any]:
    """The encoder with a head of `n_labels`, new where the model has none; and its tokenizer."""
    loader = transformers.AutoModelForSequenceClassification
    encoder = _load(loader, model, use_safetensors=True, num_labels=n_labels)
    tokenizer = load_tokenizer(model)
    check_vocabulary(encoder, tokenizer, model)
    return encoder, tokenizer


def load_text_to_text(model: str) -> tuple[Any, Any]:
    """A model that reads text and writes text, such as T5, and its tokenizer."""
    encoder = _load(transformers.AutoModelForSeq2SeqLM, model, use_safetensors=True)
    tokenizer = load_tokenizer(model)
    check_vocabulary(encoder, tokenizer, model)
    return encoder, tokenizer


def _load(loader: Any, model: str, **options: Any) -> Any:
    local = Path(model).exists()
    try:
        return loader.from_pretrained(model, local_files_only=local, **options)
    except (OSError, ValueError, SafetensorError) as error:
        raise _unloadable(error, model) from error


def _unloadable(error: Exception, model: str) -> InputError:
    first_line = str(error).strip().splitlines()[0]
    return InputError(
        f"cannot load the model: {first_line}",
        path=model,
        remedy="Give a folder with config.json, a vocabulary and model.safetensors, or the "
        "name of a model on the hub.",
    )


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
