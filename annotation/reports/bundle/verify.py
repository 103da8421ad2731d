"""Verification of a bundle: everything is computed again from the votes."""

import hashlib
import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

from annotation.reports.bundle import archive, corrected
from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.batch import BatchTables
from annotation.reports.bundle.decisions import is_close
from annotation.reports.bundle.described import (
    BatchFolder,
    batch_folders,
    named_files,
    outdated_in_words,
)
from annotation.reports.bundle.parts import PoolFolders, bundle_models
from annotation.reports.bundle.retrieval import bias_results, csv_rankings, per_query_rows
from annotation.reports.bundle.second_alpha import krippendorff_alpha as second_alpha
from annotation.reports.bundle.tables import csv_rows
from metrics.results.evaluation import Result
from metrics.results.scored_runs import STORED_COLUMNS
from metrics.votes.coefficients import krippendorff_alpha
from metrics.votes.table import Kind

#: Sums of floating-point numbers may differ in their last bits between machines.
_TOLERANCE = 1e-9
#: Intervals of shares come from random draws, which differ in a few between machines.
_DRAWN_TOLERANCE = 1e-3
#: Most differences that are listed.
_MOST = 1_000


@dataclass(frozen=True)
class Verification:
    """`differences` in words, none when the bundle is right; `checked` lists what was computed.

    `notes` are statements of the bundle that a reader should know.
    """

    checked: dict[str, int]
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.differences


def verify_bundle(path: str | Path) -> Verification:
    """Check the sums of all files, then labels, agreement and bias of each batch by its votes.

    Takes at most some 500 MB of memory whatever the bundle holds. Raises `InputError` for a file
    that is not a bundle, or is larger than any.
    """
    with archive.open_archive(path) as bundle:
        manifest = archive.read_manifest(bundle, path)
        batches = batch_folders(bundle, path)
        is_older = manifest.get("conventions", 1) != archive.CONVENTIONS
        notes: list[str] = []
        checked: Counter[str] = Counter(files=len(bundle.names) - 1, batches=len(batches))
        all_differences = chain(
            _files(bundle, manifest),
            _inputs(bundle, manifest, path),
            *(_differences(batch, checked, notes, is_older) for batch in batches),
            _corrected(bundle, batches, checked, notes),
        )
        differences = list(islice(all_differences, _MOST + 1))
    if len(differences) > _MOST:
        differences[_MOST] = f"and more: only the first {_MOST:,} are listed."
    return Verification(dict(checked), differences, notes)


def _inputs(bundle: Archive, manifest: Mapping[str, Any], path: str | Path) -> Iterator[str]:
    """Yield a sentence for each included file whose digest is not the recorded one."""
    for file in named_files(manifest, path):
        if file.place and bundle.digest(file.place) != file.digest:
            yield f"{file.place}: its digest is not {file.digest}."


def _differences(
    batch: BatchFolder, checked: Counter[str], notes: list[str], is_older: bool
) -> Iterator[str]:
    """Differences in the folder of a batch; a label said to be out of date is a note.

    So is what a bundle of older conventions counts in another way.
    """
    bundle, layout, tables = batch.folder, batch.layout, batch.tables(with_texts=False)
    answers, decisions = (name.removesuffix(".csv") for name in (layout.answers, layout.decisions))
    checked.update({"queries": len(tables.queries), answers: len(tables.answers)})
    checked.update({decisions: len(tables.decisions)})
    checked[f"{answers} that count"] += sum(
        len(of.counted().told()) for of in tables.votes.values()
    )
    outdated = {}
    for qid, difference in tables.differences(is_older=is_older):
        if qid in batch.outdated:
            outdated[qid] = difference
        else:
            yield bundle.place(f"{layout.decisions}: {difference}")
    if outdated:
        notes.append(bundle.place(f"{layout.decisions}: {outdated_in_words(list(outdated))}"))
    for name, computed in tables.qrels().items():
        checked["qrels"] += 1
        if name not in bundle.names:
            yield bundle.place(f"{name}: is missing.")
        elif bundle.sha256(name) != hashlib.sha256(computed).hexdigest():
            yield bundle.place(f"{name}: does not follow from the answers and decisions.")
    yield from _placed(bundle, _agreement(batch, tables, notes, is_older))
    yield from _measured(bundle, tables.measured, checked)


def _agreement(
    batch: BatchFolder, tables: BatchTables, notes: list[str], is_older: bool
) -> Iterator[str]:
    """Differences of the coefficients; nominal alpha is computed by another program as well."""
    name = "agreement.json"
    stored, computed = batch.folder.json(name), tables.agreement
    if is_older and tables.parameters.suggested_by and not tables.layout.categories:
        notes.append(
            batch.folder.place(
                f"{name}: in version 1.0 it had an agreement of votes that were given after a "
                "model's labels were seen; it is not compared."
            )
        )
        return
    if is_older:
        # Warnings are words, which change from version to version.
        stored, computed = map(_without_warnings, (stored, computed))
    yield from _unequal(name, stored, computed)
    for question, votes in tables.votes.items():
        if votes.kind == Kind.NOMINAL:
            counts = votes.compared().counts()
            ours = krippendorff_alpha.value_of(counts)
            second = second_alpha(counts)
            if not is_close(ours, second, _TOLERANCE):
                yield f"{name}: alpha of {question} is {ours}, by another program {second}."


def _without_warnings(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: _without_warnings(of) for key, of in value.items() if key != "warnings"}


def _measured(bundle: Archive, qids: Sequence[str], checked: Counter[str]) -> Iterator[str]:
    """Differences of the bias over these queries, where the bundle has any."""
    checked["bias values"] += 0
    if "documents.csv" in bundle.names:
        yield from _placed(bundle, _bias(bundle, qids, checked))
    elif "bias.csv" in bundle.names:
        where = bundle.place("bias.csv")
        yield f"{where}: there is no documents.csv that it could follow from."


def _corrected(
    bundle: Archive, batches: Sequence[BatchFolder], checked: Counter[str], notes: list[str]
) -> Iterator[str]:
    """Differences of corrected figures; a bundle without any has nothing to compute.

    Of those that another version of the estimator made what is estimated is a note.
    """
    if not any(corrected.NAME in batch.folder.names for batch in batches):
        return
    pools, models = PoolFolders(bundle), list(bundle_models(bundle))
    names = [pools.name_of.get(str(batch.described.get("pool")), "") for batch in batches]
    decided = [
        corrected.DecidedBatch(
            name,
            batch.parameters.suggested_by,
            batch.scheme,
            batch.decisions(with_texts=False),
        )
        for name, batch in zip(names, batches, strict=True)
    ]
    for decided_batch, batch in zip(decided, batches, strict=True):
        if corrected.NAME not in batch.folder.names:
            continue
        stored = batch.folder.json(corrected.NAME)
        computed = corrected.corrected_figures(decided_batch, pools, decided, models)
        checked["corrected figures"] += len(computed["rows"]) if computed else 0
        if corrected.is_of_another_version(stored):
            notes.append(
                batch.folder.place(
                    f"{corrected.NAME}: another version of the program estimated it; its intervals "
                    "and corrected values are not computed again."
                )
            )
            stored, computed = map(corrected.of_any_version, (stored, computed))
        for shares, tolerance in ((True, _DRAWN_TOLERANCE), (False, _TOLERANCE)):
            is_said, is_so = (corrected.of_kind(of, shares=shares) for of in (stored, computed))
            differences = _unequal(corrected.NAME, is_said, is_so, tolerance)
            yield from _placed(batch.folder, differences)


def _placed(bundle: Archive, differences: Iterable[str]) -> Iterator[str]:
    return (bundle.place(difference) for difference in differences)


def _files(bundle: Archive, manifest: Mapping[str, Any]) -> Iterator[str]:
    listed = manifest["files"]
    for name in sorted({*listed, *bundle.names} - {archive.MANIFEST}):
        if name not in bundle.names:
            yield f"{name}: the manifest names it, the bundle does not have it."
        elif name not in listed:
            yield f"{name}: the manifest does not name it."
        elif bundle.sha256(name) != listed[name]:
            yield f"{name}: its SHA-256 is not the manifest's."


def _bias(bundle: Archive, qids: Sequence[str], checked: Counter[str]) -> Iterator[str]:
    # The documents are read twice, so that only one run's values are in memory.
    rows = ([result.row()[name] for name in STORED_COLUMNS] for result in _results(bundle, qids))
    yield from _table(bundle, "bias.csv", STORED_COLUMNS, rows, checked)
    columns = ("run", "qid", "measure", "magnitude", "cutoff", "value")
    name = "figures/bias_per_query.csv"
    values = per_query_rows(_results(bundle, qids))
    yield from _table(bundle, name, columns, values, Counter())


def _results(bundle: Archive, qids: Sequence[str]) -> Iterator[Result]:
    with bundle.text("documents.csv") as file:
        for ranked in csv_rankings(file, bundle.place("documents.csv"), qids):
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
        pairs = zip_longest(csv_rows(file, bundle.place(name)), computed)
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
            same = is_close(_number(stored), value, _TOLERANCE)
        else:
            same = stored == ("" if value is None else str(value))
        if not same:
            yield f"{where}: {column} is {_short(stored)}, computed {value!r}."


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _unequal(
    where: str, stored: Any, computed: Any, tolerance: float = _TOLERANCE
) -> Iterator[str]:
    """Yield the places where two JSON values differ; numbers may differ in their last bits."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in sorted({*stored, *computed}):
            if key not in stored or key not in computed:
                yield f"{where}: {key} is in only one of the two."
            else:
                yield from _unequal(f"{where}: {key}", stored[key], computed[key], tolerance)
    elif isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        for number, pair in enumerate(zip(stored, computed, strict=True), 1):
            yield from _unequal(f"{where} {number}", *pair, tolerance)
    elif _is_number(stored) and _is_number(computed):
        if not is_close(stored, computed, tolerance):
            yield f"{where} is {stored}, computed {computed}."
    elif stored != computed:
        yield f"{where} is {_short(stored)}, computed {_short(computed)}."


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: object) -> str:
    return reprlib.repr(value)
