"""The released notebook's way to score a collection: the reference of the scan.

A module of its own, so that to start it as a program loads no other reference.
"""

import json
import pickle
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from metrics.texts.lexicon import read_lexicon
from metrics.texts.tokens import tokenize
from metrics.vocabulary import Tokenizer

LOOP = "released notebook's loop, 1 process"


def notebook(lines: Iterable[bytes], tokenizer: Tokenizer) -> list[list[float]]:
    """The released notebook's loop, written from its description: per document a Counter of all
    tokens, per word of each group a look-up and a logarithm, results in lists.
    """
    pairs = (line.decode().rstrip("\n").split("\t", 1) for line in lines)
    return [magnitudes for _, magnitudes in _loop(pairs, tokenizer)]


def notebook_of_json(lines: Iterable[bytes], tokenizer: Tokenizer) -> list[list[float]]:
    """Run the notebook's loop on JSON lines."""
    objects = map(json.loads, lines)
    pairs = ([fields["id"], fields["contents"]] for fields in objects)
    return [magnitudes for _, magnitudes in _loop(pairs, tokenizer)]


def _loop(pairs: Iterable[list[str]], tokenizer: Tokenizer) -> Iterator[tuple[str, list[float]]]:
    lexicon = read_lexicon()
    for docno, text in pairs:
        is_plain = tokenizer == "whitespace"
        tokens = text.lower().split(" ") if is_plain else tokenize(text, tokenizer)
        counts = Counter(tokens)
        magnitudes = []
        for words in lexicon.words:
            magnitude = 0.0
            for word in words:
                if word in counts:
                    magnitude += np.log(1 + counts[word])
            magnitudes.append(magnitude)
        yield docno, magnitudes


def whole_notebook(path: str, tokenizer: Tokenizer, output: str) -> None:
    """The notebook as a program: a file of passages to a pickled dictionary."""
    with Path(path).open(encoding="utf-8", newline="\n") as file:
        pairs = (line.rstrip("\n").split("\t", 1) for line in file)
        magnitudes = dict(_loop(pairs, tokenizer))
    with Path(output).open("wb") as target:
        pickle.dump(magnitudes, target)


if __name__ == "__main__":
    whole_notebook(sys.argv[1], sys.argv[2], sys.argv[3])  # type: ignore[arg-type] # a tokenizer
