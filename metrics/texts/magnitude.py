"""Text to group counts and magnitudes: the definition, and the oracle of the fast path.

Rekabsaz & Schedl (SIGIR 2020), equation 1, with log(1 + count) in the place of log(count), which
is undefined at 0.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache, reduce
from operator import add
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import InputAttributeError, InputError, InputTypeError
from ..vocabulary import Tokenizer
from .lexicon import Lexicon
from .tokens import tokenize

LOG_TABLE_SIZE = 1024

# The magnitudes that are whole numbers: what is computed from them is exact.
COUNTS = frozenset({"bool", "tc"})
# Those that the occurrences of a group's words tell.
OF_COUNTS = COUNTS | {"logtc"}
_EXACT = Context(prec=40)
_COLUMNS_OF_SCORES = 'Use .n_tokens, and of each group .tc["f"] and .tf["f"].'


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Group words of a lexicon in the passages of a collection; row i is passage i.

    `n_tokens`: int32, tokens of each passage. `tc[g]`: int32, occurrences of words of group g.
    `tf[g]`: float64, sum over the words of group g of log(1 + occurrences), natural logarithm.
    """

    n_tokens: NDArray[np.int32]
    tc: Mapping[str, NDArray[np.int32]]
    tf: Mapping[str, NDArray[np.float64]]

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.n_tokens)

    def __getitem__(self, key: object) -> NoReturn:
        raise InputTypeError(
            f"scores of texts are columns, and none is named {key!r}.", remedy=_COLUMNS_OF_SCORES
        )

    def __getattr__(self, name: str) -> Any:
        raise InputAttributeError(f"scores of texts have no {name!r}.", remedy=_COLUMNS_OF_SCORES)


@cache
def log1p_count(count: int) -> float:
    """The double nearest to log(1 + count): the same bits on every machine, unlike `math.log`."""
    return float(Decimal(1 + count).ln(_EXACT))


@cache
def log_table() -> NDArray[np.float64]:
    """log(1 + n) for n below `LOG_TABLE_SIZE`: the one table that every path adds from."""
    table = np.array([log1p_count(count) for count in range(LOG_TABLE_SIZE)])
    table.flags.writeable = False
    return table


def score_text(
    text: str, lexicon: Lexicon, tokenizer: Tokenizer
) -> tuple[int, list[int], list[float]]:
    """Tokens of one passage, then `tc` and `tf` for each of `lexicon.groups`.

    `tf` adds, from the smallest number of occurrences n to the greatest, log(1 + n) times the
    words that occur n times: the sum has the same bits for whichever words of whichever group.
    """
    tokens = tokenize(text, tokenizer)
    counts = Counter(token for token in tokens if token in lexicon.group_of)
    tc, tf = [], []
    for words in lexicon.words:
        present = [counts[word] for word in counts.keys() & words]
        tc.append(sum(present))
        terms = [words * log1p_count(n) for n, words in sorted(Counter(present).items())]
        # Not sum(): from Python 3.12 on it compensates, and gives other last bits.
        tf.append(reduce(add, terms, 0.0))
    return len(tokens), tc, tf


def score_texts(texts: Iterable[str], lexicon: Lexicon, tokenizer: Tokenizer = "word") -> Scores:
    """Group counts and magnitudes of passages, as arrays of one entry per passage.

    >>> from metrics.texts.lexicon import read_lexicon
    >>> scores = score_texts(["He said he saw her."], read_lexicon())
    >>> int(scores.n_tokens[0]), int(scores.tc["m"][0]), int(scores.tc["f"][0])
    (5, 2, 1)
    >>> round(float(scores.tf["m"][0]), 6)
    1.098612
    """
    rows = [score_text(text, lexicon, tokenizer) for text in texts]
    return Scores(
        n_tokens=np.array([row[0] for row in rows], dtype=np.int32),
        tc={
            group: np.array([row[1][i] for row in rows], dtype=np.int32)
            for i, group in enumerate(lexicon.groups)
        },
        tf={
            group: np.array([row[2][i] for row in rows], dtype=np.float64)
            for i, group in enumerate(lexicon.groups)
        },
    )


def unmatchable_words(lexicon: Lexicon, tokenizer: Tokenizer) -> list[str]:
    """Words of the lexicon that the tokenizer never makes, such as "step-mother" with `word`."""
    return [word for word in lexicon.group_of if tokenize(word, tokenizer) != [word]]


def log1p_counts(counts: NDArray[np.int32]) -> NDArray[np.float64]:
    """log(1 + count) of each count, with the bits of `log1p_count`."""
    distinct, place = np.unique(counts, return_inverse=True)
    return np.array([log1p_count(int(count)) for count in distinct])[place]


def _per_token(
    n_tokens: NDArray[np.int32], tc: NDArray[np.int32], _tf: NDArray[np.float64]
) -> NDArray[np.float64]:
    return tc / np.maximum(n_tokens, 1)


# Each takes n_tokens, tc and tf of one group and gives one float64 per passage.
_Magnitude = Callable[
    [NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]], NDArray[np.float64]
]
MAGNITUDES: Mapping[str, _Magnitude] = {
    "tf": lambda _n_tokens, _tc, tf: tf,
    "logtc": lambda _n_tokens, tc, _tf: log1p_counts(tc),
    "bool": lambda _n_tokens, tc, _tf: (tc > 0).astype(np.float64),
    "tc": lambda _n_tokens, tc, _tf: tc.astype(np.float64),
    "tfnorm": _per_token,
}
#: For people who choose one.
MEANINGS: Mapping[str, str] = {
    "tf": "log(1 + occurrences), summed over the words of a group",
    "logtc": "log(1 + occurrences of all words of a group)",
    "bool": "1 where any word of a group occurs",
    "tc": "occurrences of the words of a group",
    "tfnorm": "occurrences per token of the passage",
}


def whole_numbers(name: str, values: NDArray[np.float64]) -> NDArray[Any]:
    """The values of a magnitude as int64 where it is one of `COUNTS`, so that sums are exact."""
    return values.astype(np.int64) if name in COUNTS else values


def magnitude(
    name: str,
    n_tokens: NDArray[np.int32],
    tc: NDArray[np.int32],
    tf: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The magnitude `name` of one group for each passage, from what a scored collection stores.

    `tf`: sum over words of log(1 + occurrences). `logtc`: log(1 + occurrences of all words), what
    the released notebook of 2020 calls tf. `bool`: 1 where any word occurs. `tc`: occurrences.
    `tfnorm`: occurrences per token, 0 for an empty passage.
    """
    if name not in MAGNITUDES:
        raise InputError(f'no magnitude "{name}".', remedy=f"Use one of {', '.join(MAGNITUDES)}.")
    return MAGNITUDES[name](n_tokens, tc, tf)
