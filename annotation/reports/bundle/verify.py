"""Does a bundle hold what it says? Everything is computed again from the votes."""

import math
import reprlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from annotation.agreement.aggregation import METHODS
from annotation.reports.bundle import archive
from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.recompute import (
    Parameters,
    check_size,
    read_parameters,
    recompute_agreement,
    recompute_labels,
)
from annotation.reports.bundle.retrieval import bias_results, csv_rankings, per_query_rows
from annotation.reports.bundle.tables import LabelRow, QueryRow, Row, VoteRow, csv_rows, from_csv
from metrics.errors import InputError
from metrics.results.evaluation import Result
from metrics.results.scored_runs import COLUMNS

#: Sums of floating-point numbers may differ in their last bits between machines.
_TOLERANCE = 1e-9
#: The posterior of a model is where its iteration stopped.
_POSTERIOR_TOLERANCE = 1e-6
#: Differences that are listed.
_MOST = 1_000
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

    Takes at most some 300 MB of memory whatever the bundle holds. Raises `InputError` for a file
    that is no bundle, or is larger than any.
    """
    with archive.open_archive(path) as bundle:
        manifest = archive.read_manifest(bundle, path)
        if missing := [name for name in _NEEDED if name not in bundle.names]:
            raise InputError(f"is no bundle: it has no {missing[0]}.", path=path)
        parameters = read_parameters(manifest.get("parameters"), path)
        checked: Counter[str] = Counter(files=len(bundle.names) - 1)
        differences = list(islice(_differences(bundle, manifest, parameters, checked), _MOST + 1))
    if len(differences) > _MOST:
        differences[_MOST] = f"and more: only the first {_MOST:,} are listed."
    return Verification(dict(checked), differences)


def _differences(
    bundle: Archive, manifest: Mapping[str, Any], parameters: Parameters, checked: Counter[str]
) -> Iterator[str]:
    yield from _files(bundle, manifest)
    queries = _read(bundle, QueryRow, "queries.csv", without=("query",))
    votes = _read(bundle, VoteRow, "votes.csv")
    labels = _read(bundle, LabelRow, "labels.csv", without=("source", "decided_by", "reason"))
    checked |= Counter(queries=len(queries), votes=len(votes), labels=len(labels))
    known = {row.qid for row in queries}
    if strange := sorted(({row.qid for row in votes} | {row.qid for row in labels}) - known):
        raise InputError(f"a vote or label for the unknown query {strange[0]!r}.", path="votes.csv")
    check_size(votes, parameters)
    if parameters.method in METHODS:
        decided = recompute_labels(queries, votes, parameters)
        yield from _labels(labels, decided.rows, parameters.method)
    yield from _unequal(
        "agreement.json",
        bundle.json("agreement.json"),
        recompute_agreement(queries, votes, parameters),
    )
    checked["bias values"] = 0
    if "documents.csv" in bundle.names:
        yield from _bias(bundle, labels, checked)
    elif "bias.csv" in bundle.names:
        yield "bias.csv: there is no documents.csv that it could follow from."


def _read(bundle: Archive, kind: type[Row], name: str, without: Collection[str] = ()) -> list[Row]:
    with bundle.text(name) as file:
        return list(from_csv(kind, file, name, without=without))


def _files(bundle: Archive, manifest: Mapping[str, Any]) -> Iterator[str]:
    listed = manifest["files"]
    for name in sorted({*listed, *bundle.names} - {archive.MANIFEST}):
        if name not in bundle.names:
            yield f"{name}: the manifest names it, the bundle does not have it."
        elif name not in listed:
            yield f"{name}: the manifest does not name it."
        elif bundle.sha256(name) != listed[name]:
            yield f"{name}: its SHA-256 is not the manifest's."


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


def _bias(bundle: Archive, labels: list[LabelRow], checked: Counter[str]) -> Iterator[str]:
    qids = sorted(row.qid for row in labels if row.label == "n")
    # Twice through the documents, so that the values of one run are held at a time.
    rows = ([result.row()[name] for name in COLUMNS] for result in _results(bundle, qids))
    yield from _table(bundle, "bias.csv", COLUMNS, rows, checked)
    columns = ("run", "qid", "measure", "magnitude", "cutoff", "value")
    name = "figures/bias_per_query.csv"
    values = per_query_rows(_results(bundle, qids))
    yield from _table(bundle, name, columns, values, Counter())


def _results(bundle: Archive, qids: Sequence[str]) -> Iterator[Result]:
    with bundle.text("documents.csv") as file:
        for ranked in csv_rankings(file, "documents.csv", qids):
            yield from bias_results([ranked])


def _table(
    bundle: Archive,
    name: str,
    columns: Sequence[str],
    computed: Iterable[list[object]],
    checked: Counter[str],
) -> Iterator[str]:
    if name not in bundle.names:
        yield f"{name}: is missing."
        return
    with bundle.text(name) as file:
        pairs = zip_longest(csv_rows(file, name), computed)
        for line, (row, cells) in enumerate(pairs, start=2):
            if row is None or cells is None:
                yield f"{name}:{line}: has {'fewer' if row is None else 'more'} rows than computed."
                return
            checked["bias values"] += 1
            yield from _row(f"{name}:{line}", row, dict(zip(columns, cells, strict=True)))


def _row(where: str, row: Mapping[str, str], computed: Mapping[str, object]) -> Iterator[str]:
    for column, value in computed.items():
        stored = row.get(column) or ""
        if isinstance(value, float):
            same = _close(_number(stored), value, _TOLERANCE)
        else:
            same = stored == ("" if value is None else str(value))
        if not same:
            yield f"{where}: {column} is {_short(stored)}, computed {value!r}."


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
        yield f"{where} is {_short(stored)}, computed {_short(computed)}."


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: object) -> str:
    return reprlib.repr(value)
