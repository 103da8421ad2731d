"""Word vectors to start from: random, or the rows of a GloVe text file."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from metrics.errors import InputError
from metrics.io.lines import MAX_LINE, numbered_lines, open_text
from rankers.neural.vocabulary import PADDING, Vocabulary

DIMENSIONS = 300


def random_embeddings(n_words: int, dimensions: int, seed: int) -> Tensor:
    """Vectors (n_words, dimensions) drawn from N(0, 1), zero for no word."""
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(n_words, dimensions, generator=generator)
    vectors[PADDING] = 0
    return vectors


def read_glove(path: Path, vocabulary: Vocabulary, seed: int) -> tuple[Tensor, int]:
    """Vectors of the vocabulary, and how many of its words the file has.

    A line is a word and its numbers, between single blanks; before them may stand how many words
    and how many numbers of each there are, as word2vec and fastText write it. Words that the file
    lacks start at random. Raises `InputError` with file and line for a line of another width, and
    for what is not a number.
    """
    rows: dict[int, np.ndarray[tuple[int], np.dtype[np.float32]]] = {}
    width = 0
    with open_text(path) as stream:
        for number, raw in numbered_lines(stream, path, MAX_LINE):
            word, *values = raw.decode("utf-8", "replace").rstrip(" \r\n").split(" ")
            if number == 1 and word.isdecimal() and len(values) == 1:
                continue
            width = width or len(values)
            if len(values) != width or not width:
                raise InputError(
                    f"{len(values)} numbers where the first line has {width}.",
                    path=path,
                    line=number,
                    remedy="Write a word and its vector on each line.",
                )
            if word in vocabulary.number_of:
                rows[vocabulary.number_of[word]] = _vector(values, path, number)
    if not rows:
        raise InputError("has none of the words of the collection.", path=path)
    vectors = random_embeddings(len(vocabulary), width, seed)
    for place, row in rows.items():
        vectors[place] = torch.from_numpy(row)
    return vectors, len(rows)


def _vector(
    values: list[str], path: Path, line: int
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    try:
        vector = np.array(values, dtype=np.float32)
    except ValueError:
        raise InputError("a value is not a number.", path=path, line=line) from None
    if not np.isfinite(vector).all():
        raise InputError("a value is not a finite number.", path=path, line=line)
    return vector
