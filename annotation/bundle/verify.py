"""Does a bundle hold what it says? Everything is computed again from the votes."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.agreement.aggregation import METHODS
from annotation.bundle import archive
from annotation.bundle.recompute import Parameters, recompute_agreement, recompute_labels
from annotation.bundle.retrieval import bias_results, per_query_rows, ranked_of_csv
from annotation.bundle.tables import LabelRow, QueryRow, VoteRow, csv_rows, from_csv
from metrics.errors import InputError
from metrics.scored_runs import COLUMNS

#: Sums of floating-point numbers may differ in their last bits between machines.
_TOLERANCE = 1e-9
#: The posterior of a model is where its iteration stopped.
_POSTERIOR_TOLERANCE = 1e-6
_NEEDED = ("queries.csv", "votes.csv", "labels.csv", "agreement.json")


@dataclass(frozen=True)
class Verification:
    """`differences` in words, none when the bundle is right; `checked` says what was computed."""

    checked: dict[str, int]
    differences: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.differences


def verify_bundle(path: str | Path) -> Verification:
    """Check the sums of all files, then labels, agreement and bias against the votes.

    Raises `InputError` for a file that is no bundle.
    """
    files = archive.read_archive(path)
    manifest = archive.read_manifest(files, path)
    differences = list(_files(files, manifest))
    if missing := [name for name in _NEEDED if name not in files]:
        raise InputError(f"is no bundle: it has no {missing[0]}.", path=path)
    parameters = _parameters(manifest, path)
    queries = from_csv(QueryRow, files["queries.csv"], "queries.csv")
    votes = from_csv(VoteRow, files["votes.csv"], "votes.csv")
    labels = from_csv(LabelRow, files["labels.csv"], "labels.csv")
    known = {row.qid for row in queries}
    if strange := sorted(({row.qid for row in votes} | {row.qid for row in labels}) - known):
        raise InputError(f"a vote or label for the unknown query {strange[0]!r}.", path=path)
    if parameters.method in METHODS:
        decided = recompute_labels(queries, votes, parameters)
        differences += _labels(labels, decided.rows, parameters.method)
    differences += _unequal(
        "agreement.json",
        _loaded(files["agreement.json"]),
        recompute_agreement(queries, votes, parameters),
    )
    if "documents.csv" in files:
        differences += _bias(files, labels)
    elif "bias.csv" in files:
        differences.append("bias.csv: there is no documents.csv that it could follow from.")
    checked = {"files": len(files) - 1, "queries": len(queries), "votes": len(votes)}
    bias = len(csv_rows(files["bias.csv"], "bias.csv")) if "bias.csv" in files else 0
    return Verification(checked | {"labels": len(labels), "bias values": bias}, differences)


def _files(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> Iterator[str]:
    listed = manifest["files"]
    for name in sorted({*listed, *files} - {archive.MANIFEST}):
        if name not in files:
            yield f"{name}: the manifest names it, the bundle does not have it."
        elif name not in listed:
            yield f"{name}: the manifest does not name it."
        elif archive.sha256(files[name]) != listed[name]:
            yield f"{name}: its SHA-256 is not the manifest's."


def _parameters(manifest: Mapping[str, Any], path: str | Path) -> Parameters:
    try:
        given = dict(manifest["parameters"])
        return Parameters(**given | {"categories": tuple(given["categories"])})
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"its parameters cannot be read ({error}).", path=path) from None


def _loaded(content: bytes) -> object:
    try:
        return json.loads(content)
    except ValueError as error:
        raise InputError(f"is no JSON ({error}).", path="agreement.json") from None


def _labels(stored: list[LabelRow], decided: list[Any], method: str) -> Iterator[str]:
    """A person's decision stands before the method's, and is not computed."""
    computed = {one.query: one for one in decided}
    for row in stored:
        one = computed.pop(row.qid, None)
        if row.method != method:
            continue
        if one is None:
            yield f"labels.csv: {row.qid} is {row.label}, but has no vote."
            continue
        label = one.label if one.label is not None else "tie"
        if (row.label, row.n_votes, row.n_for) != (label, one.n_votes, one.n_for):
            yield (
                f"labels.csv: {row.qid} is {row.label} ({row.n_for} of {row.n_votes} votes), "
                f"computed {label} ({one.n_for} of {one.n_votes})."
            )
        elif not _close(row.confidence, one.confidence, _POSTERIOR_TOLERANCE):
            yield (
                f"labels.csv: {row.qid} has the confidence {row.confidence}, computed "
                f"{one.confidence}."
            )
    for qid in computed:
        yield f"labels.csv: {qid} has votes and no label."


def _bias(files: Mapping[str, bytes], labels: list[LabelRow]) -> Iterator[str]:
    wanted = sorted(row.qid for row in labels if row.label == "n")
    runs = ranked_of_csv(files["documents.csv"], "documents.csv", wanted)
    results = bias_results(runs)
    rows = [[result.row()[name] for name in COLUMNS] for result in results]
    yield from _table(files, "bias.csv", list(COLUMNS), rows)
    columns = ["run", "qid", "measure", "magnitude", "cutoff", "value"]
    yield from _table(files, "figures/bias_per_query.csv", columns, list(per_query_rows(results)))


def _table(
    files: Mapping[str, bytes], name: str, columns: list[str], computed: list[list[object]]
) -> Iterator[str]:
    if name not in files:
        yield f"{name}: is missing."
        return
    stored = csv_rows(files[name], name)
    if len(stored) != len(computed):
        yield f"{name}: has {len(stored)} rows, computed {len(computed)}."
        return
    for line, (row, cells) in enumerate(zip(stored, computed, strict=True), start=2):
        for column, value in zip(columns, cells, strict=True):
            given = row.get(column, "")
            if isinstance(value, float):
                same = _number(given) is not None and _close(_number(given), value, _TOLERANCE)
            else:
                same = given == ("" if value is None else str(value))
            if not same:
                yield f"{name}:{line}: {column} is {given!r}, computed {value!r}."


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _close(one: float | None, other: float | None, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)


def _unequal(where: str, stored: Any, computed: Any) -> Iterator[str]:
    """Where two JSON values differ; numbers may differ in their last bits."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in sorted({*stored, *computed}):
            if key not in stored or key not in computed:
                yield f"{where}: {key} is in only one of the two."
            else:
                yield from _unequal(f"{where}: {key}", stored[key], computed[key])
    elif _is_number(stored) and _is_number(computed):
        if not _close(stored, computed, _TOLERANCE):
            yield f"{where} is {stored}, computed {computed}."
    elif stored != computed:
        yield f"{where} is {stored!r}, computed {computed!r}."


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
