"""Runs that a report compares those of its table with, from its options."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..vocabulary import CRBO_DEPTH
from .run_arguments import named_paths

if TYPE_CHECKING:
    from ..results.overlap import RunOverlap
    from ..runs.queries import Queries


def chosen_overlaps(
    paths: dict[str, Path], queries: "Queries | None", options: dict[str, Any]
) -> "list[RunOverlap]":
    """CRBO of every run that has one over the counterfactual collection."""
    from ..results.overlap import run_overlap
    from ..runs import read_run

    keep = None if queries is None else set(queries.ids)
    overlaps = []
    for name, counterfactual in named_paths(options["counterfactual"], "--counterfactual").items():
        if name not in paths:
            raise InputError(
                f"--counterfactual {name}: no run has this name.", remedy="Name one of the --run."
            )
        original, swapped = (
            read_run(path, name, options["order"], keep, CRBO_DEPTH)
            for path in (paths[name], counterfactual)
        )
        overlaps.append(run_overlap(original, swapped, depth=CRBO_DEPTH))
    return overlaps


def chosen_pairs(options: list[str]) -> dict[str, str]:
    """The twin of each run of `--paired`; `InputError` for what names none."""
    pairs: dict[str, str] = {}
    for option in options:
        name, equals, twin = option.partition("=")
        if not equals or not twin or name in pairs:
            raise InputError(
                f"--paired {option}: no NAME=RND_NAME of its own.",
                remedy="Name each model once, for instance --paired KNRM=KNRM_RND.",
            )
        pairs[name] = twin
    return pairs
