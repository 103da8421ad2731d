"""Transformers as models that score pairs of texts: cross-encoders and bi-encoders."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from rankers.neural.pretrained import mean_pooled

MAX_TOKENS = 256


class CrossEncoder(nn.Module):
    """Reads query and passage as one text.

    The score is the log-odds of relevance: z_1 - z_0 of a head with two labels, z of one.
    """

    architecture = "bert"

    def __init__(self, model: nn.Module, tokenizer: Any, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        self.max_tokens = max_tokens

    def prepare(self, queries: Sequence[str], texts: Sequence[str]) -> Any:
        return self.tokenizer(
            list(queries),
            list(texts),
            truncation="longest_first",
            max_length=self.max_tokens,
            padding=True,
            return_tensors="pt",
        ).to(self.model.device)

    def forward(self, batch: Any) -> Tensor:
        return _log_odds(self.model(**batch).logits)

    def score_and_represent(self, batch: Any) -> tuple[Tensor, Tensor]:
        """Scores (B,) and the vectors (B, H) of the first token, which adversaries read."""
        output = self.model(**batch, output_hidden_states=True)
        return _log_odds(output.logits), output.hidden_states[-1][:, 0]


def _log_odds(logits: Tensor) -> Tensor:
    return logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]


class BiEncoder(nn.Module):
    """Reads query and passage by themselves; the score is the cosine of their mean vectors."""

    architecture = "bi-encoder"

    def __init__(self, encoder: nn.Module, tokenizer: Any, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__()
        self.encoder = encoder
        self.tokenizer = tokenizer
        self.max_tokens = max_tokens

    def embed(self, texts: Sequence[str]) -> Tensor:
        """Normalised vectors (B, H)."""
        tokens = self.tokenizer(
            list(texts),
            truncation=True,
            max_length=self.max_tokens,
            padding=True,
            return_tensors="pt",
        ).to(self.encoder.device)
        hidden = self.encoder(**tokens).last_hidden_state
        return nn.functional.normalize(mean_pooled(hidden, tokens["attention_mask"]), dim=1)

    def prepare(self, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[str], list[str]]:
        return list(queries), list(texts)

    def forward(self, batch: tuple[list[str], list[str]]) -> Tensor:
        queries, texts = batch
        distinct = list(dict.fromkeys(queries))
        place = torch.tensor([distinct.index(query) for query in queries])
        return (self.embed(distinct)[place] * self.embed(texts)).sum(dim=1)
