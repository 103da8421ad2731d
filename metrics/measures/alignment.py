"""Alignment of documents with the groups of one or several attributes, and its target.

An attribute comes from the word lists (`words`) or from labels of documents. Of several, the groups
are the pairs, triples, ... of their groups: the outer product of the alignments. The unknown part
of a document is a group of its own, `unknown`, until a measure leaves it out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io.strings import strings
from ..texts.document_numbers import DocumentNumbers, attribute_columns
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import COLLECTION
from .base import Inputs, Need, ParamInfo, PerQuery, document_numbers
from .discount import exposure
from .effectiveness import GRADE
from .target import EQUAL, shares

WORDS, LABELS, UNKNOWN = "words", "labels", "unknown"
RELEVANT, BACKGROUND = "relevant", "background"
LEFT_OUT, GROUP, DISCOUNT = "left-out", "group", "discount"

ATTRIBUTES = ParamInfo(
    str,
    WORDS,
    "What aligns documents with groups: `words`, `labels` (every attribute of the labels), or "
    "names of attributes joined by +, `words` among them.",
)
ALIGNMENT_TARGET = ParamInfo(
    str,
    EQUAL,
    "Shares of the groups: `equal`; given, `f:0.4/m:0.6`, for each further attribute after *; "
    "`relevant`, those of the relevant documents of the query; `background`, those of the "
    "background.",
)
TARGET_BACKGROUND = ParamInfo(
    str, COLLECTION, "For target=background: a run, or `collection` (all documents)."
)
#: The parameters of every measure that holds groups against a target; each adds its `unknown`.
TARGETED = {
    "attributes": ATTRIBUTES,
    "target": ALIGNMENT_TARGET,
    "background": TARGET_BACKGROUND,
    "relevant": GRADE,
}
UNKNOWN_RULE = ParamInfo(
    str,
    LEFT_OUT,
    "What is not known of documents: left out, a group of its own, or left out and the distance "
    "multiplied with the share of the exposure that is known.",
    (LEFT_OUT, GROUP, DISCOUNT),
)
UNKNOWN_GROUP = ParamInfo(
    str,
    LEFT_OUT,
    "What is not known of documents: left out, or a group of its own.",
    (LEFT_OUT, GROUP),
)


def needs_of(params: Mapping[str, Any]) -> frozenset[Need]:
    """Return the inputs that these parameters add to those a measure always needs."""
    names = set(str(params["attributes"]).split("+"))
    needs: set[Need] = set()
    if WORDS in names:
        needs.add("magnitudes")
    if names - {WORDS}:
        needs.add("labels")
    if params.get("target") == RELEVANT:
        needs.add("qrels")
    return frozenset(needs)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Documents of a run with the groups that a measure compares, and their target.

    - `weights` (G, Q, T): the share of each group in each ranked document, 0 where there is none.
    - `known` (Q, T): the share of a document whose groups are all known.
    - `present` (Q, T): a document counts at this rank.
    - `target` (Q, G): the share that each group should have; a row of NaN where a query has none.
    """

    weights: NDArray[np.float64]
    known: NDArray[np.float64]
    present: NDArray[np.bool_]
    target: NDArray[np.float64]

    def known_share(
        self, cutoff: int, weights: Callable[[int], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """The share of the exposure, by the weights of ranks, that goes to what is known (Q,).

        NaN for a query without documents up to the cut-off.
        """
        known = exposure(self.known, self.present, cutoff, weights)
        total = exposure(np.ones(self.known.shape), self.present, cutoff, weights)
        share: NDArray[np.float64] = np.divide(
            known, total, out=np.full(known.shape, np.nan), where=total > 0
        )
        return share


@dataclass(frozen=True, eq=False)
class _Words:
    """Alignment by the group words of a text, in proportion to their number."""

    groups: tuple[str, ...]
    magnitudes: Magnitudes | None

    def of_ranked(self, inputs: Inputs) -> NDArray[np.float64]:
        return _shared_out(np.stack([inputs.ranked.tc[group] for group in self.groups]))

    def of_documents(self, docnos: Sequence[str]) -> NDArray[np.float64]:
        magnitudes = self._collection()
        rows = magnitudes.find(strings(list(docnos)))
        counts = np.zeros((len(self.groups), len(rows)))
        for place, group in enumerate(self.groups):
            counts[place, rows >= 0] = magnitudes.tc[group][rows[rows >= 0]]
        return _shared_out(counts)

    def of_all(self) -> NDArray[np.float64]:
        magnitudes = self._collection()
        magnitudes.check_whole("a target of the whole collection")
        return _shared_out(np.stack([magnitudes.tc[group] for group in self.groups]))

    def _collection(self) -> Magnitudes:
        if self.magnitudes is None:
            raise InputError("the target needs the scored collection.", remedy="Give scores.")
        return self.magnitudes


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Alignment by the labels of a document; of an unnamed attribute in proportion to them."""

    groups: tuple[str, ...]
    columns: tuple[int, ...]
    is_relative: bool
    labels: DocumentNumbers

    def of_ranked(self, inputs: Inputs) -> NDArray[np.float64]:
        values, _labelled = document_numbers(self.labels, inputs.ranked)
        return self._of(values[list(self.columns)])

    def of_documents(self, docnos: Sequence[str]) -> NDArray[np.float64]:
        rows = self.labels.rows(docnos)
        values = np.zeros((len(self.columns), len(rows)))
        values[:, rows >= 0] = self.labels.values[rows[rows >= 0]][:, list(self.columns)].T
        return self._of(values)

    def of_all(self) -> NDArray[np.float64]:
        return self._of(self.labels.values[: self.labels.n_known, list(self.columns)].T)

    def _of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return _shared_out(values) if self.is_relative else _with_unknown(values)


_Attribute = _Words | _Labelled


def against_target(
    inputs: Inputs,
    cutoffs: Sequence[int],
    params: Mapping[str, Any],
    measure: Callable[..., NDArray[np.float64]],
    *,
    fair: float,
    weights: Callable[[int], NDArray[np.float64]],
) -> list[PerQuery]:
    """Values of `measure(weights, target, present, cutoff)`, treating the unknown as `params` say.

    With unknown=discount the distance from `fair` is multiplied by the share of the exposure, by
    the `weights` of ranks, that goes to what is known.
    """
    aligned = align(inputs, params)
    results = []
    for cutoff in cutoffs:
        value = measure(aligned.weights, aligned.target, aligned.present, cutoff)
        if params["unknown"] == DISCOUNT:
            known = aligned.known_share(cutoff, weights)
            value = np.where(known <= 0, fair, fair + known * (value - fair))
        results.append(PerQuery(value))
    return results


def align(inputs: Inputs, params: Mapping[str, Any]) -> Alignment:
    """The ranked documents of `inputs`, aligned and held against a target as `params` say.

    Raises `InputError` for an attribute that there is not, and for a target that fits no groups.
    """
    key = ("alignment", *(str(params.get(name)) for name in _KEYS))
    return inputs.kept(key, lambda: _align(inputs, params))


def mean_over_queries(values: NDArray[np.float64]) -> float | None:
    """The mean of the values (Q,) that are defined; None without any."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


_KEYS = ("attributes", "target", "background", "unknown", "relevant")


def _align(inputs: Inputs, params: Mapping[str, Any]) -> Alignment:
    attributes = _attributes(inputs, str(params["attributes"]))
    cells = _outer([attribute.of_ranked(inputs) for attribute in attributes])
    is_known = _outer([_known_of(len(attribute.groups)) for attribute in attributes]) > 0
    by_words = any(isinstance(attribute, _Words) for attribute in attributes)
    present = inputs.ranked.present if by_words else inputs.ranked.positions >= 0
    cells = np.where(present, cells, 0.0)
    target = _target(inputs, attributes, params)
    if params["unknown"] != GROUP:
        target = _known_part(target, is_known, params)
    return Alignment(
        weights=cells if params["unknown"] == GROUP else cells[is_known],
        known=cells[is_known].sum(axis=0),
        present=present,
        target=target,
    )


def _attributes(inputs: Inputs, text: str) -> list[_Attribute]:
    names = text.split("+")
    if LABELS in names:
        if inputs.labels is None:
            raise _no_labels(text)
        place = names.index(LABELS)
        names[place : place + 1] = attribute_columns(inputs.labels.names)
    if len(set(names)) < len(names):
        raise InputError(f"attributes={text} names one twice.", remedy="Name each once.")
    return [_attribute(inputs, name, text) for name in names]


def _attribute(inputs: Inputs, name: str, text: str) -> _Attribute:
    if name == WORDS:
        return _Words(inputs.ranked.groups, inputs.magnitudes)
    if inputs.labels is None:
        raise _no_labels(text)
    columns = attribute_columns(inputs.labels.names)
    if name not in columns:
        known = ", ".join([WORDS, *filter(None, columns)])
        raise InputError(f"no document has the attribute {name!r}.", remedy=f"There is: {known}.")
    groups = tuple(inputs.labels.names[column].rpartition(":")[2] for column in columns[name])
    return _Labelled(groups, tuple(columns[name]), not name, inputs.labels)


def _no_labels(text: str) -> InputError:
    return InputError(
        f"attributes={text} needs labels of documents.", remedy='Give labels="FILE" (--labels).'
    )


def _shared_out(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Each document among its groups in proportion; one without any is unknown."""
    total = np.broadcast_to(weights.sum(axis=0), weights.shape)
    portions = np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0)
    unknown = (weights.sum(axis=0) <= 0).astype(np.float64)
    return np.concatenate([portions, unknown[None]])


def _with_unknown(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the groups, and what they leave as unknown, behind them."""
    return np.concatenate([weights, np.maximum(1.0 - weights.sum(axis=0), 0.0)[None]])


def _known_of(n_groups: int) -> NDArray[np.float64]:
    return np.array([*[1.0] * n_groups, 0.0])


def _outer(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The products of all groups of all attributes, the last attribute's fastest."""
    product = parts[0]
    for part in parts[1:]:
        product = (product[:, None] * part[None]).reshape(-1, *product.shape[1:])
    return product


def _target(
    inputs: Inputs, attributes: Sequence[_Attribute], params: Mapping[str, Any]
) -> NDArray[np.float64]:
    """The target of each query over all groups, the unknown ones included (Q, G)."""
    n_queries, kind = len(inputs.ranked.qids), str(params.get("target", EQUAL))
    if kind == RELEVANT:
        return _of_relevant(inputs, attributes, int(params["relevant"]))
    if kind == BACKGROUND and params["background"] != COLLECTION:
        return _of_run(inputs, attributes, str(params["background"]))
    if kind == BACKGROUND:
        shares = _outer(_of_collection(attributes)).mean(axis=1)
    else:
        shares = _outer(_given(attributes, kind))
    return np.broadcast_to(shares, (n_queries, len(shares)))


def _of_collection(attributes: Sequence[_Attribute]) -> list[NDArray[np.float64]]:
    """All documents: those of the labels where there are any, else of the scored collection."""
    labels = next(
        (attribute.labels for attribute in attributes if isinstance(attribute, _Labelled)), None
    )
    if labels is None:
        return [attribute.of_all() for attribute in attributes]
    docnos = list(labels.row_of)[: labels.n_known]
    return [attribute.of_documents(docnos) for attribute in attributes]


def _given(attributes: Sequence[_Attribute], target: str) -> list[NDArray[np.float64]]:
    parts = [EQUAL] * len(attributes) if target == EQUAL else target.split("*")
    if len(parts) != len(attributes):
        raise InputError(
            f"the target {target} is of {len(parts)} attributes, and {len(attributes)} are "
            "measured.",
            remedy="Write the shares of each attribute, with * between them; `equal` is one, too.",
        )
    return [
        shares(part, (*attribute.groups, UNKNOWN))
        if f"{UNKNOWN}:" in part
        else np.append(shares(part, attribute.groups), 0.0)
        for part, attribute in zip(parts, attributes, strict=True)
    ]


def _of_relevant(
    inputs: Inputs, attributes: Sequence[_Attribute], relevant: int
) -> NDArray[np.float64]:
    rows = []
    for qid in inputs.ranked.qids:
        judged = inputs.qrels.get(qid, {})
        docnos = [docno for docno, grade in judged.items() if grade >= relevant]
        cells = _outer([attribute.of_documents(docnos) for attribute in attributes])
        rows.append(cells.mean(axis=1) if docnos else np.full(len(cells), np.nan))
    return np.array(rows)


def _of_run(inputs: Inputs, attributes: Sequence[_Attribute], name: str) -> NDArray[np.float64]:
    if name not in inputs.backgrounds:
        known = ", ".join([*inputs.backgrounds, COLLECTION])
        raise InputError(f"there is no background {name!r}.", remedy=f"Choose one of {known}.")
    run = inputs.backgrounds[name].run
    rows = []
    for qid in inputs.ranked.qids:
        docnos = run.documents(qid)
        cells = _outer([attribute.of_documents(docnos) for attribute in attributes])
        rows.append(cells.mean(axis=1) if docnos else np.full(len(cells), np.nan))
    return np.array(rows)


def _known_part(
    target: NDArray[np.float64], is_known: NDArray[np.bool_], params: Mapping[str, Any]
) -> NDArray[np.float64]:
    if UNKNOWN in str(params.get("target")) and (target[:, ~is_known] > 0).any():
        raise InputError(
            f"the target {params['target']} has a share of what is unknown, which is left out.",
            remedy="Add unknown=group to the measure, or give the shares of the others alone.",
        )
    known = target[:, is_known]
    total = known.sum(axis=1, keepdims=True)
    part: NDArray[np.float64] = np.divide(
        known, total, out=np.full(known.shape, np.nan), where=total > 0
    )
    return part
