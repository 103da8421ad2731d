"""A chain as rows: shares, changes, odds, and the counts without which they mean nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need
from ..measures.sides import sides_of
from ..statistics.significance import MIN_QUERIES, mean_interval
from ..vocabulary import LEVEL
from .chain import Chain
from .chance import band
from .odds import mantel_haenszel
from .steps import ANSWERED, CITED, CITED_BY_WORDS, DISCOUNTED, REFERENCED, RETRIEVED

Array = NDArray[np.float64]
Row = dict[str, object]

COLUMNS = (
    "run", "figure", "step", "group", "value", "low", "high", "level", "n_queries", "known",
    "withheld",
)  # fmt: skip
NUMBERS = COLUMNS[4:-1]
PER_QUERY_COLUMNS = ("run", "qid", "measure", "magnitude", "cutoff", "value")
#: A step below this share of known documents has no interval.
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
    "repeated": "further answers to a query, left out",
    "unlabelled": "retrieved documents without a group",
    "unlabelled_cited": "cited documents without a group",
}


def rows_of(chain: Chain, level: float = LEVEL) -> list[Row]:
    """Every figure of a chain; `value` is always there, `withheld` says why it has no interval."""
    figures = (_shares, _changes, _leans, _variation, _ratios, _odds, _counts)
    return [_row(chain.system, figure) for of in figures for figure in of(chain, level)]


@dataclass(frozen=True, kw_only=True)
class _Figure:
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


def _row(system: str, figure: _Figure) -> Row:
    value = None if np.isnan(figure.value) else float(figure.value)
    return {"run": system, **vars(figure), "value": value}


def known_share(chain: Chain, step: str) -> float:
    """The share of the documents at a step that have a group; 1 where there are none."""
    n = chain.documents.get(step, 0)
    return chain.known[step] / n if n else 1.0


def _mean(figure: str, step: str, group: str, values: Array, known: float, level: float) -> _Figure:  # noqa: PLR0917 - the columns of a row in their order
    """The mean over queries, with Student's interval where it holds."""
    interval = mean_interval(values, level=level)
    reason = _reason(known, interval.n)
    if not reason and interval.low is None:
        reason = "too few queries differ"
    return _Figure(
        figure=figure,
        step=step,
        group=group,
        value=np.nan if interval.value is None else interval.value,
        low=None if reason else interval.low,
        high=None if reason else interval.high,
        level=None if reason else level,
        n_queries=interval.n,
        known=known,
        withheld=reason,
    )


def _reason(known: float, n: int) -> str:
    if known < KNOWN:
        return f"fewer than {KNOWN:.0%} of the documents have a group"
    return f"fewer than {MIN_QUERIES} queries" if n < MIN_QUERIES else ""


def _shares(chain: Chain, level: float) -> Iterator[_Figure]:
    for step, shares in chain.shares.items():
        for place, group in enumerate(chain.groups):
            known = known_share(chain, step)
            yield _mean("share", step, group, shares[:, place], known, level)


def changes_of(chain: Chain) -> Iterator[tuple[str, Array, float]]:
    """Each change by its name, (Q, G), with the share of known documents of its worse step."""
    for before, after in CHANGES:
        if before in chain.shares and after in chain.shares:
            known = min(known_share(chain, before), known_share(chain, after))
            yield _name(before, after), chain.shares[after] - chain.shares[before], known


def _name(before: str, after: str) -> str:
    return f"{before} > {after}"


def _changes(chain: Chain, level: float) -> Iterator[_Figure]:
    for name, change, known in changes_of(chain):
        for place, group in enumerate(chain.groups):
            yield _mean("change", name, group, change[:, place], known, level)


def _leans(chain: Chain, level: float) -> Iterator[_Figure]:
    """Of two groups: the bias of each step, its amplification, and the lean of the words."""
    if pair := sides_of(chain.groups):
        low, high = map(chain.groups.index, pair)
        sides = f"{pair[1]} - {pair[0]}"
        for step, shares in chain.shares.items():
            bias = shares[:, high] - shares[:, low]
            yield _mean("bias", step, sides, bias, known_share(chain, step), level)
        for name, change, known in changes_of(chain):
            bias = change[:, high] - change[:, low]
            yield _mean("amplification", name, sides, bias, known, level)
    if chain.lean is not None:
        yield _mean("bias (logtc)", ANSWERED, chain.sides, chain.lean, 1.0, level)


def _variation(chain: Chain, level: float) -> Iterator[_Figure]:
    known = min(known_share(chain, step) for step in (RETRIEVED, CITED))
    values = chain.variation[~np.isnan(chain.variation)]
    n, step = len(values), _name(RETRIEVED, CITED)
    mean = float(values.mean()) if n else np.nan
    yield _Figure(figure="total variation", step=step, value=mean, n_queries=n, known=known)
    reason = _reason(known, n)
    low, high = (None, None) if reason else band(chain.by_chance, level)
    yield _Figure(
        figure="total variation by chance",
        step=step,
        value=float(chain.by_chance.mean()),
        low=low,
        high=high,
        level=None if reason else level,
        n_queries=n,
        known=known,
        withheld=reason,
    )


def _ratios(chain: Chain, level: float) -> Iterator[_Figure]:
    """Mean cited share over mean retrieved share, with an interval by linearisation."""
    cited, retrieved = chain.shares[CITED], chain.shares[RETRIEVED]
    both = ~(np.isnan(cited[:, 0]) | np.isnan(retrieved[:, 0]))
    known = min(known_share(chain, step) for step in (RETRIEVED, CITED))
    n = int(both.sum())
    for place, group in enumerate(chain.groups):
        y, x = cited[both, place], retrieved[both, place]
        base = float(x.mean()) if n else 0.0
        value = float(y.mean()) / base if base > 0 else np.nan
        reason = _reason(known, n) or ("" if base > 0 else "no document of the group is retrieved")
        half = np.nan if reason else _half((y - value * x) / base, level)
        yield _Figure(
            figure="attribution ratio",
            step=_name(RETRIEVED, CITED),
            group=group,
            value=value,
            low=None if reason else value - half,
            high=None if reason else value + half,
            level=None if reason else level,
            n_queries=n,
            known=known,
            withheld=reason,
        )


def _half(residuals: Array, level: float) -> float:
    """Half the width of Student's interval of a ratio of means, by its residuals (Q,)."""
    n = len(residuals)
    quantile = float(need("scipy.special").stdtrit(n - 1, (1 + level) / 2))
    error: float = float(residuals.std(ddof=1)) / n**0.5
    return quantile * error


def _odds(chain: Chain, level: float) -> Iterator[_Figure]:
    """Odds of being cited, of a group against all others, within a query and a rank or grade."""
    known = min(known_share(chain, step) for step in (RETRIEVED, CITED))
    for group, tables in chain.tables.items():
        odds = mantel_haenszel(tables, chain.strata, level=level)
        reason = _reason(known, odds.n_clusters)
        if not reason and np.isnan(odds.low):
            reason = "one query alone decides"
        yield _Figure(
            figure="odds of being cited",
            step=f"within query and {chain.stratum}",
            group=group,
            value=odds.value,
            low=None if reason else odds.low,
            high=None if reason else odds.high,
            level=None if reason else level,
            n_queries=odds.n_clusters,
            known=known,
            withheld=reason,
        )


def _counts(chain: Chain, _level: float) -> Iterator[_Figure]:
    counts = {
        **chain.counts,
        "unlabelled": chain.documents[RETRIEVED] - chain.known[RETRIEVED],
        "unlabelled_cited": chain.documents[CITED] - chain.known[CITED],
    }
    for name, words in COUNTS.items():
        yield _Figure(figure="count", step=words, value=float(counts.get(name, 0)))


def differences_of(chains: Sequence[Chain], baseline: str, level: float = LEVEL) -> list[Row]:
    """The changes of each other system minus the baseline's, over the queries that both have.

    `InputError` where no system is called so.
    """
    by_name = {chain.system: chain for chain in chains}
    if baseline not in by_name:
        raise InputError(
            f"no system is called {baseline!r}.", remedy=f"The systems are {', '.join(by_name)}."
        )
    base = by_name[baseline]
    rows: list[Row] = []
    for chain in chains:
        if chain is base:
            continue
        place_of = {qid: place for place, qid in enumerate(base.qids)}
        both = [(place, place_of[qid]) for place, qid in enumerate(chain.qids) if qid in place_of]
        own, others = np.array(both, dtype=np.int64).reshape(-1, _PAIR).T
        of_base = {name: (change, known) for name, change, known in changes_of(base)}
        for name, change, known in changes_of(chain):
            if name not in of_base:
                continue
            base_change, known_base = of_base[name]
            difference, worse = change[own] - base_change[others], min(known, known_base)
            for at, group in enumerate(chain.groups):
                figure = f"change minus that of {baseline}"
                mean = _mean(figure, name, group, difference[:, at], worse, level)
                rows.append(_row(chain.system, mean))
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
    for name, change, _known in changes_of(chain):
        for place, group in enumerate(chain.groups):
            yield f"{name}: {group}", change[:, place]
    yield "total variation", chain.variation
