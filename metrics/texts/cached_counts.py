"""Counts that the field's notebooks cache: lines docid, bias, bias_feml, bias_male, and a header.

There is a file per magnitude: occurrences (their tc), log(1 + occurrences) (their tf, which is our
logtc), or whether there are any (bool). The first two tell the occurrences of the words of each
group, and with them tc, logtc and bool; texts, and the numbers of single words, they do not have.
"""

from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need
from ..io.digests import digest_of
from ..io.lines import text_lines
from ..version import VERSION
from .docno_table import DocnoTable
from .magnitude import OF_COUNTS, magnitude
from .magnitude_store import Magnitudes, Metadata

#: The columns, as the notebooks write them; by the groups of the usual word list.
_COLUMNS = ("docid", "bias", "bias_feml", "bias_male")
_SIDES = {"f": "bias_feml", "m": "bias_male"}
_HEADER = "\t".join(_COLUMNS)
#: So far a logarithm may be off by rounding: four decimals.
_ROUNDED = 1e-4
#: No passage has so many words of a group; what is larger is not a count.
_MOST = 1_000_000


def is_cached_counts(path: Path) -> bool:
    """Return whether a file begins with the header of the notebooks."""
    if not path.is_file():
        return False
    try:
        _, line = next(iter(text_lines(path)), (0, ""))
    except (InputError, OSError):
        return False
    return line.strip().lower() == _HEADER


class CachedCounts(Magnitudes):
    """A scored collection with the occurrences of each group, without lengths and single words."""

    def __init__(self, path: Path) -> None:
        docnos, counts = _read(path)
        super().__init__(
            path,
            Metadata(
                lexicon_name="of the file",
                lexicon_sha256="",
                groups=tuple(_SIDES),
                tokenizer="of the file",
                collection_name=path.name,
                collection_size=path.stat().st_size,
                collection_digest=digest_of(path),
                n_documents=len(docnos),
                program_version=VERSION,
            ),
        )
        # Cached properties that are set are not read from a file.
        self.docnos, self._index = docnos, DocnoTable(docnos)
        self._columns |= {f"{group}_tc": column for group, column in counts.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "metadata": self.metadata, "docnos": self.docnos,
                "_columns": self._columns}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"_index": DocnoTable(state["docnos"])})
        self.__dict__.update(state)

    def magnitude(self, name: str, group: str) -> NDArray[np.float64]:
        """`tc`, `logtc` or `bool` of each document; `InputError` for what needs the texts."""
        self._check_group(group)
        if name not in OF_COUNTS:
            self._refuse(name)
        counts = self._columns[f"{group}_tc"]
        return magnitude(name, counts, counts, counts.astype(np.float64))

    def _column(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            self._refuse("tf" if name.endswith("_tf") else "the length of documents")
        return self._columns[name]

    def _refuse(self, name: str) -> NoReturn:
        raise InputError(
            f"cached counts of groups do not hold {name}, which needs the texts.",
            path=self.path,
            remedy='Use the magnitude tc, logtc (what the notebooks call "tf") or bool, or score '
            "the collection.",
        )


def _read(path: Path) -> tuple[list[str], dict[str, NDArray[np.int32]]]:
    csv = need("pyarrow.csv")
    number = need("pyarrow").float64()
    try:
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(column_names=list(_COLUMNS), skip_rows=1),
            parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={
                    "docid": need("pyarrow").string(),
                    **dict.fromkeys(_COLUMNS[1:], number),
                },
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except need("pyarrow").ArrowInvalid as error:
        raise InputError(
            f"is damaged: {str(error).splitlines()[0]}", path=path, remedy="Write it again."
        ) from None
    docnos = table["docid"].to_pylist()
    values = {name: table[name].to_numpy() for name in _COLUMNS[1:]}
    if len(set(docnos)) < len(docnos):
        first = next(docno for place, docno in enumerate(docnos) if docno in docnos[:place])
        raise InputError(f"the document {first!r} occurs twice.", path=path)
    off = values["bias_feml"] - values["bias_male"] - values["bias"]
    _check(path, np.abs(off) <= 2 * _ROUNDED, "bias is not bias_feml - bias_male")
    sides = np.stack([values[column] for column in _SIDES.values()])
    return docnos, dict(zip(_SIDES, _counts(path, sides), strict=True))


def _counts(path: Path, sides: NDArray[np.float64]) -> NDArray[np.int32]:
    """The occurrences, of numbers that are these or their logarithms."""
    _check(path, ((sides >= 0) & (sides < _MOST)).all(axis=0), "a number is below 0, or no count")
    if not (sides % 1).any():
        if sides.size and sides.max() == 1 and "bool" in path.name.lower():
            raise InputError(
                "holds only whether a group has words, not how many.",
                path=path,
                remedy="Give the file of tc or of tf: whether there are any follows from it.",
            )
        return sides.astype(np.int32)
    counts = np.round(np.expm1(sides))
    near = np.abs(np.log1p(counts) - sides) <= _ROUNDED
    _check(path, near.all(axis=0), "a number is neither a count nor the logarithm of 1 + a count")
    whole: NDArray[np.int32] = counts.astype(np.int32)
    return whole


def _check(path: Path, holds: Any, problem: str) -> None:
    if not np.all(holds):
        # The header is line 1.
        raise InputError(f"{problem}.", path=path, line=int(np.argmin(holds)) + 2)
