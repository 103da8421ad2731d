"""Models on disk: safetensors, vocabulary and `model.json`, or a folder of transformers."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from metrics.errors import InputError
from metrics.io.parts import part_folder
from metrics.version import VERSION
from rankers.neural.pretrained import (
    check_fit,
    count_parameters,
    is_sentence_encoder,
    load_config,
    load_cross_encoder,
    load_sentence_encoder,
    load_text_to_text,
)
from rankers.neural.registry import NETWORKS
from rankers.neural.transformer_models import BiEncoder, CrossEncoder, MonoT5, head_of
from rankers.neural.vocabulary import read_vocabulary
from rankers.neural.word_model import WordModel
from rankers.training_settings import Head
from rankers.vocabulary import ModelKind

#: Irrelevant and relevant.
RELEVANCE_LABELS = 2
PairModel = WordModel | CrossEncoder | BiEncoder | MonoT5


def save_model(
    model: PairModel, folder: Path, description: dict[str, Any], *, force: bool = False
) -> None:
    """Write the model's folder, all of it or nothing; `force` replaces one of other files.

    `model.json` holds `description` (seed, settings, hashes of the inputs, transferred parameters),
    the architecture, the counts of parameters and the versions.
    """
    has_others = folder.exists() and any(folder.iterdir())
    if has_others and not force and not (folder / "model.json").exists():
        raise InputError("holds other files.", path=folder, remedy="Choose a new --output.")
    try:
        with part_folder(folder) as temporary:
            _write_weights(model, temporary)
            text = json.dumps(_card(model) | description, ensure_ascii=False, indent=2) + "\n"
            (temporary / "model.json").write_text(text, encoding="utf-8")
            if folder.exists():
                shutil.rmtree(folder)
            temporary.chmod(0o755)
            os.replace(temporary, folder)  # noqa: PTH105 - replaces an empty folder too
    except SafetensorError as error:  # its error on a full disk
        raise InputError(
            f"cannot be written: {error}.", path=folder, remedy="Is the disk full?"
        ) from error


def _write_weights(model: PairModel, folder: Path) -> None:
    if isinstance(model, WordModel):
        save_file(model.state_dict(), folder / "model.safetensors")
        model.vocabulary.write(folder)
    elif isinstance(model, BiEncoder):
        model.encoder.save_pretrained(str(folder), create_model_card=False)
    else:
        model.model.save_pretrained(folder)
        model.tokenizer.save_pretrained(folder)


def _card(model: PairModel) -> dict[str, Any]:
    card: dict[str, Any] = {
        "architecture": model.architecture,
        "parameters": count_parameters(model),
        "versions": {
            "fairpool": VERSION,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "numpy": np.__version__,
        },
    }
    if isinstance(model, CrossEncoder):
        card["head"] = model.head
    if isinstance(model, WordModel):
        card |= {"dimensions": model.embedding.embedding_dim, "exact_width": model.exact_width}
    return card


def load_model(model: str, device: torch.device, kind: ModelKind = "auto") -> PairModel:
    """A model of `fairpool train`, a cross-encoder or a bi-encoder, ready to score.

    A model of sentence-transformers (`modules.json`) is a bi-encoder, one with a head that
    classifies a cross-encoder. Anything else is refused: its files do not say how it scores. Of a
    T5 the caller may say that it is a `monot5`.
    """
    folder = Path(model)
    card = _read_card(folder)
    loaded: PairModel
    if kind == "monot5":
        loaded = MonoT5(*load_text_to_text(model))
    elif card.get("architecture") in NETWORKS:
        loaded = _load_word_model(folder, card)
    elif is_sentence_encoder(model):
        loaded = BiEncoder(load_sentence_encoder(model))
    else:
        head: Head = card.get("head", "pooler")
        loaded = CrossEncoder(*load_cross_encoder(model, _labels(model, head), head=head))
    loaded.to(device)
    loaded.eval()
    return loaded


def check_encoder(model: str) -> None:
    """Refuse a model that a ranker of pairs cannot start from: no encoder of transformers."""
    architecture = _read_card(Path(model)).get("architecture")
    if architecture in NETWORKS:
        raise InputError(
            f"is a {architecture}, not a transformer.",
            path=model,
            remedy=f"Train it again with --model {architecture}, or give an encoder.",
        )
    config = load_config(model)
    is_encoder = config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if not is_encoder or config.is_encoder_decoder or getattr(config, "is_decoder", False):
        kinds = ", ".join(config.architectures or [config.model_type])
        raise InputError(
            f"is not an encoder ({kinds}): it has no first token that reads both texts.",
            path=model,
            remedy="Give an encoder such as BERT.",
        )


def sizes_of(model: PairModel, folder: str) -> dict[str, int]:
    """The sizes of a model for the sidecar of its runs, see `metrics.runs.sidecar.SIZES`.

    Only a model that `fairpool train` made says how many of its parameters were transferred.
    """
    transferred = _read_card(Path(folder)).get("transferred_parameters")
    sizes = {"n_parameters": count_parameters(model)["total"]}
    return sizes if transferred is None else {**sizes, "n_transferred": int(transferred)}


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / "model.json"
    if not path.exists():
        return {}
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"is not JSON: {error}.", path=path) from None
    return card


def _labels(model: str, head: Head) -> int:
    """Number of labels of a cross-encoder's head: 1, or 2 of which the second is relevance."""
    config = load_config(model)
    kinds = config.architectures or []
    is_ours = head == "first token" and any(head_of(kind) == head for kind in kinds)
    if not is_ours and not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise InputError(
            f"is not a ranker ({', '.join(kinds) or 'of no architecture'}): its files say neither "
            "how texts are scored nor how vectors are pooled.",
            path=model,
            remedy="Give a cross-encoder, or a bi-encoder of sentence-transformers; a monoT5 takes "
            "--kind monot5.",
        )
    n_labels = int(config.num_labels)
    if n_labels > RELEVANCE_LABELS:
        raise InputError(f"has {n_labels} labels, not a score of relevance.", path=model)
    return n_labels


def _load_word_model(folder: Path, card: dict[str, Any]) -> WordModel:
    vocabulary = read_vocabulary(folder)
    model = WordModel(
        card["architecture"], len(vocabulary), card["dimensions"], card["exact_width"]
    )
    path = folder / "model.safetensors"
    try:
        loading = model.load_state_dict(load_file(path), strict=False)
    except (OSError, RuntimeError, SafetensorError) as error:
        raise InputError(f"cannot be loaded: {error}.", path=path) from error
    check_fit(path, missing=loading.missing_keys, unknown=loading.unexpected_keys)
    model.use_vocabulary(vocabulary)
    return model
