"""Encoders and cross-encoders out of a local folder, an installed package, or a model hub.

Loading is that of transformers and sentence-transformers; ours is what is refused: pickled weights,
and weights that do not fit, which they would replace by random ones.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import transformers
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils._validators import validate_repo_id
from safetensors import SafetensorError
from sentence_transformers import CrossEncoder, SentenceTransformer
from torch import nn

from metrics.errors import InputError
from metrics.io.files import sha256_of
from rankers.training_settings import Head

_MODULES = "modules.json"
_SETTINGS = "config_sentence_transformers.json"
_QUIET = {
    "_raise_exceptions_for_missing_entries": False,
    "_raise_exceptions_for_connection_errors": False,
}

#: The parts of a model that may be new: none, the pooler (which encoders do not use), or all of
#: the head, which training starts from.
_New = Literal["nothing", "pooler", "head"]
_NAMED = 3
_LOADERS: dict[Head, Any] = {
    "pooler": transformers.AutoModelForSequenceClassification,
    "first token": transformers.AutoModelForTokenClassification,
}

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


def load_tokenizer(model: str) -> Any:
    """The tokenizer of a local folder or a hub name."""
    return _read(transformers.AutoTokenizer, model)


def load_config(model: str) -> Any:
    """The `config.json` of a local folder or a hub name, as transformers reads it."""
    return _read(transformers.AutoConfig, model)


def _read(kind: Any, model: str) -> Any:
    try:
        return kind.from_pretrained(model, local_files_only=_is_local(model))
    except (OSError, ValueError) as error:
        raise unloadable(error, model) from error


def load_encoder(model: str) -> nn.Module:
    """The encoder without a head; weights from safetensors only, so that no pickle is loaded."""
    return _load(transformers.AutoModel, model, new="pooler")


def is_sentence_encoder(model: str) -> bool:
    """Return whether the model's files are those of a bi-encoder of sentence-transformers.

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
    try:
        file = transformers.utils.cached_file(model, name, **_QUIET)
    except (OSError, ValueError) as error:
        raise unloadable(error, model) from error
    return None if file is None else Path(file)


def load_sentence_encoder(model: str) -> Any:
    """The `SentenceTransformer` of a local folder or a hub name; weights from safetensors only."""
    encoder = _load_learner(SentenceTransformer, model, new="pooler")
    if encoder.similarity_fn_name not in {"cosine", "dot"}:
        raise InputError(
            f"compares vectors by {encoder.similarity_fn_name}, not by cosine or dot product.",
            path=model,
        )
    return encoder


def load_pair_encoder(model: str) -> Any:
    """The `CrossEncoder` of sentence-transformers with one label, new where the model has none."""
    return _load_learner(CrossEncoder, model, new="head", num_labels=1)


def _load_learner(kind: Any, model: str, *, new: _New, **options: Any) -> Any:
    local = _is_local(model)
    if local and (pickled := _pickled_weights(Path(model))):
        raise InputError(
            "weights in pickle files are not loaded.",
            path=pickled,
            remedy="Save the model as safetensors.",
        )
    try:
        learner = kind(
            model,
            device="cpu",
            local_files_only=local,
            model_kwargs={"use_safetensors": True, "ignore_mismatched_sizes": True},
            **options,
        )
        # It does not report missing weights: transformers is asked again, without weights.
        _, loading = type(learner[0].model).from_pretrained(
            learner[0].model.name_or_path,
            config=learner[0].model.config,
            local_files_only=True,
            use_safetensors=True,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
            device_map="meta",
        )
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise unloadable(error, model) from error
    _check_weights(learner[0].model, loading, model, new)
    check_vocabulary(learner[0].model, learner.tokenizer, model)
    if learner.tokenizer.pad_token_id is None:
        raise InputError("has no token that pads texts.", path=model, remedy="Give an encoder.")
    return learner


def _pickled_weights(folder: Path) -> Path | None:
    """The first pickled weights of a model that has no others beside them."""
    pickled = sorted(folder.rglob("pytorch_model*.bin"))
    return next((path for path in pickled if not any(path.parent.glob("*.safetensors"))), None)


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


def load_cross_encoder(
    model: str, n_labels: int = 2, *, new_head: bool = False, head: Head = "pooler"
) -> tuple[Any, Any]:
    """The encoder with its head of `n_labels`, and its tokenizer.

    With `new_head` a model without one, or without a pooler below it, gets a random one to train.
    A `head` on the first token is linear, without dropout.
    """
    loader = _LOADERS[head]
    encoder = _load(loader, model, new="head" if new_head else "nothing", num_labels=n_labels)
    if head == "first token" and isinstance(getattr(encoder, "dropout", None), nn.Dropout):
        encoder.dropout.p = 0.0
    tokenizer = load_tokenizer(model)
    check_vocabulary(encoder, tokenizer, model)
    return encoder, tokenizer


def load_text_to_text(model: str) -> tuple[Any, Any]:
    """A model that reads text and writes text, such as T5, and its tokenizer."""
    encoder = _load(transformers.AutoModelForSeq2SeqLM, model, new="nothing")
    tokenizer = load_tokenizer(model)
    check_vocabulary(encoder, tokenizer, model)
    return encoder, tokenizer


def _is_local(model: str) -> bool:
    return Path(model).exists()


def _load(loader: Any, model: str, *, new: _New, **options: Any) -> Any:
    try:
        loaded, loading = loader.from_pretrained(
            model,
            local_files_only=_is_local(model),
            use_safetensors=True,
            ignore_mismatched_sizes=True,  # to be named
            output_loading_info=True,
            **options,
        )
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise unloadable(error, model) from error
    _check_weights(loaded, loading, model, new)
    return loaded


def _check_weights(loaded: Any, loading: dict[str, Any], model: str, new: _New) -> None:
    """Refuse weights that transformers would replace by random ones, or leave out.

    `loading` is what transformers says of its loading. Heads of other tasks may be left out.
    """
    base = f"{loaded.base_model_prefix}."
    parts = {name for name, _ in (*loaded.named_children(), *loaded.base_model.named_children())}

    def may_be_new(key: str) -> bool:
        in_head = loaded.base_model is not loaded and not key.startswith(base)
        is_pooler = "pooler" in key.split(".")
        return (new == "head" and in_head) or (new != "nothing" and is_pooler)

    missing = [key for key in loading["missing_keys"] if not may_be_new(key)]
    check_fit(
        model,
        missing=missing,
        # Unknown names may explain missing ones.
        unknown=(
            key
            for key in loading["unexpected_keys"]
            if missing or key.removeprefix(base).split(".")[0] in parts
        ),
        of_other_shape=(key for key, *_shapes in loading["mismatched_keys"]),
    )


def check_fit(
    model: str | Path,
    *,
    missing: Iterable[str] = (),
    unknown: Iterable[str] = (),
    of_other_shape: Iterable[str] = (),
) -> None:
    """Raise `InputError` with the names of weights that do not fit their model, if any does not."""
    parts = {
        "missing": sorted(missing),
        "not known": sorted(unknown),
        "of another shape": sorted(of_other_shape),
    }
    problems = [f"{_listed(keys)} {_is(keys)} {what}" for what, keys in parts.items() if keys]
    if problems:
        raise InputError(
            f"its weights do not fit its architecture: {'; '.join(problems)}.",
            path=model,
            remedy="Save the weights with the model that they were trained in.",
        )


def _is(keys: list[str]) -> str:
    return "is" if len(keys) == 1 else "are"


def _listed(keys: list[str]) -> str:
    others = f" and {len(keys) - _NAMED:,} others" if len(keys) > _NAMED else ""
    return f"{', '.join(keys[:_NAMED])}{others}"


def unloadable(error: Exception, model: str) -> InputError:
    """Return the error for a model that cannot be loaded, from a folder or the hub."""
    what = "cannot load the model"
    if not _is_local(model):
        try:
            validate_repo_id(model)
            what = "there is no such folder, and no such model on the hub"
        except HFValidationError:
            what = "no such folder"
    first_line = str(error).strip().splitlines()[0]
    return InputError(
        f"{what}." if what == "no such folder" else f"{what}: {first_line}",
        path=model,
        remedy="Give a folder with config.json, a vocabulary and model.safetensors, or the name "
        "of a model on the hub.",
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


def count_parameters(module: nn.Module) -> dict[str, int]:
    """Count the parameters, and those of them that are trained."""
    parameters = list(module.parameters())
    return {
        "total": sum(parameter.numel() for parameter in parameters),
        "trainable": sum(parameter.numel() for parameter in parameters if parameter.requires_grad),
    }
