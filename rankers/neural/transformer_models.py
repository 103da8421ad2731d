"""Transformers as models that score pairs of texts: cross-encoders and bi-encoders."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

#: Tokens that a pair may have, where the model does not take fewer.
MAX_TOKENS = 512


class CrossEncoder(nn.Module):
    """Reads query and passage as one text.

    The score is the log-odds of relevance: z_1 - z_0 of a head with two labels, z of one.
    """

    architecture = "bert"

    def __init__(self, model: Any, tokenizer: Any, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        self.max_tokens = min(max_tokens, int(model.config.max_position_embeddings))

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
    """Reads query and passage by themselves, as the model's own files say.

    Pooling, normalisation, prompts of queries and of passages, and whether vectors are compared by
    cosine or by dot product are those of sentence-transformers.
    """

    architecture = "bi-encoder"

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder

    @property
    def dimensions(self) -> int:
        return int(self.encoder.get_embedding_dimension())

    def embed_queries(self, texts: Sequence[str]) -> Tensor:
        """Vectors (B, H) whose dot product with those of passages is the score."""
        return self._embed(self.encoder.encode_query, texts)

    def embed_passages(self, texts: Sequence[str]) -> Tensor:
        """Vectors (B, H) whose dot product with those of queries is the score."""
        return self._embed(self.encoder.encode_document, texts)

    def _embed(self, encode: Any, texts: Sequence[str]) -> Tensor:
        return encode(
            list(texts),
            batch_size=len(texts),
            convert_to_tensor=True,
            normalize_embeddings=self.encoder.similarity_fn_name == "cosine",
            show_progress_bar=False,
        )

    def prepare(self, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[str], list[str]]:
        return list(queries), list(texts)

    def forward(self, batch: tuple[list[str], list[str]]) -> Tensor:
        queries, texts = batch
        distinct = list(dict.fromkeys(queries))
        place = torch.tensor([distinct.index(query) for query in queries])
        return (self.embed_queries(distinct)[place] * self.embed_passages(texts)).sum(dim=1)
