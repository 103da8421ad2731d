"""What the scan gives for a block of lines, and the scan by the definition, line by line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...errors import InputError
from ...vocabulary import Tokenizer
from ..collection import PARSERS
from ..duplicates import digest
from ..lexicon import Lexicon
from ..magnitude import Scores, score_texts
from .reading import Workspace


class Digests(NamedTuple):
    """Docnos as the search for duplicates takes them; see `Scored`."""

    digests: bytes | memoryview
    ascending: tuple[int, int] = (-1, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The passages of a block up to the first bad line.

    `digests` holds 16 bytes per docno, see `texts.duplicates`. `ascending` has the first and last
    docno where all are whole numbers that grow, as in MS MARCO, else (-1, -1). `bad_line` is the
    line after the passages that is not as it should be: parsing it as `format` raises the error.
    """

    docnos: pa.Array
    scores: Scores
    digests: bytes | memoryview
    format: str
    ascending: tuple[int, int] = (-1, -1)
    bad_line: bytes | None = None


ScoreBlock = Callable[[Workspace], Scored]


def by_definition(lexicon: Lexicon, tokenizer: Tokenizer, format_: str) -> ScoreBlock:
    """Score blocks with the readable definitions, which is quickest for a small collection."""
    parse = PARSERS[format_]

    def score(workspace: Workspace) -> Scored:
        docnos, texts, bad_line = [], [], None
        for line in workspace.lines():
            try:
                docno, text = parse(line.removesuffix(b"\r"), Path(), 0)
            except InputError:
                bad_line = line
                break
            docnos.append(docno)
            texts.append(text)
        return Scored(
            docnos=_strings(docnos),
            scores=score_texts(texts, lexicon, tokenizer),
            digests=b"".join(digest(docno.encode()) for docno in docnos),
            format=format_,
            bad_line=bad_line,
        )

    return score


def _strings(values: list[str]) -> pa.StringArray:
    """An Arrow array of them. `pa.array` would import pandas, which takes a quarter second."""
    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    data = pa.py_buffer(b"".join(encoded))
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(ends), data)
