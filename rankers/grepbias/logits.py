"""Logits of models that were trained on one category and scored every pair, as CSV."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.errors import InputError
from metrics.io.csv_tables import named_rows
from metrics.io.file_kinds import table_kind
from metrics.io.files import replacing, write_text
from metrics.reports.formats.tables import to_csv

from .dataset import CATEGORIES, Pair

REQUIRED = ("train_on", "category", "query", "document", "gender", "relevant", "logit")
OPTIONAL = ("mode", "alpha_mf", "alpha_mn", "alpha_fn", "seed")
COLUMNS = (*OPTIONAL, *REQUIRED)
LOGITS = table_kind("logits of Grep-BiasIR", COLUMNS)
_REMEDY = f"Columns: {', '.join(REQUIRED)}; optional: {', '.join(OPTIONAL)}."


class Alpha(NamedTuple):
    """Weights of the penalty by the genders of a pair of documents; all 0: plain training."""

    mf: float = 0.0
    mn: float = 0.0
    fn: float = 0.0

    def __str__(self) -> str:
        return ",".join(f"{weight:g}" for weight in self)


def parse_alpha(text: str) -> Alpha:
    """`MF,MN,FN` as three numbers, or one number for all three."""
    try:
        weights = [float(part) for part in text.split(",")]
    except ValueError:
        weights = []
    if len(weights) == 1:
        weights *= len(Alpha._fields)
    if len(weights) != len(Alpha._fields) or not all(0 <= weight < math.inf for weight in weights):
        raise InputError(f"the alpha {text!r} is not three weights.", remedy="Write MF,MN,FN.")
    return Alpha(*weights)


@dataclass(frozen=True, eq=False)
class LogitRun:
    """The logits (N,) of one trained model for N pairs, which are aligned with the other arrays.

    A logit above 0 means that the model takes the document for relevant. `mode` is how the model
    was trained: `full` and `adapter` make Tables 1 and 2, any other name a table of its own.
    """

    mode: str
    train_on: str
    alpha: Alpha
    seed: int
    category: NDArray[np.str_]
    query: NDArray[np.str_]
    document: NDArray[np.str_]
    gender: NDArray[np.str_]
    relevant: NDArray[np.bool_]
    logit: NDArray[np.float64]

    @property
    def is_debiased(self) -> bool:
        return any(self.alpha)


def logit_run(
    pairs: Sequence[Pair],
    logits: NDArray[np.float64],
    *,
    mode: str,
    train_on: str,
    alpha: Alpha = Alpha(),  # noqa: B008 - a tuple of zeros
    seed: int = 0,
) -> LogitRun:
    """The logits of a model for `pairs`, in their order."""
    return LogitRun(
        mode=mode,
        train_on=train_on,
        alpha=alpha,
        seed=seed,
        category=np.array([pair.category for pair in pairs]),
        query=np.array([pair.query for pair in pairs]),
        document=np.array([pair.document for pair in pairs]),
        gender=np.array([pair.gender for pair in pairs]),
        relevant=np.array([pair.relevant for pair in pairs]),
        logit=np.asarray(logits, dtype=np.float64),
    )


def write_logits(path: str | Path, runs: Iterable[LogitRun]) -> None:
    """Write all rows of `runs` with the columns `COLUMNS`; the file is whole or not there."""
    rows = [row for run in runs for row in _rows_of(run)]
    with replacing(path) as temporary:
        write_text(temporary, to_csv(rows, COLUMNS))


def _rows_of(run: LogitRun) -> Iterable[dict[str, object]]:
    shared = {
        "mode": run.mode,
        "train_on": run.train_on,
        "alpha_mf": run.alpha.mf,
        "alpha_mn": run.alpha.mn,
        "alpha_fn": run.alpha.fn,
        "seed": run.seed,
    }
    for i, logit in enumerate(run.logit.tolist()):
        yield {
            **shared,
            "category": str(run.category[i]),
            "query": str(run.query[i]),
            "document": str(run.document[i]),
            "gender": str(run.gender[i]),
            "relevant": int(run.relevant[i]),
            "logit": logit,
        }


def logit_remarks(runs: Iterable[LogitRun], pairs: Sequence[Pair]) -> list[str]:
    """Remarks on models whose logits are not those of all pairs of the data set, and no others."""
    labels = {(p.category, p.query, p.document): (p.gender, p.relevant) for p in pairs}
    remarks = []
    for run in runs:
        keys = list(zip(run.category, run.query, run.document, strict=True))
        theirs = dict(zip(keys, zip(run.gender, run.relevant, strict=True), strict=True))
        known = theirs.keys() & labels.keys()
        counts = {
            "not in the data set": len(theirs.keys() - known),
            "of another gender or relevance": sum(theirs[key] != labels[key] for key in known),
        }
        parts = [f"{n:,} {what}" for what, n in counts.items() if n]
        if len(known) < len(labels):
            parts.insert(0, f"{len(known):,} of {len(labels):,} pairs")
        if parts:
            name = f"{run.mode}, trained on {run.train_on}, alpha {run.alpha}, seed {run.seed}"
            remarks.append(f"{name}: logits of {', '.join(parts)}.")
    return remarks


def read_logits(path: str | Path) -> list[LogitRun]:
    """The models whose logits a file holds, in the order in which they appear.

    Raises `InputError` with file and line for a missing column, an unknown category, a logit or a
    weight that is not a finite number, and a pair that a model scores twice.
    """
    grouped: dict[tuple[str, str, Alpha, int], list[Mapping[str, str]]] = {}
    seen: dict[tuple[object, ...], int] = {}
    for line, row in named_rows(path, REQUIRED, _REMEDY):
        key = _key(row, path, line)
        pair = (*key, row["query"], row["document"])
        if pair in seen:
            raise InputError(f"scores the pair of line {seen[pair]} again.", path=path, line=line)
        seen[pair] = line
        grouped.setdefault(key, []).append(row)
    if not grouped:
        raise InputError("has no logits.", path=path, remedy=_REMEDY)
    return [_run_of(key, rows) for key, rows in grouped.items()]


def _key(row: Mapping[str, str], path: str | Path, line: int) -> tuple[str, str, Alpha, int]:
    for column in ("train_on", "category"):
        if row[column] not in CATEGORIES:
            raise InputError(
                f"{column} is {row[column]!r}.",
                path=path,
                line=line,
                remedy=f"Use one of {', '.join(CATEGORIES)}.",
            )
    if row["relevant"] not in {"0", "1"}:
        raise InputError(f"relevant is {row['relevant']!r}, not 0 or 1.", path=path, line=line)
    _number(row, "logit", path, line)
    weights = [_number(row, f"alpha_{pair}", path, line) for pair in ("mf", "mn", "fn")]
    return (
        row.get("mode") or "model",
        row["train_on"],
        Alpha(*weights),
        int(_number(row, "seed", path, line)),
    )


def _number(row: Mapping[str, str], column: str, path: str | Path, line: int) -> float:
    text = row.get(column) or ("0" if column != "logit" else "")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{column} is {text!r}, not a finite number.", path=path, line=line)
    return value


def _run_of(key: tuple[str, str, Alpha, int], rows: Sequence[Mapping[str, str]]) -> LogitRun:
    mode, train_on, alpha, seed = key
    column = {name: np.array([row[name] for row in rows]) for name in REQUIRED}
    return LogitRun(
        mode=mode,
        train_on=train_on,
        alpha=alpha,
        seed=seed,
        category=column["category"],
        query=column["query"],
        document=column["document"],
        gender=column["gender"],
        relevant=column["relevant"] == "1",
        logit=column["logit"].astype(np.float64),
    )
