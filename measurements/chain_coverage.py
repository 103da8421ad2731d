"""Coverage of what the chain of RAG says, where the truth is known.

`python -m measurements.chain_coverage` prints the table of results/chain.md; `--draws 50` for a
look, `--picture FILE` for the figure of the documentation. Each draw is a study: 60 queries, 20
retrieved documents each of groups f and m, 4 of them cited, one a sentence.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metrics.answers.answer import Answer, Sentence
from metrics.answers.chain import Chain, Terms, chain_of
from metrics.answers.groups import groups_of_labels
from metrics.answers.picture import chain_figure
from metrics.answers.rows import rows_of
from metrics.reports.plots.figures import render
from metrics.runs import Run
from metrics.texts.labels import labels_of

Array = NDArray[np.float64]

N_QUERIES, N_DOCUMENTS, N_CITED = 60, 20, 4
_DISCOUNT = 1 / np.log2(np.arange(2, N_DOCUMENTS + 2))
_LIST = [f"d{place}" for place in range(N_DOCUMENTS)]
#: Queries that a truth is computed from where it is not known.
_MANY = 20_000


def falling(random: np.random.Generator, n: int) -> NDArray[np.bool_]:
    """Documents of m (n, documents), rarer the lower they stand: .7 first, .3 last."""
    chance = np.linspace(0.7, 0.3, N_DOCUMENTS)
    return random.random((n, N_DOCUMENTS)) < chance


def uniform(random: np.random.Generator, is_m: NDArray[np.bool_]) -> Array:
    """Propensities of documents to be cited: all alike."""
    return np.ones(is_m.shape)


def by_rank(random: np.random.Generator, is_m: NDArray[np.bool_]) -> Array:
    """The higher the more gladly, whatever its group."""
    return np.broadcast_to(_DISCOUNT**2, is_m.shape)


def by_query(random: np.random.Generator, is_m: NDArray[np.bool_]) -> Array:
    """Each query prefers one group, m a little more often; by rank as well."""
    preferred = random.normal(0.3, 1.0, size=(len(is_m), 1))
    return np.exp(preferred * is_m) * _DISCOUNT


#: Who is cited, and whether queries cite more the more documents of m they have.
DESIGNS: dict[str, tuple[Callable[..., Array], bool]] = {
    "citations uniform over the list": (uniform, False),
    "citations by rank, groups differ by rank": (by_rank, False),
    "queries prefer groups, each its own": (by_query, False),
    "queries with more of m cite more": (uniform, True),
}


def drawn(
    design: str, random: np.random.Generator, n: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Groups and citations of n queries (n, documents); Gumbel's trick draws each once."""
    prefer, more = DESIGNS[design]
    is_m = falling(random, n)
    if more:
        is_m = random.random(is_m.shape) < random.beta(1, 1, size=(n, 1))
    keys = np.log(prefer(random, is_m)) + random.gumbel(size=is_m.shape)
    places = np.argsort(-keys, axis=1).argsort(axis=1)
    n_cited = N_CITED + 6 * (is_m.mean(axis=1, keepdims=True) > 0.5) if more else N_CITED
    return is_m, places < n_cited


def measured(design: str, random: np.random.Generator, n: int) -> Chain:
    is_m, is_cited = drawn(design, random, n)
    lists = {f"q{q}": [f"q{q}-{docno}" for docno in _LIST] for q in range(n)}
    labels = {
        docno: "m" if is_m[q, place] else "f"
        for q, docnos in enumerate(lists.values())
        for place, docno in enumerate(docnos)
    }
    answers = [
        Answer(qid, tuple(Sentence("A.", (docno,)) for docno in np.array(docnos)[is_cited[q]]))
        for q, (qid, docnos) in enumerate(lists.items())
    ]
    terms = Terms(groups_of_labels(labels_of(labels)), seed=int(random.integers(1 << 30)))
    return chain_of("made up", Run.from_dict(lists), answers, terms)


def figures(chain: Chain) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Value and interval by figure and step, of group m where there is one."""
    return {
        (str(row["figure"]), str(row["step"])): (row["value"], row["low"], row["high"])  # type: ignore[misc] # numbers of a row
        for row in rows_of(chain)
        if row["group"] in {"m", "m - f", ""} and row["figure"] != "count"
    }


_PLAIN, _DISCOUNTED = "retrieved > cited", "retrieved (discounted) > cited"
_ODDS = ("odds of being cited", "within query and rank")


def coverages(design: str, draws: int, seed: int = 0) -> Iterator[tuple[str, float, float]]:
    """Each figure with the share of its intervals that hold, and its mean value."""
    random = np.random.default_rng([seed, list(DESIGNS).index(design)])
    truth = {("amplification", _PLAIN): 0.0, ("amplification", _DISCOUNTED): 0.0, _ODDS: 1.0}
    if DESIGNS[design][0] is by_query:
        many = figures(measured(design, random, _MANY))
        truth = {name: many[name][0] for name in truth}
    studies = [figures(measured(design, random, N_QUERIES)) for _ in range(draws)]
    for name, true in truth.items():
        numbers = np.array([study[name] for study in studies], dtype=float)
        holds = (numbers[:, 1] <= true) & (true <= numbers[:, 2])
        yield f"{name[0]}, {name[1]}: {true:.3f}", float(holds.mean()), float(numbers[:, 0].mean())
    values = np.array([study["total variation", _PLAIN][0] for study in studies], dtype=float)
    bands = np.array([study["total variation by chance", _PLAIN][1:] for study in studies])
    inside = (bands[:, 0] <= values) & (values <= bands[:, 1])
    yield "total variation within its band by chance", float(inside.mean()), float(values.mean())


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000, help="Studies of each design.")
    parser.add_argument("--picture", help="Instead: the figure of one study, as .svg.")
    options = parser.parse_args(arguments)
    if options.picture:
        random = np.random.default_rng(2)
        figure = chain_figure(rows_of(measured(next(iter(DESIGNS)), random, N_QUERIES)))
        Path(options.picture).write_bytes(render(figure, "svg"))
        return
    lines = ["| design | figure: truth | intervals that hold | mean value |", "|---|---|---|---|"]
    for design in DESIGNS:
        for name, coverage, mean in coverages(design, options.draws):
            lines.append(f"| {design} | {name} | {coverage:.3f} | {mean:+.3f} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
