"""Groups that documents belong to, by labels or by the words of their texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io.strings import strings
from ..texts.document_numbers import DocumentNumbers, attribute_columns
from ..texts.magnitude_store import Magnitudes

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Groups:
    """Alignment of documents with groups.

    `aligned(docnos)` gives (documents, groups): shares that add up to 1, or NaN where nothing is
    known of a document. `example` has a few docnos that it knows, for messages.
    """

    names: tuple[str, ...]
    aligned: Callable[[Sequence[str]], Array]
    example: tuple[str, ...] = ()


def groups_of_labels(labels: DocumentNumbers, attribute: str = "") -> Groups:
    """The groups of an attribute of the labels; a document with several weights is shared out.

    Labels of several attributes need the name of one, else `InputError`.
    """
    columns = attribute_columns(labels.names)
    if attribute not in columns:
        if attribute or len(columns) > 1:
            raise InputError(
                f"the labels have no attribute {attribute!r}."
                if attribute
                else "the labels have several attributes.",
                remedy=f"Name one of {', '.join(name or 'none' for name in columns)}.",
            )
        (attribute,) = columns
    places = columns[attribute]
    known = labels.values[: labels.n_known, places]
    totals = known.sum(axis=1, keepdims=True)
    shares = np.full((len(known) + 1, len(places)), np.nan)
    np.divide(known, totals, out=shares[:-1], where=totals > 0)
    row_of = labels.row_of
    unknown = len(known)

    def aligned(docnos: Sequence[str]) -> Array:
        rows = np.fromiter(
            (row_of.get(d, unknown) for d in docnos), dtype=np.int64, count=len(docnos)
        )
        picked: Array = shares[np.minimum(rows, unknown)]
        return picked

    names = tuple(labels.names[place].rpartition(":")[2] for place in places)
    return Groups(names, aligned, tuple(row_of)[:3])


def groups_of_words(magnitudes: Magnitudes) -> Groups:
    """The groups of the word list: a document is shared out in proportion to its group words."""
    names = magnitudes.groups
    counts = np.stack([magnitudes.tc[name] for name in names], axis=1).astype(np.float64)

    def aligned(docnos: Sequence[str]) -> Array:
        rows = magnitudes.find(strings(docnos))
        picked = np.where((rows >= 0)[:, None], counts[rows], 0.0)
        totals = picked.sum(axis=1, keepdims=True)
        shares = np.full(picked.shape, np.nan)
        np.divide(picked, totals, out=shares, where=totals > 0)
        return shares

    return Groups(
        names, aligned, tuple(docno for docno, _ in zip(magnitudes, range(3), strict=False))
    )
