"""The two tokenisers, as readable definitions. Faster code elsewhere must agree with them."""

import re
from collections.abc import Iterator

from ..errors import InputError, InputTypeError
from ..public import public
from ..vocabulary import TOKENIZERS, Tokenizer

# The group is what stands before the first apostrophe.
_WORD = re.compile(r"(\w+)(?:['’]\w+)*")
_BETWEEN_SPACES = re.compile("[^ ]+")


@public
def tokenize(text: str, tokenizer: Tokenizer = "word") -> list[str]:
    """The tokens of `text`, lower-cased as `str.lower` does it, in their order.

    `word`, for new studies: runs of Unicode word characters (letters, digits, `_`), which may
    hold apostrophes inside; each is cut at its first apostrophe, so that "She's" is `she`.

    `whitespace`, to reproduce published tables: what stands between single spaces (U+0020 only);
    "he," keeps its comma, and the empty strings between two spaces are not tokens.

    >>> tokenize("She's here, he said", "word")
    ['she', 'here', 'he', 'said']
    >>> tokenize("She's here,  he said", "whitespace")
    ["she's", 'here,', 'he', 'said']
    """
    if not isinstance(text, str):
        raise InputTypeError(
            f"the text is {text!r}.",
            remedy="Give one text; for several: [tokenize(text) for text in texts].",
        )
    lowered = text.lower()
    if tokenizer == "word":
        words: list[str] = _WORD.findall(lowered)
        return words
    if tokenizer == "whitespace":
        return [token for token in lowered.split(" ") if token]
    raise InputError(f'no tokenizer "{tokenizer}".', remedy=f"Use one of {', '.join(TOKENIZERS)}.")


def token_spans(text: str, tokenizer: Tokenizer) -> Iterator[tuple[str, int, int]]:
    """The tokens of `tokenize`, each with where it begins and ends in `text`.

    >>> list(token_spans("So, She's", "word"))
    [('so', 0, 2), ('she', 4, 7)]
    """
    lowered = text.lower()
    pattern = _WORD if tokenizer == "word" else _BETWEEN_SPACES
    spans = [match.span() for match in pattern.finditer(lowered)]
    # A few letters become two when they are lowered: then places in `lowered` are not places here.
    origin = range(len(text) + 1) if len(lowered) == len(text) else _origins(text)
    for token, (start, _stop) in zip(tokenize(text, tokenizer), spans, strict=True):
        yield token, origin[start], origin[start + len(token)]


def _origins(text: str) -> list[int]:
    """For each place in the lowered text, the place in `text` that it comes from."""
    places = (place for place, letter in enumerate(text) for _ in letter.lower())
    return [*places, len(text)]
