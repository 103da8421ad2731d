"""A scored collection: how many words of each group its documents have, and what it was made from.

It lies in a Parquet file, see `metrics.texts.magnitude_file`, or in memory.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Hinted, InputError, InputKeyError, InputTypeError
from ..extras import need
from ..io.digests import digest_in, digest_of
from ..io.file_kinds import MANIFEST
from ..io.files import checked_path
from ..io.strings import Strings
from ..public import public
from .docno_table import DocnoTable
from .magnitude import Scores, magnitude

if TYPE_CHECKING:
    import pandas as pd

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


class Magnitudes(Hinted):
    """A scored collection; row i is the i-th document. Columns are read when first asked for.

    It is read as a dictionary, too: `scored[docno]` is the row of a document, and a loop goes
    through the docnos. Get one from `open_magnitudes` or `load_magnitudes`. All arrays are
    read-only for whoever asks: they are shared.
    """

    def __init__(self, path: Path, metadata: Metadata | None = None) -> None:
        if metadata is None:
            raise InputTypeError(
                f"a scored collection cannot be made from {type(path).__name__}.",
                remedy="Use load_magnitudes(texts), load_magnitudes(collection) or "
                "open_magnitudes(path).",
            )
        self.path = path
        self.metadata = metadata
        self._columns: dict[str, NDArray[Any]] = {}
        self._kept: dict[Hashable, Any] = {}
        self._keeping = Lock()

    def __repr__(self) -> str:
        groups = ", ".join(self.groups)
        return f"<Magnitudes {self.path.name}: {self.n_documents:,} documents, groups {groups}>"

    def __len__(self) -> int:
        """The number of documents."""
        return self.n_documents

    def __contains__(self, docno: object) -> bool:
        return self._place_of(docno) >= 0

    def __iter__(self) -> Iterator[str]:
        return iter(self.docnos)

    def __getitem__(self, docno: str) -> dict[str, int | float]:
        """The row of a document, as `to_frame` has it; `InputError` for one that it has not."""
        place = self._place_of(docno)
        if place < 0:
            raise InputKeyError(
                f"has no document {docno!r}.",
                path=self.path,
                remedy="The attribute docnos lists what it has.",
            )
        return {name: column[place].item() for name, column in self._all_columns().items()}

    def __getstate__(self) -> dict[str, Any]:
        """The file, which another process reads for itself."""
        return {"path": self.path.absolute(), "metadata": self.metadata}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _columns={}, _kept={}, _keeping=Lock())

    def to_frame(self) -> "pd.DataFrame":
        """One row per document: `docno, n_tokens`, and `f_tc, f_tf` of each group; needs pandas."""
        frame: pd.DataFrame = need("pandas").DataFrame(
            {"docno": self.docnos, **self._all_columns()}
        )
        return frame

    def digest(self) -> str:
        """The digest of the file, or of the manifest; of texts in memory that of the texts."""
        return digest_of(self.path / MANIFEST if self.path.is_dir() else self.path)

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
        if isinstance(docnos, str):
            raise InputTypeError(
                f"the docnos are {docnos!r}.", remedy=f"Give a list: [{docnos!r}]."
            )
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
                remedy="Score the whole collection: fairpool score without --only-run.",
            )

    def kept(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """The result of `make`, computed once for all who ask this collection with this key."""
        with self._keeping:
            if key not in self._kept:
                self._kept[key] = make()
            result: _Made = self._kept[key]
            return result

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

    def _place_of(self, docno: object) -> int:
        return int(self.find([docno])[0]) if isinstance(docno, str) else -1

    def _all_columns(self) -> dict[str, NDArray[Any]]:
        return {
            "n_tokens": self.n_tokens,
            **{
                f"{group}_{kind}": getattr(self, kind)[group]
                for group in self.groups
                for kind in ("tc", "tf")
            },
        }

    def _check_group(self, group: str) -> None:
        if group not in self.groups:
            raise InputError(
                f'was scored without a group "{group}".',
                path=self.path,
                remedy=f"Its groups are {', '.join(self.groups)}.",
            )


@public
def open_magnitudes(path: str | Path) -> Magnitudes:
    """Open a scored collection, or counts as the field's notebooks cache; needs `fairpool[fast]`.

    Raises `InputError` for a file that is missing, damaged, or not made by `score_collection`;
    damage inside a column is found when the column is first read.
    """
    # It builds on this module.
    from .cached_counts import CachedCounts, is_cached_counts  # noqa: PLC0415

    path = checked_path(path, "the scored collection")
    if is_cached_counts(path):
        return CachedCounts(path)
    return Magnitudes(path, _parquet().read_metadata(path))


def check_pages(path: str | Path) -> None:
    """Read every page of a scored collection once; `InputError` where one is damaged."""
    _parquet().check_pages(Path(path))


def current_magnitudes(path: str | Path) -> Magnitudes:
    """Open magnitudes, from the cache if the file was not written since."""
    return _opened(str(path), _version_of(path))


@lru_cache(maxsize=8)
def _opened(path: str, _version: tuple[int, ...]) -> Magnitudes:
    return open_magnitudes(path)


def _version_of(path: str | Path) -> tuple[int, ...]:
    """Return numbers that differ for each file that a path has named; () without a file."""
    try:
        status = Path(path).stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _parquet() -> Any:
    """The module that reads Parquet, whose package only `fairpool[fast]` brings."""
    return need(".magnitude_file", __package__)
