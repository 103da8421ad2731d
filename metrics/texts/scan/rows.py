"""The scan of a collection whose passages are rows of a table and no lines."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from ...io import storage as places
from ...io.columns import string_column
from ...vocabulary import Tokenizer
from ..lexicon import Lexicon
from ..magnitude import Scores, score_texts
from ..parquet_collection import file_size, read_batches
from ..repair import repair_text
from .checksum import Checksum
from .docnos import digests_of
from .reading import Workspace
from .scored import ScoreBlock, Scored
from .selection import Selection

_AT_ONCE = 8 << 20


@contextlib.contextmanager
def open_groups(
    path: str | Path, span: tuple[int, int], size: int, progress: Callable[[int], object]
) -> Iterator["RowReader"]:
    """A reader of the row groups of `span`, which `progress` counts as `size` bytes."""
    reader = RowReader(path, size, progress, span)
    with contextlib.closing(reader):
        yield reader


@contextlib.contextmanager
def open_rows(path: str | Path, checksum: Checksum) -> Iterator["RowReader"]:
    """A reader of the rows of `path`; `checksum` gets the bytes as they lie on disk."""
    reader = RowReader(path, file_size(path), checksum.progress)
    with contextlib.closing(reader), places.open_raw(path) as file:
        if places.is_url(path):
            # The footer is read first: no order of reading is that of the bytes.
            while block := file.read(_AT_ONCE):
                checksum.update(block)
        else:
            checksum.update_from_file(file.fileno())
        yield reader


class RowReader:
    """Fills workspaces with rows of a Parquet file."""

    is_long = False

    def __init__(
        self,
        path: str | Path,
        size: int,
        progress: Callable[[int], object],
        span: tuple[int, int] | None = None,
    ) -> None:
        self._size = size
        self._batches = read_batches(path, span)
        self._progress, self._seen = progress, 0

    def fill(self, workspace: Workspace) -> bool:
        for docnos, texts, share in self._batches:
            place = round(share * self._size)
            self._progress(place - self._seen)
            self._seen = place
            workspace.rows = docnos, texts
            return True
        return False

    def close(self) -> None:
        self._batches.close()


def row_scorer(
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    *,
    with_kernels: bool,
    repair_encoding: bool,
    selection: Selection | None,
) -> ScoreBlock:
    """Score the rows of workspaces: by the definition, or with the compiled kernels."""
    make = _by_definition
    if with_kernels:
        make = import_module(".fast_texts", __package__).scoring_columns
    score_column = make(lexicon, tokenizer)

    def score(workspace: Workspace) -> Scored:
        docnos, texts = workspace.rows
        digests = digests_of(docnos, with_kernels=with_kernels)
        if selection is not None:
            rows = selection.rows(digests.digests)
            docnos, texts = docnos.take(rows), texts.take(rows)
        if repair_encoding:
            texts = string_column([repair_text(text) for text in texts.to_pylist()])
        return Scored(docnos, score_column(texts), digests.digests, "parquet", digests.ascending)

    return score


def _by_definition(lexicon: Lexicon, tokenizer: Tokenizer) -> Any:
    return partial(_score_column, lexicon, tokenizer)


def _score_column(lexicon: Lexicon, tokenizer: Tokenizer, texts: Any) -> Scores:
    return score_texts(texts.to_pylist(), lexicon, tokenizer)
