"""The design of people's sample, on which all figures beyond it rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, InputTypeError
from ..io.csv_tables import named_rows
from ..runs.columns import as_frame

#: All queries that the model judged had the same chance.
SIMPLE = "simple"
_SHAPE = (
    "Write a table with a header: qid,stratum or qid,chance or, where people judged pairs, "
    "qid,docno,chance."
)


@dataclass(frozen=True)
class Design:
    """Design by which people's part of the pool was drawn.

    `strata`: the stratum of each query of the pool, where each stratum was sampled separately.
    `chances`: the chance of each query to be drawn, one by one. `pairs`: the same of each pair of
    query and document, where people judged pairs and not whole queries. Without any of them all
    queries that the model judged had the same chance.
    """

    strata: Mapping[str, str] | None = None
    chances: Mapping[str, float] | None = None
    pairs: Mapping[str, Mapping[str, float]] | None = None

    @property
    def is_simple(self) -> bool:
        """True if all queries had the same chance."""
        return self.strata is None and self.chances is None and self.pairs is None

    @property
    def unit(self) -> str:
        """Unit that was drawn, and judged as a whole: a query or a pair."""
        return "query" if self.pairs is None else "pair"

    def of_queries(self, qids: list[str]) -> dict[str, list[Any] | None]:
        """Strata and chances of these queries, as `Sample.of` takes them."""
        columns: dict[str, list[Any] | None] = {}
        for name, known in (("strata", self.strata), ("chances", self.chances)):
            if known is not None and (missing := [qid for qid in qids if qid not in known]):
                raise InputError(
                    f"the design lacks {len(missing):,} of {len(qids):,} queries that the model "
                    f"judged, such as {missing[0]!r}.",
                    remedy="Give all queries of the pool, also those that were not drawn.",
                )
            columns[name] = None if known is None else [known[qid] for qid in qids]
        return columns


def design_of(source: Any) -> Design | None:
    """The design of `"simple"`, a file, a frame, or `{"strata": ...}` or `{"chances": ...}`.

    Chances are `{qid: chance}`, or `{qid: {docno: chance}}` of pairs. None stays None: then nothing
    is known of how the judged ones were drawn.
    """
    if source is None or isinstance(source, Design):
        return source
    if isinstance(source, str) and source == SIMPLE:
        return Design()
    if isinstance(source, str | Path):
        return read_design(source)
    if isinstance(source, Mapping) and set(source) in ({"strata"}, {"chances"}):
        ((kind, of_queries),) = source.items()
        if not isinstance(of_queries, Mapping) or not of_queries:
            raise InputTypeError(f"the {kind} are not a mapping by query.", remedy=_SHAPE)
        if any(isinstance(values, Mapping) for values in of_queries.values()):
            rows = [
                {"qid": str(qid), "docno": str(docno), kind.removesuffix("s"): chance}
                for qid, of_query in of_queries.items()
                for docno, chance in of_query.items()
            ]
        else:
            name = "stratum" if kind == "strata" else "chance"
            rows = [{"qid": str(qid), name: value} for qid, value in of_queries.items()]
        return _of_rows(rows)
    if (frame := as_frame(source)) is not None:
        names = [name for name in frame if name in ("qid", "docno", "stratum", "chance")]
        columns = [frame[name] for name in names]
        return _of_rows([dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)])
    raise InputTypeError(
        f"the design is {source!r}.",
        remedy='Give "simple", a file, a frame, {"strata": {qid: stratum}}, {"chances": {qid: '
        "chance}}, or None where it is not known.",
    )


def read_design(path: str | Path) -> Design:
    """The design of a CSV with the columns qid and stratum, qid and chance, or qid, docno, chance.

    `InputError` with file and line for another table, and for invalid chances.
    """
    rows = []
    for line, row in named_rows(path, ["qid"], _SHAPE):
        rows.append(row | {"line": line})
    return _of_rows(rows, path)


def _of_rows(rows: list[dict[str, Any]], path: str | Path | None = None) -> Design:
    names = set(rows[0]) if rows else set()
    if not rows or "qid" not in names or ("stratum" in names) == ("chance" in names):
        raise InputError("is not a design.", path=path, remedy=_SHAPE)
    if "stratum" in names:
        return Design(strata={str(row["qid"]): str(row["stratum"]) for row in rows})
    if "docno" not in names:
        return Design(chances={str(row["qid"]): _chance(row, path) for row in rows})
    pairs: dict[str, dict[str, float]] = {}
    for row in rows:
        pairs.setdefault(str(row["qid"]), {})[str(row["docno"])] = _chance(row, path)
    return Design(pairs=pairs)


def _chance(row: Mapping[str, Any], path: str | Path | None) -> float:
    try:
        chance = float(row["chance"])
    except (TypeError, ValueError):
        chance = 0.0
    if not 0 < chance <= 1:
        raise InputError(
            f"the chance of {row['qid']!r} is {row['chance']!r}, not above 0 and at most 1.",
            path=path,
            line=row.get("line"),
        )
    return chance
