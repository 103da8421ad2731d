"""Scoring texts in memory, for a notebook: as many as one likes, without a file."""

from collections.abc import Iterable
from importlib import import_module

from ...errors import InputError
from ...kernels import AVAILABLE, worth_loading
from ...vocabulary import Tokenizer
from ..lexicon import Lexicon, read_lexicon
from ..magnitude import Scores
from ..magnitude import score_texts as by_definition
from . import reading


def score_texts(
    texts: Iterable[str], lexicon: Lexicon | None = None, tokenizer: Tokenizer = "word"
) -> Scores:
    """Group counts and magnitudes of passages, as arrays of one entry per passage.

    `scores.n_tokens`: int32, shape (n,). `scores.tc[g]`: int32, occurrences of words of group g.
    `scores.tf[g]`: float64, sum over the words of g of log(1 + occurrences), natural logarithm
    (Rekabsaz & Schedl 2020, equation 1). `lexicon` defaults to that of `read_lexicon()`.
    Beyond 16 million characters compiled kernels compute the same bits.

    >>> scores = score_texts(["He said he saw her."])
    >>> int(scores.n_tokens[0]), int(scores.tc["m"][0]), int(scores.tc["f"][0])
    (5, 2, 1)
    """
    if isinstance(texts, str):
        raise InputError("the texts are one string.", remedy="Give a list of texts.")
    kept, lexicon = list(texts), lexicon or read_lexicon()
    if not AVAILABLE or sum(map(len, kept)) <= worth_loading(reading.SMALL, "marks"):
        return by_definition(kept, lexicon, tokenizer)
    try:
        encoded = [text.encode() for text in kept]
    except UnicodeEncodeError:
        # Half a surrogate pair is no text that a file could hold, but a string may.
        return by_definition(kept, lexicon, tokenizer)
    # Imported only now: Numba takes half a second to load.
    scores: Scores = import_module(".fast_texts", __package__).score_encoded(
        encoded, lexicon, tokenizer
    )
    return scores
