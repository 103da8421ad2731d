"""The Parquet file of a scored collection: written while scanning, read by column.

Columns: `docno` (string), `n_tokens` (int32), and for each group g `{g}_tc` (int32) and `{g}_tf`
(float64). What the file was made from stands in its key-value metadata, see `Metadata`.
"""

import contextlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import InputError
from ..io.columns import number_column
from ..io.digests import digest_in
from .docno_table import DocnoTable
from .magnitude import Scores, magnitude

if TYPE_CHECKING:
    from .docno_index import DocnoIndex

_Made = TypeVar("_Made")

_FEW_DOCUMENTS = 100_000
_PREFIX = "fairpool."
_REMEDY = "Make it with score_collection."


@dataclass(frozen=True)
class Metadata:
    """What a scored collection was made from.

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
        fields: dict[str, Any] = {name: known[name] for name in cls.__dataclass_fields__}
        fields["groups"] = tuple(fields["groups"].split(","))
        fields["collection_size"] = int(fields["collection_size"])
        fields["n_documents"] = int(fields["n_documents"])
        return cls(**fields)


def schema_of(groups: Sequence[str]) -> pa.Schema:
    """The columns of a collection that was scored with these groups."""
    columns = [("docno", pa.string()), ("n_tokens", pa.int32())]
    for group in groups:
        columns += [(f"{group}_tc", pa.int32()), (f"{group}_tf", pa.float64())]
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns])


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

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the lexicon, sorted; normally `("f", "m")`."""
        return self.metadata.groups

    @property
    def n_documents(self) -> int:
        return self.metadata.n_documents

    @cached_property
    def docnos(self) -> pa.ChunkedArray:
        """The document ids (Arrow strings) in the order of the collection."""
        return _read_column(self.path, "docno")

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

    def find(
        self, docnos: pa.Array | pa.ChunkedArray | Sequence[str] | NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The row of each docno, -1 where the collection does not have it.

        Takes an Arrow string array, a sequence of strings, or int64 for docnos that are written
        as whole numbers without leading zeros. The first call builds the index.
        """
        return self._index.find(docnos)

    def magnitude(self, name: str, group: str) -> NDArray[np.float64]:
        """Magnitude `name` (see `metrics.texts.magnitude.magnitude`) of `group`, (n_documents,)."""
        self._check_group(group)
        tc, tf = self._column(f"{group}_tc"), self._column(f"{group}_tf")
        return magnitude(name, self.n_tokens, tc, tf)

    def mean_magnitude(self, name: str, group: str) -> float:
        """Mean over all documents of the collection: its background magnitude."""
        values = self.magnitude(name, group)
        return float(values.mean()) if len(values) else 0.0

    def kept(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """What `make` gives for this collection, computed once for all that ask with this key."""
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
        # Imported only now: pyarrow.compute takes a tenth of a second to load.
        index: DocnoIndex = import_module(".docno_index", __package__).DocnoIndex(self.docnos)
        return index

    def _column(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            self._columns[name] = number_column(_read_column(self.path, name))
        return self._columns[name]

    def _check_group(self, group: str) -> None:
        if group not in self.groups:
            raise InputError(
                f'was scored without a group "{group}".',
                path=self.path,
                remedy=f"Its groups are {', '.join(self.groups)}.",
            )


def open_magnitudes(path: str | Path) -> Magnitudes:
    """Open a scored collection.

    Raises `InputError` for a file that is missing, damaged, or not made by `score_collection`;
    damage inside a column is found when the column is first read.
    """
    with _plain_errors(Path(path)), pq.ParquetFile(path) as file:
        try:
            metadata = Metadata.from_key_values(file.metadata.metadata or {})
        except (KeyError, ValueError):
            raise InputError("is not a scored collection.", path=path, remedy=_REMEDY) from None
        expected = schema_of(metadata.groups)
        if not file.schema_arrow.equals(expected) or file.metadata.num_rows != metadata.n_documents:
            raise InputError(
                "its columns are not what its metadata say.", path=path, remedy=_REMEDY
            )
    return Magnitudes(Path(path), metadata)


def _read_column(path: Path, name: str) -> pa.ChunkedArray:
    with (
        _plain_errors(path),
        pq.ParquetFile(path, memory_map=True, page_checksum_verification=True) as file,
    ):
        return file.read(columns=[name], use_threads=True).column(0)


@contextlib.contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    if path.is_dir():
        raise InputError("is a folder, not a file.", path=path)
    try:
        yield
    except FileNotFoundError:
        raise InputError("no such file.", path=path, remedy=_REMEDY) from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"is damaged or no Parquet file ({error}).", path=path, remedy=_REMEDY
        ) from error
