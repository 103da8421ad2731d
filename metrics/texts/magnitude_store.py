"""A scored collection: how many words of each group its documents have, and what it was made from.

It lies in a Parquet file, see `metrics.texts.magnitude_file`, or in memory.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need
from ..io.digests import digest_in, digest_of
from ..io.strings import Strings
from .docno_table import DocnoTable
from .magnitude import Scores, magnitude

if TYPE_CHECKING:
    from .docno_index import DocnoIndex

_Made = TypeVar("_Made")

_FEW_DOCUMENTS = 100_000
_PREFIX = "fairpool."


@dataclass(frozen=True)
class Metadata:
    """The provenance of a scored collection.

    Of several files, `collection_name` and `collection_digest` are joined with " + ".
    """

    lexicon_name: str
    lexicon_sha256: str
    groups: tuple[str, ...]
    tokenizer: str
    collection_name: str
    collection_size: int  # bytes as they lie on disk, compressed where the file is
    collection_digest: str  # of those bytes, file by file; "" in the part of a shard
    n_documents: int
    program_version: str
    repair: str = ""  # what repaired the encoding of the texts; "" for nothing
    selected_by: str = ""  # the digests of runs, where only their documents were scored

    def to_key_values(self) -> dict[str, str]:
        """Strings for the file's metadata, named `fairpool.` + field."""
        values: dict[str, Any] = {**vars(self), "groups": ",".join(self.groups)}
        return {_PREFIX + name: str(value) for name, value in values.items()}

    @classmethod
    def from_key_values(cls, values: Mapping[bytes, bytes]) -> "Metadata":
        """The reverse of `to_key_values`; `KeyError` or `ValueError` where it is not ours."""
        prefix = _PREFIX.encode()
        known = {
            name.removeprefix(prefix).decode(): value.decode()
            for name, value in values.items()
            if name.startswith(prefix)
        }
        known["collection_digest"] = digest_in(known, "collection_digest")
        known = {"repair": "", "selected_by": "", **known}
        fields: dict[str, Any] = {name: known[name] for name in cls.__dataclass_fields__}
        fields["groups"] = tuple(fields["groups"].split(","))
        fields["collection_size"] = int(fields["collection_size"])
        fields["n_documents"] = int(fields["n_documents"])
        return cls(**fields)


class Magnitudes:
    """A scored collection; row i is the i-th document. Columns are read when first asked for.

    Get one from `open_magnitudes`. All arrays are read-only for whoever asks: they are shared.
    """

    def __init__(self, path: Path, metadata: Metadata) -> None:
        self.path = path
        self.metadata = metadata
        self._columns: dict[str, NDArray[Any]] = {}
        self._kept: dict[Hashable, Any] = {}
        self._keeping = Lock()

    def digest(self) -> str:
        """The digest of the file; of texts in memory that of the texts."""
        return digest_of(self.path)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the lexicon, sorted; normally `("f", "m")`."""
        return self.metadata.groups

    @property
    def n_documents(self) -> int:
        return self.metadata.n_documents

    @cached_property
    def docnos(self) -> list[str]:
        """The document ids in the order of the collection."""
        docnos: list[str] = _parquet().read_docnos(self.path).to_pylist()
        return docnos

    @property
    def n_tokens(self) -> NDArray[np.int32]:
        """Tokens of each document, shape (n_documents,)."""
        return self._column("n_tokens")

    @property
    def tc(self) -> Mapping[str, NDArray[np.int32]]:
        """Occurrences of words of each group: `tc["f"]` has shape (n_documents,)."""
        return {group: self._column(f"{group}_tc") for group in self.groups}

    @property
    def tf(self) -> Mapping[str, NDArray[np.float64]]:
        """Sum of log(1 + occurrences) over the words of each group, shape (n_documents,)."""
        return {group: self._column(f"{group}_tf") for group in self.groups}

    def find(self, docnos: Strings | Sequence[str] | NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each docno, -1 where the collection does not have it.

        Takes a list or an array of strings, or int64 for docnos that are written as whole numbers
        without leading zeros. The first call builds the index.
        """
        return self._index.find(docnos)

    def magnitude(self, name: str, group: str) -> NDArray[np.float64]:
        """`tf`, `logtc`, `bool`, `tc` or `tfnorm` of each document for `group`, (n_documents,)."""
        self._check_group(group)
        tc, tf = self._column(f"{group}_tc"), self._column(f"{group}_tf")
        return magnitude(name, self.n_tokens, tc, tf)

    def mean_magnitude(self, name: str, group: str) -> float:
        """Mean over all documents of the collection: its background magnitude."""
        self.check_whole("The mean over the collection")
        values = self.magnitude(name, group)
        return float(values.mean()) if len(values) else 0.0

    def check_whole(self, purpose: str) -> None:
        """Raise `InputError` where only the documents of some runs were scored."""
        if self.metadata.selected_by:
            raise InputError(
                f"{purpose} needs every document, but only those of some runs were scored.",
                path=self.path,
                remedy="Score the whole collection, without --only-run.",
            )

    def kept(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """The result of `make`, computed once for all who ask this collection with this key."""
        with self._keeping:
            if key not in self._kept:
                self._kept[key] = make()
            made: _Made = self._kept[key]
            return made

    def scores(self) -> Scores:
        """All columns but the docnos, in the shape that `score_texts` gives."""
        return Scores(n_tokens=self.n_tokens, tc=self.tc, tf=self.tf)

    @cached_property
    def _index(self) -> "DocnoIndex | DocnoTable":
        if self.n_documents <= _FEW_DOCUMENTS:
            return DocnoTable(self.docnos)
        docnos = _parquet().read_docnos(self.path)
        # Imported only now: pyarrow.compute takes a tenth of a second to load.
        index: DocnoIndex = need(".docno_index", __package__).DocnoIndex(docnos)
        return index

    def _column(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            self._columns[name] = _parquet().read_column(self.path, name)
        return self._columns[name]

    def _check_group(self, group: str) -> None:
        if group not in self.groups:
            raise InputError(
                f'was scored without a group "{group}".',
                path=self.path,
                remedy=f"Its groups are {', '.join(self.groups)}.",
            )


def open_magnitudes(path: str | Path) -> Magnitudes:
    """Open a scored collection; needs `fairpool[fast]`.

    Raises `InputError` for a file that is missing, damaged, or not made by `score_collection`;
    damage inside a column is found when the column is first read.
    """
    return Magnitudes(Path(path), _parquet().read_metadata(Path(path)))


def _parquet() -> Any:
    """The module that reads Parquet, whose package only `fairpool[fast]` brings."""
    return need(".magnitude_file", __package__)
