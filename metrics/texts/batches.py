"""Texts of a table in memory to the columns of a scored collection."""

from collections.abc import Iterator
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

import narwhals as nw
import pyarrow as pa

from ..errors import InputTypeError
from ..kernels import are_worth_loading, expect
from ..vocabulary import Tokenizer
from .lexicon import Lexicon, read_lexicon
from .magnitude import Scores, score_texts
from .magnitude_file import schema_of
from .magnitude_writer import as_arrow
from .passage_columns import columns_of, docnos_of, texts_of
from .scan import reading

_AT_ONCE = 1 << 16  # rows; of longer texts fewer, so that their bytes stay below
_BYTES_AT_ONCE = 1 << 26


def score_batch(batch: Any, lexicon: Lexicon | None, tokenizer: Tokenizer) -> Any:
    """See `fairpool.score_batch`."""
    lexicon = lexicon or read_lexicon()
    table, names = _table_of(batch), None
    expect("marks", table.nbytes)
    score = _scorer(lexicon, tokenizer, with_kernels=are_worth_loading("marks", reading.SMALL))
    schema = schema_of(lexicon.groups)
    names = columns_of(table.schema, None)
    scored = [
        pa.record_batch(
            [docnos_of(part, names[0], None, row), *_columns(score, part, names[1:], row, lexicon)],
            schema=schema,
        )
        for row, part in _parts(table.select(names))
    ]
    result = pa.Table.from_batches(scored, schema=schema)
    if not isinstance(batch, pa.RecordBatch):
        return result
    columns = [column.combine_chunks() for column in result.columns]
    return pa.record_batch(columns, schema=schema)


def _columns(
    score: Any, part: pa.RecordBatch, names: list[str], row: int, lexicon: Lexicon
) -> list[pa.Array]:
    scores: Scores = score(texts_of(part, names, None, row))
    columns = [as_arrow(scores.n_tokens)]
    for group in lexicon.groups:
        columns += [as_arrow(scores.tc[group]), as_arrow(scores.tf[group])]
    return columns


def _table_of(batch: Any) -> pa.Table:
    if isinstance(batch, pa.Table):
        return batch
    if isinstance(batch, pa.RecordBatch):
        return pa.Table.from_batches([batch])
    try:
        frame = nw.from_native(batch, eager_only=True)
    except TypeError:
        raise InputTypeError(
            f"{type(batch).__name__} is not a table.",
            remedy="Give an Arrow table or record batch, or a data frame.",
        ) from None
    table: pa.Table = frame.to_arrow()
    return table


def _parts(table: pa.Table) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches of bounded size, each with the number of rows before it."""
    row = 0
    for batch in table.to_batches(_AT_ONCE):
        n_parts = 1 + batch.nbytes // _BYTES_AT_ONCE
        size = -(-len(batch) // n_parts) or 1
        for start in range(0, len(batch), size):
            part = batch.slice(start, size)
            yield row, part
            row += len(part)


@lru_cache(maxsize=8)
def _scorer(lexicon: Lexicon, tokenizer: Tokenizer, *, with_kernels: bool) -> Any:
    if with_kernels:
        return import_module(".scan.fast_texts", __package__).scoring_columns(lexicon, tokenizer)
    return partial(_by_definition, lexicon, tokenizer)


def _by_definition(lexicon: Lexicon, tokenizer: Tokenizer, texts: pa.StringArray) -> Scores:
    return score_texts(texts.to_pylist(), lexicon, tokenizer)
