"""Scoring texts in memory, for a notebook: as many as one likes, without a file."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import InputTypeError
from ...extras import need
from ...kernels import are_worth_loading, expect
from ...public import public
from ...vocabulary import Tokenizer
from ..lexicon import Lexicon, read_lexicon
from ..magnitude import Scores
from ..magnitude import score_texts as by_definition
from . import reading


@public
def score_texts(
    texts: Iterable[str] | Mapping[str, str],
    lexicon: Lexicon | Mapping[str, Iterable[str]] | str | Path | None = None,
    tokenizer: Tokenizer = "word",
) -> Scores:
    """Group counts and magnitudes of passages, as arrays of one entry per passage.

    `scores.n_tokens`: int32, shape (n,). `scores.tc[g]`: int32, occurrences of words of group g.
    `scores.tf[g]`: float64, sum over the words of g of log(1 + occurrences), natural logarithm
    (Rekabsaz & Schedl 2020, equation 1). `lexicon` is what `read_lexicon` takes.
    Of `{docno: text}` the texts are scored, in its order. Raises `InputError` for what is not text.
    Beyond 16 million characters, of all calls together, compiled kernels compute the same bits.

    >>> scores = score_texts(["He said he saw her."])
    >>> int(scores.n_tokens[0]), int(scores.tc["m"][0]), int(scores.tc["f"][0])
    (5, 2, 1)
    """
    kept, lexicon = _listed(texts), read_lexicon(lexicon)
    expect("marks", sum(map(len, kept)))
    if not kept or not are_worth_loading("marks", reading.SMALL):
        return by_definition(kept, lexicon, tokenizer)
    try:
        encoded = [text.encode() for text in kept]
    except UnicodeEncodeError:
        # Half a surrogate pair is not text that a file could hold, but a string may.
        return by_definition(kept, lexicon, tokenizer)
    # Imported only now: Numba takes half a second to load.
    scores: Scores = import_module(".fast_texts", __package__).score_encoded(
        encoded, lexicon, tokenizer
    )
    return scores


@public
def score_batch(batch: Any, lexicon: Lexicon | None = None, tokenizer: Tokenizer = "word") -> Any:
    """Group counts and magnitudes of the passages of a table: Arrow in, Arrow out, row by row.

    `batch` is an Arrow table or record batch, or a data frame of pandas or polars. Its columns are
    named as fields of JSON lines: `id` or `docno`, `text` or `contents`, perhaps `title` (see
    `read_collection`). The result is a record batch where one is given, else a table, with the
    columns of a scored collection: `docno`, `n_tokens` (int32), and for each group g of the
    lexicon `{g}_tc` (int32) and `{g}_tf` (float64). For anything that maps batches: Ray Data, Dask,
    Spark's `mapInArrow`, DuckDB, Polars, `datasets.map`. Needs `fairpool[fast]`; kernels are loaded
    as for `score_texts`. Raises `InputError` with the row, from 1.
    """
    return need("..batches", __package__).score_batch(batch, lexicon, tokenizer)


def _listed(texts: Any) -> list[str]:
    """The texts, each of which is one."""
    if isinstance(texts, str) or hasattr(texts, "columns"):
        what = "one string" if isinstance(texts, str) else "a table"
        raise InputTypeError(
            f"the texts are {what}.", remedy="Give a list of texts, or one column."
        )
    if not isinstance(texts, Iterable):
        raise InputTypeError(f"the texts are {texts!r}.", remedy="Give a list of texts.")
    kept = list(texts.values() if isinstance(texts, Mapping) else texts)
    for place, text in enumerate(kept):
        if not isinstance(text, str):
            raise InputTypeError(
                f"text {place + 1} is {str(text)[:40]!r}, not text.",
                remedy='Give text, and "" where there is none.',
            )
    return kept
