"""Fine-tuning of pretrained models by the trainers of sentence-transformers.

A bi-encoder learns to tell the relevant passage of a query from its negative and from the other
passages of the batch (MultipleNegativesRankingLoss; Henderson et al. 2017), a cross-encoder to tell
relevant pairs from the others one by one (BinaryCrossEntropyLoss; Nogueira & Cho 2019).
"""

import math
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import datasets
import torch
from datasets import Dataset
from datasets.exceptions import DatasetGenerationError
from peft import LoraConfig, get_peft_model
from sentence_transformers import (
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.cross_encoder import (
    CrossEncoderTrainer,
    CrossEncoderTrainingArguments,
)
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from torch import nn
from transformers import PrinterCallback, TrainerCallback

from metrics.errors import InputError
from rankers.fine_tuning_settings import FineTuning
from rankers.neural.device import plain_memory_errors, seed_everything
from rankers.neural.pretrained import count_parameters, load_pair_encoder, load_sentence_encoder
from rankers.neural.transformer_models import BiEncoder, CrossEncoder
from rankers.neural.triples import Triple, Triples

#: Share of the steps in which the learning rate rises.
_WARM_UP = 0.1

datasets.disable_progress_bars()


def fine_tune(
    model: str,
    triples: Triples,
    settings: FineTuning,
    device: torch.device,
    progress: Callable[[], object] = lambda: None,
) -> tuple[BiEncoder | CrossEncoder, dict[str, Any]]:
    """The model of a folder or of the hub, trained on the triples; and what is known of it.

    `progress` is called after each of the `settings.n_steps` batches. Same seed, device and
    threads, same weights. Raises `InputError` for a model that cannot be loaded, for more frozen
    layers than it has, and for a loss that is not a number.
    """
    seed_everything(settings.seed)
    is_pair = settings.kind == "cross-encoder"
    learner = load_pair_encoder(model) if is_pair else load_sentence_encoder(model)
    learner.model_card_data.widget = [{}]  # no model card is written: it needs no examples
    learner.to(device)
    learner[0].max_seq_length = min(settings.max_tokens, learner[0].max_seq_length)
    with (
        tempfile.TemporaryDirectory() as folder,
        plain_memory_errors(),
        warnings.catch_warnings(action="ignore", category=FutureWarning),  # theirs of each other
    ):
        n_trained = _prepare(learner[0], settings)
        arguments = {
            "output_dir": folder,
            "num_train_epochs": settings.epochs,
            "max_steps": settings.max_steps or -1,
            "per_device_train_batch_size": settings.batch_size,
            "learning_rate": settings.learning_rate,
            "warmup_steps": _WARM_UP,
            "bf16": settings.bf16,
            "seed": settings.seed,
            "use_cpu": device.type == "cpu",
            "dataloader_pin_memory": device.type != "cpu",
            "save_strategy": "no",
            "logging_strategy": "no",
            "report_to": "none",
            "disable_tqdm": True,
        }
        trainer = (_pair_trainer if is_pair else _vector_trainer)(
            learner, triples, arguments, folder
        )
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(_Progress(progress))
        found = trainer.train()
    if not math.isfinite(found.training_loss):
        raise InputError(
            "the loss is not a finite number.", remedy="Use a smaller --learning-rate."
        )
    if settings.lora:
        learner[0].model = learner[0].model.merge_and_unload()
    tuned = CrossEncoder(learner.model, learner.tokenizer) if is_pair else BiEncoder(learner)
    tuned.eval()
    return tuned, {
        "n_steps": found.global_step,
        "mean_loss": found.training_loss,
        "trained_parameters": n_trained,
    }


def _prepare(transformer: Any, settings: FineTuning) -> int:
    """Choose what is trained; how many parameters that is."""
    model = transformer.model
    if settings.lora:
        task = "SEQ_CLS" if settings.kind == "cross-encoder" else "FEATURE_EXTRACTION"
        transformer.model = get_peft_model(
            model,
            LoraConfig(
                task_type=task,
                r=settings.lora,
                lora_alpha=2 * settings.lora,
                target_modules="all-linear",
            ),
        )
    elif settings.frozen_layers:
        _freeze(model, settings.frozen_layers)
    return count_parameters(transformer.model)["trainable"]


def _freeze(model: Any, n_layers: int) -> None:
    """Train neither the embeddings nor the first layers."""
    layers = max((one for one in model.modules() if isinstance(one, nn.ModuleList)), key=len)
    if n_layers > len(layers):
        raise InputError(f"the model has {len(layers)} layers.", remedy="Freeze fewer.")
    base = model.base_model
    for module in (getattr(base, "embeddings", base.get_input_embeddings()), *layers[:n_layers]):
        module.requires_grad_(requires_grad=False)


def _vector_trainer(
    learner: Any, triples: Triples, arguments: dict[str, Any], folder: str
) -> SentenceTransformerTrainer:
    rows = (
        {"anchor": one.query, "positive": one.positive, "negative": one.negative}
        for one in _in_order(triples)
    )
    return SentenceTransformerTrainer(
        model=learner,
        # A passage that is also another query's would be taken for irrelevant to it.
        args=SentenceTransformerTrainingArguments(**arguments, batch_sampler="no_duplicates"),
        train_dataset=_dataset(rows, folder),
        loss=MultipleNegativesRankingLoss(learner),
    )


def _pair_trainer(
    learner: Any, triples: Triples, arguments: dict[str, Any], folder: str
) -> CrossEncoderTrainer:
    rows = (
        {"query": one.query, "passage": text, "label": label}
        for one in _in_order(triples)
        for text, label in ((one.positive, 1.0), (one.negative, 0.0))
    )
    return CrossEncoderTrainer(
        model=learner,
        args=CrossEncoderTrainingArguments(**arguments),
        train_dataset=_dataset(rows, folder),
        loss=BinaryCrossEntropyLoss(learner),
    )


def _in_order(triples: Triples) -> Iterator[Triple]:
    """The triples in one order: the trainers shuffle them by their own seed."""
    return triples.shuffled(torch.Generator().manual_seed(0))


def _dataset(rows: Iterable[dict[str, Any]], folder: str) -> Dataset:
    """A dataset on disk, which takes little memory whatever its size."""
    try:
        # Its fingerprint would be made of a pickled generator.
        return Dataset.from_generator(lambda: rows, cache_dir=folder, fingerprint="triples")
    except DatasetGenerationError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise InputError(
            f"the triples cannot be kept here: {error.__cause__.strerror}.",
            path=folder,
            remedy="Is the disk full?",
        ) from error


class _Progress(TrainerCallback):
    def __init__(self, progress: Callable[[], object]) -> None:
        self._progress = progress

    def on_step_end(self, *_args: Any, **_options: Any) -> None:
        self._progress()
