"""Work that `measurements.bench.neural` times; imports torch."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from sentence_transformers import CrossEncoder as Reference

from rankers.grepbias import Pair
from rankers.neural.grepbias import GRID, Encoder, encode_once, settings_for, train_adapters
from rankers.neural.model_folder import save_model
from rankers.neural.registry import NETWORKS
from rankers.neural.reranking import score_pairs
from rankers.neural.starting import Start, start_model

CPU = torch.device("cpu")


def rerankers(folder: Path, pairs: list[tuple[str, str]]) -> dict[str, Callable[[], object]]:
    """Scoring all pairs with each model, and with the reference on the same tiny BERT."""
    torch.set_num_threads(1)
    texts = [text for _, text in pairs]
    bert, _ = start_model(Start("bert", dimensions=128), lambda: texts, CPU)
    bert.eval()
    save_model(bert, folder / "bert", {})
    reference = Reference(str(folder / "bert"), device="cpu", max_length=256)
    techniques: dict[str, Callable[[], object]] = {
        "CrossEncoder of sentence-transformers, tiny BERT": lambda: reference.predict(
            pairs, batch_size=32, show_progress_bar=False
        ),
        "bert, the same tiny BERT": partial(score_pairs, bert, pairs),
    }
    for name in NETWORKS:
        model, _ = start_model(Start(name), lambda: texts, CPU)
        model.eval()
        techniques[name] = partial(score_pairs, model, pairs)
    return techniques


def grid_seconds(folder: Path, *, n_alphas: int, n_plain: int) -> tuple[float, float]:
    """Seconds of a grid that encodes once, and of one that encodes for each weighting."""
    genders = ("M", "F", "N")
    pairs = [
        Pair("Career", f"{i // 6}", f"{i}", genders[i % 3], i % 6 < 3, "a query", f"text {i} " * 30)  # type: ignore[arg-type]
        for i in range(48)
    ]
    encoder_folder = folder / "encoder"
    model, _ = start_model(
        Start("bert", dimensions=128), lambda: [pair.text for pair in pairs], CPU
    )
    model.model.bert.save_pretrained(encoder_folder)
    model.tokenizer.save_pretrained(encoder_folder)
    encoder = Encoder(str(encoder_folder), device="cpu")
    settings = settings_for("adapter")
    start = time.perf_counter()
    train_adapters(encode_once(encoder, pairs), pairs, "Career", GRID[:n_alphas], settings)
    once = time.perf_counter() - start
    start = time.perf_counter()
    for alpha in GRID[1 : 1 + n_plain]:
        train_adapters(encode_once(encoder, pairs), pairs, "Career", [alpha], settings)
    return once, (time.perf_counter() - start) / n_plain * n_alphas
