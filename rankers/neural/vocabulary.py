"""Words and their numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metrics.errors import InputError

PADDING, UNKNOWN = 0, 1
_SPECIAL = ("<padding>", "<unknown>")
_WORD = re.compile(r"\w+")


def split_words(text: str) -> list[str]:
    """Lower-case words; stop words stay, because "he" and "her" are among them."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class Vocabulary:
    """`words[i]` has the number i; the first two stand for no word and for an unknown one."""

    words: tuple[str, ...]
    idf: NDArray[np.float32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def number_of(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def numbers(self, text: str, length: int) -> list[int]:
        """The numbers of the first `length` words."""
        known = self.number_of
        return [known.get(word, UNKNOWN) for word in split_words(text)[:length]]

    def write(self, folder: Path) -> None:
        rows = zip(self.words, self.idf.tolist(), strict=True)
        text = "".join(f"{word}\t{idf!r}\n" for word, idf in rows)
        (folder / "vocabulary.tsv").write_text(text, encoding="utf-8")


def build_vocabulary(texts: Iterable[str], min_count: int = 1) -> Vocabulary:
    """The words that occur in at least `min_count` of the texts, the most frequent first.

    idf(w) = ln(1 + N / n_w), n_w of the N texts having w.
    """
    counts: Counter[str] = Counter()
    n_texts = 0
    for text in texts:
        n_texts += 1
        counts.update(set(split_words(text)))
    kept = sorted(
        (word for word, n in counts.items() if n >= min_count),
        key=lambda word: (-counts[word], word),
    )
    idf = [0.0, 0.0, *(np.log(1 + n_texts / counts[word]) for word in kept)]
    return Vocabulary((*_SPECIAL, *kept), np.array(idf, dtype=np.float32))


def read_vocabulary(folder: Path) -> Vocabulary:
    """The reverse of `Vocabulary.write`."""
    path = folder / "vocabulary.tsv"
    if not path.is_file():
        raise InputError("no such file.", path=path, remedy="Is this a model of fairpool train?")
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    pairs: Sequence[tuple[str, str]] = [tuple(line.split("\t")) for line in lines]  # type: ignore[misc]
    idf = np.array([float(value) for _, value in pairs], dtype=np.float32)
    return Vocabulary(tuple(word for word, _ in pairs), idf)
