"""Which runs are repetitions of one system, and whether they can be taken for that."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError
from ..runs.columns import as_frame, is_frame
from ..runs.run import Run, check_run_name
from ..runs.systems import SystemRows
from ..vocabulary import GROUP, PATTERN_EXAMPLE

_REMEDY = (
    f"Name the runs, {{system: [run, run]}}, or give a pattern of their names: {PATTERN_EXAMPLE!r}."
)
#: The names of its runs, by that of a system.
Systems = Mapping[str, tuple[str, ...]]


def systems_of(repeats: Any, runs: Sequence[str]) -> Systems:
    """The runs of each system by `repeats`; a run that it does not name is a system alone.

    `repeats` is `{system: [run, run]}`, `{run: system}`, a frame with columns `run` and `system`,
    or a regular expression of whole names with a group `system`. Raises `InputError` where it fits
    no run, names one that is not there, or gives one to two systems.
    """
    if isinstance(repeats, str):
        system_of = _by_pattern(repeats, runs)
    elif is_frame(repeats):
        table = as_frame(repeats) or {}
        if not {"run", GROUP} <= table.keys():
            raise InputError(
                f"repeats has no columns run and {GROUP}.", remedy=f"It has {', '.join(table)}."
            )
        system_of = _by_name(zip(table["run"], table[GROUP], strict=True), runs)
    elif isinstance(repeats, Mapping):
        system_of = _by_name(_pairs(repeats), runs)
    else:
        raise InputTypeError(f"repeats is {type(repeats).__name__}.", remedy=_REMEDY)
    loose = [run for run in runs if run not in system_of and run in system_of.values()]
    if loose:
        raise InputError(
            f"repeats: {loose[0]!r} is the name of a system of several runs, and of a run "
            "outside it.",
            remedy="Give the system another name, or leave that run out.",
        )
    systems: dict[str, list[str]] = {}
    for run in runs:
        systems.setdefault(system_of.get(run, run), []).append(run)
    return {system: tuple(own) for system, own in systems.items()}


def _by_pattern(pattern: str, runs: Sequence[str]) -> dict[str, str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(
            f"repeats: {pattern!r} is not a regular expression: {error}.", remedy=_REMEDY
        ) from None
    if GROUP not in compiled.groupindex:
        raise InputError(
            f"repeats: {pattern!r} does not say which part of a name is the system.",
            remedy=f"Put it into (?P<{GROUP}>...), as in {PATTERN_EXAMPLE!r}.",
        )
    matches = {run: compiled.fullmatch(run) for run in runs}
    system_of = {run: match[GROUP] for run, match in matches.items() if match and match[GROUP]}
    if not system_of:
        raise InputError(
            f"repeats: {pattern!r} matches no run's name.",
            remedy=f"The runs are {', '.join(runs)}.",
        )
    return {run: check_run_name(system) for run, system in system_of.items()}


def _pairs(repeats: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Run and system of `{system: [run, run]}` or `{run: system}`."""
    for name, value in repeats.items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, Collection):
            yield from ((run, name) for run in value)
        else:
            raise InputTypeError(f"repeats: {name!r} has {value!r}.", remedy=_REMEDY)


def _by_name(pairs: Any, runs: Sequence[str]) -> dict[str, str]:
    system_of: dict[str, str] = {}
    for run, system in pairs:
        if run not in runs:
            raise InputError(
                f"repeats: there is no run {run!r}.", remedy=f"The runs are {', '.join(runs)}."
            )
        if run in system_of:
            raise InputError(
                f"repeats: the run {run!r} is named twice, for {system_of[run]} and {system}.",
                remedy="A run is one repetition of one system.",
            )
        system_of[str(run)] = check_run_name(str(system))
    if not system_of:
        raise InputError("repeats names no run.", remedy=_REMEDY)
    return system_of


def split_by_column(runs: Any, column: Any) -> tuple[Any, Any]:
    """A frame of runs whose `column` tells repetitions apart, as runs by name, and the systems.

    A column that has one value for each run names systems; one with several numbers repetitions,
    as `seed` does. Anything but a frame with that column is given back as it is.
    """
    table = as_frame(runs) if isinstance(column, str) and is_frame(runs) else None
    if table is None or column not in table:
        return runs, column
    own = next((n for n in ("run", GROUP, "name", "tag") if n in table and n != column), None)
    values = [str(value) for value in table[column]]
    names = [str(name) for name in table[own]] if own else ["run"] * len(values)
    pairs = list(dict.fromkeys(zip(names, values, strict=True)))
    if own and len(pairs) == len(set(names)):
        return runs, dict(pairs)
    rows: dict[str, list[int]] = {}
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        rows.setdefault(f"{name}.{column}{value}", []).append(place)
    parts = {
        run: SystemRows({key: [cells[row] for row in places] for key, cells in table.items()})
        for run, places in rows.items()
    }
    return parts, {f"{name}.{column}{value}": name for name, value in pairs}


def check_repetitions(runs: Sequence[Run], systems: Systems) -> list[str]:
    """Remarks about runs as repetitions; `InputError` where one of them is given twice."""
    by_name = {run.name: run for run in runs}
    remarks = []
    for system, names in systems.items():
        own = [by_name[name] for name in names]
        _check_distinct(system, own)
        remarks += [*_missing_queries(system, own), *_other_depths(system, own)]
    return remarks


def _check_distinct(system: str, own: Sequence[Run]) -> None:
    seen: dict[tuple[Any, ...], Run] = {}
    for run in own:
        key = (run.qids, run.offsets.tobytes(), run.scores.tobytes())
        first = seen.setdefault(key, run)
        if first is not run and np.array_equal(run.docnos.tolist(), first.docnos.tolist()):
            raise InputError(
                f"{run.name} and {first.name}, repetitions of {system}, are one and the same.",
                path=run.path or None,
                remedy="Give each repetition once: copies would make an interval too narrow.",
            )


def _missing_queries(system: str, own: Sequence[Run]) -> Iterator[str]:
    every = set[str]().union(*(run.qids for run in own))
    for run in own:
        if lacking := sorted(every.difference(run.qids)):
            yield (
                f"{run.name} has no documents for {len(lacking):,} queries that other "
                f"repetitions of {system} have, as {lacking[0]!r}: if that is not a value, the "
                "query is left out of all of them; if it counts 0, it counts as chance of "
                "repetitions."
            )


def _other_depths(system: str, own: Sequence[Run]) -> Iterator[str]:
    depths = {run.name: int(np.diff(run.offsets).max(initial=0)) for run in own}
    if len(set(depths.values())) > 1:
        counts = ", ".join(f"{name} {depth:,}" for name, depth in depths.items())
        yield (
            f"the repetitions of {system} are lists of different depths ({counts}): beyond "
            f"{min(depths.values()):,} they do not compare."
        )
