"""`python -m measurements.every_system`: nDCG@10 against |ARaB@10| of every system.

On the 30 queries of TREC DL 2019 for which the authors of the studies released runs: the networks
of 2020, BERT and AdvBERT; and of ours all-MiniLM-L6-v2 as it is and fine-tuned, out of the folders
of `fairpool cross-validate` (`--folds`; of several seeds the mean). Each is drawn as it is (filled)
and re-ranked by `fairpool balance --method count --strength 0.6` (hollow). `--output` gets
every-system.csv and every-system.svg; the table is printed, whatever it says.
"""

import argparse
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from metrics.api import evaluate
from metrics.mitigation import reranked
from metrics.mitigation.rerank import join_for_reranking
from metrics.reports.plots.figures import house_style, render
from metrics.reports.plots.looks import look_of
from metrics.runs import Run, read_run
from metrics.runs.queries import read_query_texts
from metrics.statistics.significance import permutation_test
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.scoring import score_collection
from metrics.vocabulary import BalanceMethod
from tests.conftest import SHARED_DATA

DL19 = SHARED_DATA / "msmarco_dl19"
#: The released runs by what they are.
RELEASED = {
    "lexical": ("BM25", "RM3"),
    "networks of 2020": ("knrm", "conv_knrm", "match_pyramid", "tk"),
    "BERT": ("bert_L2", "bert_L4"),
    "AdvBERT": ("advbert_L2", "advbert_L4"),
}
_BESIDE = "networks of 2020"
OURS = "all-MiniLM-L6-v2 (ours)"
METHOD: BalanceMethod = "count"
STRENGTH = 0.6
CUTOFF = 10

Values = NDArray[np.float64]


@dataclass(frozen=True)
class System:
    """A system with its values per query, before and after it was balanced."""

    kind: str
    name: str
    ndcg: tuple[Values, Values]
    bias: tuple[Values, Values]

    def row(self) -> dict[str, object]:
        # No t-test: few of the 30 queries differ.
        p = permutation_test(self.ndcg[1], self.ndcg[0])
        numbers = {
            "nDCG": self.ndcg[0].mean(),
            "abs_ARaB": self.bias[0].mean(),
            "nDCG_balanced": self.ndcg[1].mean(),
            "abs_ARaB_balanced": self.bias[1].mean(),
        }
        rounded = {name: f"{value:.4f}" for name, value in numbers.items()}
        return {
            "kind": self.kind,
            "system": self.name,
            **rounded,
            "p_of_nDCG": "" if p is None else f"{p:.2f}",
        }


class Measuring:
    """Values per query of the 30 queries."""

    def __init__(self, magnitudes: Magnitudes) -> None:
        self._magnitudes = magnitudes
        self._qids = list(read_query_texts(DL19 / "queries.fair30.tsv"))

    def system(self, kind: str, name: str, paths: Sequence[Path]) -> System:
        """Of the runs of several seeds the mean of each query."""
        before = [read_run(path, queries=self._qids) for path in paths]
        after = [
            reranked(
                join_for_reranking(run, self._magnitudes, 100, "zero"), METHOD, STRENGTH, run.name
            )
            for run in before
        ]
        ndcg, bias = (
            tuple(np.mean([measured(run) for run in runs], axis=0) for runs in (before, after))
            for measured in (self._ndcg, self._bias)
        )
        return System(kind, name, (ndcg[0], ndcg[1]), (bias[0], bias[1]))

    def _ndcg(self, run: Run) -> Values:
        frame = evaluate(
            [run],
            "nDCG",
            queries=list(self._qids),
            qrels=DL19 / "qrels.txt",
            cutoffs=CUTOFF,
            per_query=True,
        )
        return self._per_query(frame)

    def _bias(self, run: Run) -> Values:
        frame = evaluate(
            [run], "ARaB", self._magnitudes, cutoffs=CUTOFF, per_query=True, missing="zero"
        )
        return np.abs(self._per_query(frame))

    def _per_query(self, frame: object) -> Values:
        value_of = frame.set_index("qid")["value"]  # type: ignore[attr-defined]
        return np.array([value_of[qid] for qid in self._qids], dtype=np.float64)


def figure_of(systems: Sequence[System]) -> Figure:
    """A line from each system as it is to what it is once balanced."""
    kinds = list(dict.fromkeys(system.kind for system in systems))
    with house_style():
        figure = Figure(figsize=(6.7, 4.6), layout="constrained")
        axes = figure.add_subplot()
        for system in systems:
            look = look_of(kinds.index(system.kind))
            x, y = (
                [float(values.mean()) for values in both] for both in (system.bias, system.ndcg)
            )
            colour, mark = look["color"], look["marker"]
            axes.plot(x, y, color=colour, linewidth=0.8, alpha=0.6)
            axes.plot(x[1:], y[1:], mark, color=colour, markerfacecolor="white", markersize=5)
            axes.plot(x[:1], y[:1], mark, color=colour, markersize=6)
            # The names of the networks to the left and below: they lie beside others.
            is_left = system.kind == _BESIDE
            axes.annotate(
                system.name,
                (x[0], y[0]),
                xytext=(-6, -10) if is_left else (6, 3),
                textcoords="offset points",
                horizontalalignment="right" if is_left else "left",
                fontsize=8,
            )
        for place, kind in enumerate(kinds):
            look = look_of(place)
            axes.plot([], [], look["marker"], color=look["color"], label=kind)
        axes.plot([], [], "o", color="#555555", markerfacecolor="white", label="balanced")
        axes.set_xlabel(f"mean |ARaB@{CUTOFF}| (0: no bias)")
        axes.set_ylabel(f"nDCG@{CUTOFF}")
        axes.margins(x=0.14)
        axes.legend(loc="lower right", fontsize=8, frameon=False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--output", type=Path, default=Path("every-system"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    scored = options.output / "magnitudes.parquet"
    score_collection(DL19 / "collection.tsv", scored, lexicon=read_lexicon())
    measuring = Measuring(open_magnitudes(scored))
    systems = [
        measuring.system(kind, name, [DL19 / "runs_fair" / f"{name}.run"])
        for kind, names in RELEASED.items()
        for name in names
    ]
    for place, option in enumerate(options.folds):
        name, _, folder = option.partition("=")
        runs = Path(folder) / "runs"
        if not place:
            systems.append(measuring.system(OURS, "untrained", [runs / "untrained.run"]))
        tuned = sorted(runs.glob("fine-tuned-seed-*.run"))
        systems.append(measuring.system(OURS, name, tuned))
    rows = [system.row() for system in systems]
    with (options.output / "every-system.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (options.output / "every-system.svg").write_bytes(render(figure_of(systems), "svg"))
    for row in rows:
        print("  ".join(f"{value!s:>16}" for value in row.values()))  # noqa: T201


if __name__ == "__main__":
    main()
