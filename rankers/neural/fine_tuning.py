"""Fine-tuning of pretrained models by the trainers of sentence-transformers.

A bi-encoder learns to tell the relevant passage of a query from its negative and from the other
passages of the batch (MultipleNegativesRankingLoss; Henderson et al. 2017), a cross-encoder to tell
relevant pairs from the others one by one (BinaryCrossEntropyLoss; Nogueira & Cho 2019).
"""

import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from safetensors import safe_open
from safetensors.torch import load_model, save_model
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
from torch.utils.data import DataLoader, IterableDataset
from transformers import PrinterCallback, TrainerCallback

from metrics.errors import InputError
from metrics.extras import need
from rankers.fine_tuning_settings import FineTuning
from rankers.neural.checkpoints import Checkpoints, interrupted, plain_disk_errors, signals_wait
from rankers.neural.device import plain_memory_errors, seed_everything
from rankers.neural.pretrained import count_parameters, load_pair_encoder, load_sentence_encoder
from rankers.neural.transformer_models import BiEncoder, CrossEncoder
from rankers.neural.triples import Triple, Triples

#: Share of the steps in which the learning rate rises.
_WARM_UP = 0.1
#: Rows that may wait for a batch without their texts; beyond them a batch stays short.
_MOST_WAITING = 4_096
_WEIGHTS = "model.safetensors"

_Row = dict[str, Any]


def fine_tune(
    model: str,
    triples: Triples,
    settings: FineTuning,
    device: torch.device,
    *,
    progress: Callable[[], object] = lambda: None,
    checkpoints: Checkpoints | None = None,
) -> tuple[BiEncoder | CrossEncoder, dict[str, Any]]:
    """Train a model of a folder or of the hub on the triples; return it with its facts.

    Triples are read as they are needed. `progress` is called after each of the
    `settings.n_steps` batches. Same seed, device and threads, same weights, also where the training
    went on from one of its `checkpoints`; SIGINT and SIGTERM end it with one after the present
    batch. Raises `InputError` for a model that cannot be loaded, for more frozen layers than it
    has, and for a loss that is not a number.
    """
    for package in ("accelerate", "datasets"):  # without them the trainers name another program
        need(package)
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
        signals_wait() as is_interrupted,
    ):
        n_trained = _prepare(learner[0], settings)
        done = checkpoints.start() if checkpoints else None
        arguments = {
            "output_dir": checkpoints.folder if checkpoints else folder,
            "max_steps": settings.n_steps(len(triples)),
            "learning_rate": settings.learning_rate,
            "warmup_steps": _WARM_UP,
            "bf16": settings.bf16,
            "seed": settings.seed,
            "use_cpu": device.type == "cpu",
            "save_strategy": "steps" if checkpoints else "no",
            "save_steps": checkpoints.every if checkpoints else 0,
            "save_total_limit": 1,
            "ignore_data_skip": True,  # the batches begin where the checkpoint ended
            "logging_strategy": "no",
            "report_to": "none",
            "disable_tqdm": True,
        }
        batches = pair_batches if is_pair else distinct_batches
        trainer = (_pair_trainer if is_pair else _vector_trainer)(learner, arguments)
        trainer.batches = _Batches(
            lambda: islice(batches(triples, settings), done.n_steps if done else 0, None)
        )
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(_AfterStep(progress, is_interrupted))
        outcome = trainer.train(resume_from_checkpoint=str(done.path) if done else None)
        if is_interrupted() and outcome.global_step < arguments["max_steps"]:
            raise interrupted(outcome.global_step, checkpoints.folder if checkpoints else None)
    if settings.lora:
        learner[0].model = learner[0].model.merge_and_unload()
    tuned = CrossEncoder(learner.model, learner.tokenizer) if is_pair else BiEncoder(learner)
    tuned.eval()
    return tuned, {
        "n_steps": outcome.global_step,
        "mean_loss": trainer.total_loss / outcome.global_step,
        "trained_parameters": n_trained,
    }


def _prepare(transformer: Any, settings: FineTuning) -> int:
    """Choose the parameters to train; return their number."""
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
    layers = max(
        (module for module in model.modules() if isinstance(module, nn.ModuleList)), key=len
    )
    if n_layers > len(layers):
        raise InputError(f"the model has {len(layers)} layers.", remedy="Freeze fewer.")
    base = model.base_model
    for module in (getattr(base, "embeddings", base.get_input_embeddings()), *layers[:n_layers]):
        module.requires_grad_(requires_grad=False)


class _Streamed:
    """Hooks of the trainers: batches that nobody stores, and weights as they are.

    A dataset of theirs would be written out before the first batch; their checkpoint of a model
    with adapters is one of the adapters alone.
    """

    batches: "_Batches"
    total_loss = 0.0

    def get_train_dataloader(self: Any) -> Any:
        # With a generator of its own: a loader draws a number when it starts, and dropout shall go
        # on where it was. One that accelerate wraps draws from that of dropout all the same.
        return DataLoader(
            self.batches,
            batch_size=None,
            collate_fn=self.data_collator,
            generator=torch.Generator(),
        )

    def training_step(self: Any, *arguments: Any, **options: Any) -> Any:
        loss = super().training_step(*arguments, **options)  # type: ignore[misc]
        if not torch.isfinite(loss):
            raise InputError(
                f"the loss is not a finite number after {self.state.global_step + 1} steps.",
                remedy="Use a smaller --learning-rate.",
            )
        self.total_loss += float(loss)
        return loss

    def _save(self: Any, output_dir: str | None = None, state_dict: Any = None) -> None:  # noqa: ARG002
        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        save_model(self.model, str(folder / _WEIGHTS), {"total_loss": repr(self.total_loss)})

    def _load_from_checkpoint(self: Any, checkpoint_path: str) -> None:
        path = str(Path(checkpoint_path) / _WEIGHTS)
        load_model(self.model, path)
        with safe_open(path, "pt") as file:
            self.total_loss = float(file.metadata()["total_loss"])

    def _save_checkpoint(self: Any, *arguments: Any, **options: Any) -> None:
        with plain_disk_errors(self.args.output_dir):
            super()._save_checkpoint(*arguments, **options)  # type: ignore[misc]


class _VectorTrainer(_Streamed, SentenceTransformerTrainer):
    pass


class _PairTrainer(_Streamed, CrossEncoderTrainer):
    pass


def _vector_trainer(learner: Any, arguments: dict[str, Any]) -> Any:
    return _VectorTrainer(
        model=learner,
        args=SentenceTransformerTrainingArguments(**arguments),
        loss=MultipleNegativesRankingLoss(learner),
    )


def _pair_trainer(learner: Any, arguments: dict[str, Any]) -> Any:
    return _PairTrainer(
        model=learner,
        args=CrossEncoderTrainingArguments(**arguments),
        loss=BinaryCrossEntropyLoss(learner),
    )


class _Batches(IterableDataset[list[_Row]]):
    def __init__(self, batches: Callable[[], Iterator[list[_Row]]]) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[list[_Row]]:
        return self._batches()


def _epochs(triples: Triples, settings: FineTuning) -> Iterator[Triple]:
    """The triples again and again, each time in another order: the trainers end it."""
    for epoch in count():
        yield from triples.shuffled(torch.Generator().manual_seed(settings.seed + epoch))


def pair_batches(triples: Triples, settings: FineTuning) -> Iterator[list[_Row]]:
    rows = (
        {"query": triple.query, "passage": text, "label": label}
        for triple in _epochs(triples, settings)
        for text, label in ((triple.positive, 1.0), (triple.negative, 0.0))
    )
    while True:
        yield list(islice(rows, settings.batch_size))


def distinct_batches(triples: Triples, settings: FineTuning) -> Iterator[list[_Row]]:
    """Batches in which no text comes twice: it would be taken for irrelevant to the other's query.

    Rows whose texts are in a batch already wait for the next.
    """
    rows = (
        {"anchor": triple.query, "positive": triple.positive, "negative": triple.negative}
        for triple in _epochs(triples, settings)
    )
    waiting: deque[_Row] = deque()
    while True:
        batch, texts, later = list[_Row](), set[str](), deque[_Row]()
        while len(batch) < settings.batch_size and len(later) < _MOST_WAITING:
            row = waiting.popleft() if waiting else next(rows)
            if texts.isdisjoint(row.values()):
                batch.append(row)
                texts.update(row.values())
            else:
                later.append(row)
        waiting = later + waiting
        yield batch


class _AfterStep(TrainerCallback):
    def __init__(self, progress: Callable[[], object], is_interrupted: Callable[[], bool]) -> None:
        self._progress, self._is_interrupted = progress, is_interrupted

    def on_step_end(self, args: Any, state: Any, control: Any, **_options: Any) -> None:
        self._progress()
        if state.global_step == state.max_steps:
            control.should_save = False  # the model itself is
        elif self._is_interrupted():
            control.should_training_stop = True
            control.should_save = args.save_strategy != "no"
