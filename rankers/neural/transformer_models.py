"""Transformers as models that score pairs of texts: cross-encoders, bi-encoders, and monoT5."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from metrics.errors import InputError
from rankers.training_settings import Head

#: Tokens that a pair may have, where the model does not take fewer.
MAX_TOKENS = 512


class CrossEncoder(nn.Module):
    """Reads query and passage as one text.

    The score is the log-odds of relevance: z_1 - z_0 of a head with two labels, z of one. A model
    that classifies tokens is read at the first one: its head is a linear layer on that vector,
    where the usual head stands behind a pooler.
    """

    architecture = "bert"

    @property
    def head(self) -> Head:
        """Where the head of relevance reads."""
        return head_of(type(self.model).__name__)

    def __init__(self, model: Any, tokenizer: Any, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        # Some count positions from behind that of the padding; their tokenizer has the number.
        positions = (model.config.max_position_embeddings, tokenizer.model_max_length)
        self.max_tokens = int(min(max_tokens, *positions))

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


def head_of(architecture: str) -> Head:
    """Where the head of a model of this class of transformers reads."""
    return "first token" if architecture.endswith("ForTokenClassification") else "pooler"


def _log_odds(logits: Tensor) -> Tensor:
    if logits.dim() == 3:  # noqa: PLR2004 - of each token
        logits = logits[:, 0]
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


class MonoT5(nn.Module):
    """A T5 that answers whether a passage is relevant to a query, "true" or "false".

    It reads "Query: q Document: d Relevant:", of a long passage the beginning; the score is the
    log-odds of the answer, z("true") - z("false"). Nogueira, Jiang, Pradeep & Lin. *Document
    Ranking with a Pretrained Sequence-to-Sequence Model*, Findings of EMNLP 2020.
    """

    architecture = "monot5"

    def __init__(self, model: Any, tokenizer: Any, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        self.max_tokens = max_tokens
        self._answers = [self._token(word) for word in ("true", "false")]
        self._question = [*self._tokens("Relevant:"), tokenizer.eos_token_id]

    def _tokens(self, text: str) -> list[int]:
        tokens: list[int] = self.tokenizer(text, add_special_tokens=False).input_ids
        return tokens

    def _token(self, word: str) -> int:
        tokens = self._tokens(word)
        if len(tokens) != 1 or tokens == [self.tokenizer.unk_token_id]:
            raise InputError(f"its vocabulary has no token for {word!r}: it is not a monoT5.")
        return tokens[0]

    def prepare(self, queries: Sequence[str], texts: Sequence[str]) -> Any:
        read = self.tokenizer(
            [f"Query: {q} Document: {d}" for q, d in zip(queries, texts, strict=True)],
            add_special_tokens=False,
            truncation=True,
            max_length=self.max_tokens - len(self._question),
        )
        tokens = [[*ids, *self._question] for ids in read.input_ids]
        padded = self.tokenizer.pad({"input_ids": tokens}, return_tensors="pt")
        return padded.to(self.model.device)

    def forward(self, batch: Any) -> Tensor:
        start = torch.full(
            (len(batch.input_ids), 1),
            self.model.config.decoder_start_token_id,
            device=self.model.device,
        )
        logits = self.model(**batch, decoder_input_ids=start).logits[:, 0]
        true, false = (logits[:, token] for token in self._answers)
        return true - false
