"""Features of a query-document pair of Grep-BiasIR, as one vector."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from metrics.errors import InputError
from rankers.grepbias import Pair
from rankers.neural.device import evaluating
from rankers.neural.model_folder import PairModel
from rankers.neural.transformer_models import BiEncoder

Features = Literal["cls", "product"]
MAX_TOKENS = 256
_BATCH = 32


class PairEncoder:
    """An encoder with its tokenizer, from pairs to vectors (B, H).

    `cls`: the first token's vector of query and document read as one pair, as in the paper.
    `product`: the elementwise product of the mean-pooled, normalised vectors of query and document,
    each read by itself; made for encoders that never saw pairs.
    """

    def __init__(self, encoder: nn.Module, tokenizer: Any, features: Features) -> None:
        self.encoder = encoder
        self.features = features
        self._tokenizer = tokenizer

    def __call__(self, pairs: Sequence[Pair]) -> Tensor:
        queries, texts = [pair.query_text for pair in pairs], [pair.text for pair in pairs]
        if self.features == "cls":
            return self._hidden(queries, texts)[0][:, 0]
        return self._pooled(queries) * self._pooled(texts)

    def _pooled(self, texts: list[str]) -> Tensor:
        vectors = mean_pooled(*self._hidden(texts, None))
        return nn.functional.normalize(vectors, dim=1)

    def _hidden(self, first: list[str], second: list[str] | None) -> tuple[Tensor, Tensor]:
        tokens = self._tokenizer(
            first,
            second,
            truncation=True,
            max_length=MAX_TOKENS,
            padding=True,
            return_tensors="pt",
        ).to(next(self.encoder.parameters()).device)
        return self.encoder(**tokens).last_hidden_state, tokens["attention_mask"]


def mean_pooled(hidden: Tensor, mask: Tensor) -> Tensor:
    """Mean of the token vectors (B, L, H) that the mask (B, L) keeps."""
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-9)


@torch.no_grad()
def frozen_features(
    encode: PairEncoder, pairs: Sequence[Pair], progress: Callable[[], object] = lambda: None
) -> Tensor:
    """The vectors (N, H) of all pairs, on the CPU; the encoder is only read."""
    # Texts of one length together, so that little is padded.
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].text))
    rows: list[Tensor] = [torch.empty(0)] * len(pairs)
    with evaluating(encode.encoder):
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            vectors = encode([pairs[i] for i in places]).float().cpu()
            for place, vector in zip(places, vectors, strict=True):
                rows[place] = vector
                progress()
    return torch.stack(rows)


@torch.no_grad()
def bi_encoder_vectors(
    model: PairModel, pairs: Sequence[Pair]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The vectors (N, H) of the queries and of the documents of the pairs."""
    if not isinstance(model, BiEncoder):
        wrong = "the model is not a bi-encoder."
        raise InputError(wrong, remedy="Give one of sentence-transformers.")
    starts = range(0, len(pairs), _BATCH)
    batches = [pairs[start : start + _BATCH] for start in starts]
    queries = [model.embed_queries([pair.query_text for pair in batch]) for batch in batches]
    documents = [model.embed_passages([pair.text for pair in batch]) for batch in batches]
    return _as_numbers(queries), _as_numbers(documents)


def _as_numbers(rows: list[Tensor]) -> NDArray[np.float64]:
    return torch.cat(rows).cpu().double().numpy()


def standardised(features: Tensor, reference: Tensor | None = None) -> Tensor:
    """`features` minus mean, over standard deviation of the rows of `reference`: by default all."""
    rows = features if reference is None else reference
    scale = rows.std(dim=0, correction=0)
    return (features - rows.mean(dim=0)) / torch.where(scale > 0, scale, torch.ones_like(scale))
