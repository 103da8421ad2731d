"""Texts that are in memory, or in ir_datasets, as a scored collection."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..extras import need
from ..io.digests import Digest
from ..version import VERSION
from ..vocabulary import Tokenizer
from .docno_table import DocnoTable
from .lexicon import Lexicon, read_lexicon
from .magnitude_store import Magnitudes, Metadata
from .scan.texts import score_texts

IR_DATASETS = "ir_datasets:"

_PAIR = 2
#: Characters of another program's error.
_SHOWN = 120
#: Scores of texts in memory by what they depend on: those of the last few calls.
_KEPT: dict[tuple[str, ...], Magnitudes] = {}
_MOST_KEPT = 4

Texts = Mapping[str, str] | Iterable[tuple[str, str]]


class MagnitudesInMemory(Magnitudes):
    """A scored collection that no file holds; everything that `Magnitudes` can do.

    `identity` is the size and the digest of the collection, where the texts come from a file;
    `repair` is what repaired their encoding.
    """

    def __init__(
        self,
        texts: Texts,
        lexicon: Lexicon | None = None,
        tokenizer: Tokenizer = "word",
        *,
        name: str = "texts",
        identity: tuple[int, str] | None = None,
        repair: str = "",
    ) -> None:
        pairs = list(texts.items() if isinstance(texts, Mapping) else texts)
        lexicon = lexicon or read_lexicon()
        _check_pairs(pairs)
        docnos = [docno for docno, _ in pairs]
        scores = score_texts((text for _, text in pairs), lexicon, tokenizer)
        size, digest = identity or _identity(pairs)
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
                repair=repair,
            ),
        )
        # Cached properties that are set are not read from a file.
        self.docnos, self._index = docnos, DocnoTable(docnos)
        self._columns["n_tokens"] = scores.n_tokens
        for group in lexicon.groups:
            self._columns[f"{group}_tc"] = scores.tc[group]
            self._columns[f"{group}_tf"] = scores.tf[group]

    def __getstate__(self) -> dict[str, Any]:
        """All of it, for no file has it."""
        kept = {"path": self.path, "docnos": self.docnos, "_columns": self._columns}
        return {"metadata": self.metadata, **kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"_index": DocnoTable(state["docnos"])})
        self.__dict__.update(state)

    def digest(self) -> str:
        return self.metadata.collection_digest


def score_in_memory(
    source: Any, lexicon: Lexicon | None = None, tokenizer: Tokenizer = "word"
) -> Magnitudes:
    """The scores of `{docno: text}`, of pairs, or of the texts of `ir_datasets:ID`."""
    if isinstance(source, str) and source.startswith(IR_DATASETS):
        name = source.removeprefix(IR_DATASETS)
        return MagnitudesInMemory(_dataset_texts(name), lexicon, tokenizer, name=name)
    pairs = list(source.items() if isinstance(source, Mapping) else source)
    return keep_in_memory(pairs, lexicon or read_lexicon(), tokenizer)


def keep_in_memory(
    pairs: list[tuple[str, str]],
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    *,
    name: str = "texts",
    identity: tuple[int, str] | None = None,
    repair: str = "",
) -> Magnitudes:
    """The scores of these texts, from the call before where they are the same."""
    _check_pairs(pairs)
    identity = identity or _identity(pairs)
    key = (name, identity[1], lexicon.name, lexicon.sha256, tokenizer, repair)
    if key not in _KEPT:
        scored = MagnitudesInMemory(
            pairs, lexicon, tokenizer, name=name, identity=identity, repair=repair
        )
        while len(_KEPT) >= _MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)))
        _KEPT[key] = scored
    return _KEPT[key]


def _dataset_texts(name: str) -> Iterable[tuple[str, str]]:
    datasets = need("ir_datasets")
    try:
        documents = datasets.load(name).docs_iter()
    except (KeyError, AttributeError) as error:
        raise InputError(
            f"ir_datasets has no documents named {name!r}.", remedy="See https://ir-datasets.com."
        ) from error
    return _read(documents, name)


def _read(documents: Iterable[Any], name: str) -> Iterator[tuple[str, str]]:
    """Docno and text of each document; `InputError` where they cannot be fetched."""
    try:
        yield from ((document.doc_id, document.default_text()) for document in documents)
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"ir_datasets cannot fetch {name!r} ({str(error)[:_SHOWN]}).",
            remedy="Check the network, or give the collection's file.",
        ) from error


def _check_pairs(pairs: Iterable[Any]) -> None:
    pairs = list(pairs)
    if not all(isinstance(pair, tuple | list) and len(pair) == _PAIR for pair in pairs):
        raise InputError("not docno and text.", remedy="Give {docno: text}, pairs, or a frame.")
    _check_docnos([docno for docno, _ in pairs])
    _check_texts(pairs)


def _check_docnos(docnos: list[str]) -> None:
    seen: set[str] = set()
    for docno in docnos:
        if not isinstance(docno, str) or docno in seen:
            problem = "occurs twice" if docno in seen else "is not text"
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
