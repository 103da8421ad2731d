"""Texts that are in memory, or in ir_datasets, as a scored collection."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import InputError
from ..extras import need
from ..io.columns import string_column
from ..io.digests import Digest
from ..version import VERSION
from ..vocabulary import Tokenizer
from .lexicon import Lexicon, read_lexicon
from .magnitude_store import Magnitudes, Metadata, open_magnitudes
from .scan.texts import score_texts

_IR_DATASETS = "ir_datasets:"

Texts = Mapping[str, str] | Iterable[tuple[str, str]]


class MagnitudesInMemory(Magnitudes):
    """A scored collection that no file holds; everything that `Magnitudes` can do."""

    def __init__(
        self,
        texts: Texts,
        lexicon: Lexicon | None = None,
        tokenizer: Tokenizer = "word",
        *,
        name: str = "texts",
    ) -> None:
        pairs = list(texts.items() if isinstance(texts, Mapping) else texts)
        lexicon = lexicon or read_lexicon()
        docnos = [docno for docno, _ in pairs]
        _check_docnos(docnos)
        _check_texts(pairs)
        scores = score_texts((text for _, text in pairs), lexicon, tokenizer)
        size, digest = _identity(pairs)
        super().__init__(
            Path(name),
            Metadata(
                lexicon_name=lexicon.name,
                lexicon_sha256=lexicon.sha256,
                groups=lexicon.groups,
                tokenizer=tokenizer,
                collection_name=name,
                collection_size=size,
                collection_digest=digest,
                n_documents=len(pairs),
                program_version=VERSION,
            ),
        )
        # A cached property that is set is not read from the file.
        self.docnos = pa.chunked_array([string_column(docnos)])
        self._columns["n_tokens"] = scores.n_tokens
        for group in lexicon.groups:
            self._columns[f"{group}_tc"] = scores.tc[group]
            self._columns[f"{group}_tf"] = scores.tf[group]


def load_magnitudes(
    source: Any, lexicon: Lexicon | None = None, tokenizer: Tokenizer = "word"
) -> Magnitudes:
    """A scored collection from what is at hand.

    `source` is one of: the path of a Parquet file that `score_collection` made; `ir_datasets:ID`,
    whose texts are scored; a mapping from docno to text, or pairs of them; a scored collection,
    which stays as it is. `lexicon` and `tokenizer` hold for texts; a file has its own.
    """
    if isinstance(source, Magnitudes):
        return source
    if isinstance(source, str) and source.startswith(_IR_DATASETS):
        name = source.removeprefix(_IR_DATASETS)
        return MagnitudesInMemory(_dataset_texts(name), lexicon, tokenizer, name=name)
    if isinstance(source, str | Path):
        return open_magnitudes(source)
    return MagnitudesInMemory(source, lexicon, tokenizer)


def _dataset_texts(name: str) -> Iterable[tuple[str, str]]:
    datasets = need("ir_datasets")
    try:
        documents = datasets.load(name).docs_iter()
    except (KeyError, AttributeError) as error:
        raise InputError(
            f"ir_datasets has no documents named {name!r}.", remedy="See https://ir-datasets.com."
        ) from error
    return ((document.doc_id, document.default_text()) for document in documents)


def _check_docnos(docnos: list[str]) -> None:
    seen: set[str] = set()
    for docno in docnos:
        if not isinstance(docno, str) or docno in seen:
            problem = "stands twice" if docno in seen else "is no text"
            raise InputError(f"the docno {docno!r} {problem}.", remedy="Use each docno once.")
        seen.add(docno)


def _check_texts(pairs: Iterable[tuple[str, object]]) -> None:
    for docno, text in pairs:
        if not isinstance(text, str):
            raise InputError(f"the text of document {docno!r} is {text!r}, no text.")


def _identity(pairs: Iterable[tuple[str, str]]) -> tuple[int, str]:
    """Size and digest of the lines `docno<TAB>text` that a file of these texts would have."""
    size, digest = 0, Digest()
    for docno, text in pairs:
        line = f"{docno}\t{text}\n".encode("utf-8", "surrogatepass")
        size += len(line)
        digest.update(line)
    return size, str(digest)
