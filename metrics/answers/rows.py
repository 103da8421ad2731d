"""A chain as rows: shares, changes, odds, and the counts without which they mean nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need
from ..measures.sides import sides_of
from ..statistics.significance import MIN_QUERIES, mean_interval
from ..vocabulary import LEVEL
from .answer import MOST_REFERENCES
from .chain import Chain
from .chance import band
from .odds import mantel_haenszel
from .steps import ANSWERED, CITED, CITED_BY_WORDS, DISCOUNTED, LISTED, REFERENCED, RETRIEVED

Array = NDArray[np.float64]
Row = dict[str, object]

COLUMNS = (
    "run", "figure", "step", "group", "value", "low", "high", "level", "n_queries", "known",
    "withheld",
)  # fmt: skip
NUMBERS = COLUMNS[4:-1]
PER_QUERY_COLUMNS = ("run", "qid", "measure", "magnitude", "cutoff", "value")
#: A step below this share of known documents has no interval, nor has a change from a list to
#: answers whose citations lie in it less often.
KNOWN = 0.8
_PAIR = 2
#: From one step to another: the first two are what is asked of a chain.
CHANGES = (
    (RETRIEVED, CITED),
    (DISCOUNTED, CITED),
    (RETRIEVED, REFERENCED),
    (REFERENCED, CITED),
    (RETRIEVED, CITED_BY_WORDS),
    (CITED, ANSWERED),
)
#: The counts that stand in every table, and what they count.
COUNTS: Mapping[str, str] = {
    "answers": "answers measured",
    "not_in_run": "answers to queries that the run does not have",
    "without_answer": "queries of the run without an answer",
    "citations": "citations, document by sentence",
    "outside_list": "citations of documents that the list does not have",
    "outside": "citations of documents that the answer's references do not have",
    "out_of_range": "citations by a number that the references do not have",
    "uncited": "answers without any citation",
    "empty": "answers without a word",
    "tags": "answers that hold HTML tags",
    "long": f"answers with more than {MOST_REFERENCES} references",
    "twice": "references that occur twice in one answer",
    "repeated": "further answers to a query, left out",
    "unlabelled": "retrieved documents without a group",
    "unlabelled_cited": "cited documents without a group",
}


def rows_of(chain: Chain, level: float = LEVEL) -> list[Row]:
    """Every figure of a chain; `value` is always there, `withheld` says why it has no interval."""
    figures = (_shares, _changes, _leans, _variation, _ratios, _odds, _counts)
    return [row_of(chain.system, figure) for of in figures for figure in of(chain, level)]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A row without its system; `known` is None where nothing has to be known of documents."""

    figure: str
    step: str
    group: str = ""
    value: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    n_queries: int | None = None
    known: float | None = None
    withheld: str = ""


def row_of(system: str, figure: Figure) -> Row:
    value = None if np.isnan(figure.value) else float(figure.value)
    return {"run": system, **vars(figure), "value": value}


@dataclass(frozen=True)
class Basis:
    """Basis of a figure: the share of documents with a group, and of citations in the list."""

    known: float = 1.0
    in_list: float = 1.0

    def worse(self, other: "Basis") -> "Basis":
        """The worse of both."""
        return Basis(min(self.known, other.known), min(self.in_list, other.in_list))

    def reason(self, n_queries: int) -> str:
        """Why there is no interval; empty where there is one."""
        if self.known < KNOWN:
            return f"fewer than {KNOWN:.0%} of the documents have a group"
        if self.in_list < KNOWN:
            return f"fewer than {KNOWN:.0%} of the citations are of documents in the list"
        return f"fewer than {MIN_QUERIES} queries" if n_queries < MIN_QUERIES else ""


def basis_of(chain: Chain, *steps: str) -> Basis:
    """The basis of these steps: of the worse one, and of the list where one of them is its."""
    known = []
    for step in steps:
        n = chain.documents.get(step, 0)
        known.append(chain.known[step] / n if n else 1.0)
    n_citations = chain.counts.get("citations", 0)
    is_from_list = len(steps) > 1 and not {RETRIEVED, DISCOUNTED}.isdisjoint(steps)
    if not (is_from_list and n_citations):
        return Basis(min(known))
    return Basis(min(known), 1 - chain.counts.get("outside_list", 0) / n_citations)


def mean_figure(  # noqa: PLR0917 - the columns of a row in their order
    figure: str, step: str, group: str, values: Array, basis: Basis, level: float
) -> Figure:
    """The mean over queries, with Student's interval where it holds."""
    interval = mean_interval(values, level=level)
    reason = basis.reason(interval.n)
    if not reason and interval.low is None:
        reason = "too few queries differ"
    return Figure(
        figure=figure,
        step=step,
        group=group,
        value=np.nan if interval.value is None else interval.value,
        low=None if reason else interval.low,
        high=None if reason else interval.high,
        level=None if reason else level,
        n_queries=interval.n,
        known=basis.known,
        withheld=reason,
    )


def _shares(chain: Chain, level: float) -> Iterator[Figure]:
    for step, shares in chain.shares.items():
        for place, group in enumerate(chain.groups):
            values = shares[:, place]
            yield mean_figure("share", step, group, values, basis_of(chain, step), level)


def changes_of(chain: Chain) -> Iterator[tuple[str, Array, Basis]]:
    """Each change by its name, (Q, G), with what it rests on."""
    for before, after in CHANGES:
        if before in chain.shares and after in chain.shares:
            change = chain.shares[after] - chain.shares[before]
            yield _name(before, after), change, basis_of(chain, before, after)


def _name(before: str, after: str) -> str:
    return f"{before} > {after}"


def _changes(chain: Chain, level: float) -> Iterator[Figure]:
    for name, change, basis in changes_of(chain):
        for place, group in enumerate(chain.groups):
            yield mean_figure("change", name, group, change[:, place], basis, level)


def _leans(chain: Chain, level: float) -> Iterator[Figure]:
    """Of two groups: the bias of each step, its amplification, and the lean of the words."""
    if pair := sides_of(chain.groups):
        low, high = map(chain.groups.index, pair)
        sides = f"{pair[1]} - {pair[0]}"
        for step, shares in chain.shares.items():
            bias = shares[:, high] - shares[:, low]
            yield mean_figure("bias", step, sides, bias, basis_of(chain, step), level)
        for name, change, basis in changes_of(chain):
            bias = change[:, high] - change[:, low]
            yield mean_figure("amplification", name, sides, bias, basis, level)
    if chain.lean is not None:
        yield mean_figure("bias (logtc)", ANSWERED, chain.sides, chain.lean, Basis(), level)


def _variation(chain: Chain, level: float) -> Iterator[Figure]:
    for before in LISTED:
        basis, step = basis_of(chain, before, CITED), _name(before, CITED)
        values = chain.variation[before][~np.isnan(chain.variation[before])]
        n = len(values)
        mean = float(values.mean()) if n else np.nan
        variation = Figure(
            figure="total variation", step=step, value=mean, n_queries=n, known=basis.known
        )
        yield variation
        reason, by_chance = basis.reason(n), chain.by_chance[before]
        low, high = (None, None) if reason else band(by_chance, level)
        yield replace(
            variation,
            figure="total variation by chance",
            value=float(by_chance.mean()),
            low=low,
            high=high,
            level=None if reason else level,
            withheld=reason,
        )


def _ratios(chain: Chain, level: float) -> Iterator[Figure]:
    for before in LISTED:
        yield from _ratios_to(chain, before, level)


def _ratios_to(chain: Chain, before: str, level: float) -> Iterator[Figure]:
    """Mean cited share over mean retrieved share, with an interval by linearisation."""
    cited, retrieved = chain.shares[CITED], chain.shares[before]
    both = ~(np.isnan(cited[:, 0]) | np.isnan(retrieved[:, 0]))
    basis = basis_of(chain, before, CITED)
    n = int(both.sum())
    for place, group in enumerate(chain.groups):
        y, x = cited[both, place], retrieved[both, place]
        base = float(x.mean()) if n else 0.0
        value = float(y.mean()) / base if base > 0 else np.nan
        reason = basis.reason(n) or ("" if base > 0 else "no document of the group is retrieved")
        half = np.nan if reason else _half((y - value * x) / base, level)
        yield Figure(
            figure="attribution ratio",
            step=_name(before, CITED),
            group=group,
            value=value,
            low=None if reason else value - half,
            high=None if reason else value + half,
            level=None if reason else level,
            n_queries=n,
            known=basis.known,
            withheld=reason,
        )


def _half(residuals: Array, level: float) -> float:
    """Half the width of Student's interval of a ratio of means, by its residuals (Q,)."""
    n = len(residuals)
    quantile = float(need("scipy.special").stdtrit(n - 1, (1 + level) / 2))
    error: float = float(residuals.std(ddof=1)) / n**0.5
    return quantile * error


def _odds(chain: Chain, level: float) -> Iterator[Figure]:
    """Odds of being cited, of a group against all others, within a query and a rank or grade."""
    basis = basis_of(chain, RETRIEVED, CITED)
    for group, tables in chain.tables.items():
        odds = mantel_haenszel(tables, chain.strata, level=level)
        reason = basis.reason(odds.n_clusters)
        if not reason and np.isnan(odds.low):
            reason = "one query alone decides"
        yield Figure(
            figure="odds of being cited",
            step=f"within query and {chain.stratum}",
            group=group,
            value=odds.value,
            low=None if reason else odds.low,
            high=None if reason else odds.high,
            level=None if reason else level,
            n_queries=odds.n_clusters,
            known=basis.known,
            withheld=reason,
        )


def _counts(chain: Chain, _level: float) -> Iterator[Figure]:
    counts = {
        **chain.counts,
        "unlabelled": chain.documents[RETRIEVED] - chain.known[RETRIEVED],
        "unlabelled_cited": chain.documents[CITED] - chain.known[CITED],
    }
    for name, words in COUNTS.items():
        yield Figure(figure="count", step=words, value=float(counts.get(name, 0)))


def differences_of(chains: Sequence[Chain], baseline: str, level: float = LEVEL) -> list[Row]:
    """The changes of each other system minus the baseline's, over the queries that both have.

    `InputError` where no system is called so.
    """
    by_name = {chain.system: chain for chain in chains}
    if baseline not in by_name:
        raise InputError(
            f"there is no system {baseline!r}.", remedy=f"The systems are {', '.join(by_name)}."
        )
    base = by_name[baseline]
    rows: list[Row] = []
    for chain in chains:
        if chain is base:
            continue
        place_of = {qid: place for place, qid in enumerate(base.qids)}
        both = [(place, place_of[qid]) for place, qid in enumerate(chain.qids) if qid in place_of]
        own, others = np.array(both, dtype=np.int64).reshape(-1, _PAIR).T
        of_base = {name: (change, basis) for name, change, basis in changes_of(base)}
        for name, change, basis in changes_of(chain):
            if name not in of_base:
                continue
            base_change, of_other = of_base[name]
            difference, worse = change[own] - base_change[others], basis.worse(of_other)
            for at, group in enumerate(chain.groups):
                figure = f"change minus that of {baseline}"
                mean = mean_figure(figure, name, group, difference[:, at], worse, level)
                rows.append(row_of(chain.system, mean))
    return rows


def per_query_rows(chain: Chain) -> Iterator[Row]:
    """Values per query in the columns of `evaluate(..., per_query=True)`, for `compare`."""
    for name, values in _per_query(chain):
        for qid, value in zip(chain.qids, values.tolist(), strict=True):
            row = (chain.system, qid, name, "", 0, value)
            yield dict(zip(PER_QUERY_COLUMNS, row, strict=True))


def _per_query(chain: Chain) -> Iterator[tuple[str, Array]]:
    for step, shares in chain.shares.items():
        for place, group in enumerate(chain.groups):
            yield f"{step}: {group}", shares[:, place]
    for name, change, _basis in changes_of(chain):
        for place, group in enumerate(chain.groups):
            yield f"{name}: {group}", change[:, place]
    yield "total variation", chain.variation[RETRIEVED]
    yield "total variation (discounted)", chain.variation[DISCOUNTED]
