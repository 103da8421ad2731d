"""Texts alone, in memory or of a column, through the compiled kernels."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...io.columns import string_column
from ...vocabulary import Tokenizer
from ..lexicon import Lexicon
from ..magnitude import Scores
from .fast import Scorer
from .reading import BLOCK_SIZE


def scoring_columns(lexicon: Lexicon, tokenizer: Tokenizer) -> Callable[[pa.StringArray], Scores]:
    """Return the function that scores an Arrow array of texts."""
    scorer = Scorer(lexicon, tokenizer)
    # Not `pa.scalar`: it would import pandas, which takes a quarter second.
    empty, feed = string_column(["", "\n"])

    def score(texts: pa.StringArray) -> Scores:
        ended = pc.binary_join_element_wise(texts, empty, feed)
        _, bounds, joined = ended.buffers()
        ends = np.frombuffer(bounds, dtype=np.int32)[1 : len(ended) + 1].astype(np.int64)
        return scorer.score_ended(joined, ends)

    return score


def score_encoded(texts: list[bytes], lexicon: Lexicon, tokenizer: Tokenizer) -> Scores:
    """Score texts in UTF-8."""
    scorer = Scorer(lexicon, tokenizer)
    parts: list[Scores] = []
    start = 0
    while start < len(texts):
        stop, size = start, 0
        while stop < len(texts) and (stop == start or size + len(texts[stop]) < BLOCK_SIZE):
            size += len(texts[stop]) + 1
            stop += 1
        joined = b"\n".join(texts[start:stop]) + b"\n"
        ends = np.cumsum([len(text) + 1 for text in texts[start:stop]])
        parts.append(scorer.score_ended(joined, ends))
        start = stop
    return Scores(
        n_tokens=np.concatenate([part.n_tokens for part in parts]),
        tc={group: np.concatenate([part.tc[group] for part in parts]) for group in lexicon.groups},
        tf={group: np.concatenate([part.tf[group] for part in parts]) for group in lexicon.groups},
    )
