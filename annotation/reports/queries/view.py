"""A report as somebody looks at it: of its numbers, the part that the choice asks for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.models import BatchQuery, StudyReport
from annotation.reports.queries.reports import report_statistics, report_values
from annotation.reports.queries.what_if import other_labels_table
from metrics.reports.findings import findings
from metrics.reports.formats.layout import Table
from metrics.reports.plots.histogram import Histogram, HistogramPlot, histogram_of, places_in_bin
from metrics.reports.plots.plots import LinePlot
from metrics.reports.provenance import Choices, note, record
from metrics.reports.results import Results
from metrics.reports.tables.against import Beside, against_table
from metrics.reports.tables.bias import MEASURES, bias_plot, bias_table
from metrics.reports.tables.distributions import measure_title
from metrics.reports.tables.statistics import intervals_table, pairs_table
from metrics.results.scored_runs import ScoredRuns
from metrics.results.stored import StoredResults
from metrics.statistics.significance import holm


@dataclass(frozen=True)
class ReportChoice:
    """What to look at. `against` is the run to compare with, "" for the paired runs.

    `magnitude` "" means all of them. `measure` is `RaB:tf`, or a measure without magnitude.
    `bin` is a bar of the histogram, `zero` for the queries of exactly 0, or "" for all.
    """

    against: str = ""
    magnitude: str = ""
    measure: str = ""
    cutoff: int = 0
    run: str = ""
    bin: str = ""


class ReportView:
    """The tables, figures and queries of a report under a choice that fits it.

    What is not asked for is not read: one result is one row group of the file.
    """

    def __init__(self, report: StudyReport, choice: ReportChoice) -> None:
        self.report = report
        self.stored: StoredResults = report_values(report)
        self.statistics = report_statistics(report)
        self._views = {
            (view["measure"], view["magnitude"], view["cutoff"]): view
            for view in self.statistics["views"]
        }
        self.choice = self._fitting(choice)

    @cached_property
    def runs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key.run for key in self.stored.keys))

    @cached_property
    def measures(self) -> list[tuple[str, str]]:
        """What can be chosen: the value for the address, and the title."""
        named = dict.fromkeys((measure, magnitude) for measure, magnitude, _ in self._views)
        return [
            (f"{measure}:{magnitude}" if magnitude else measure, measure_title(measure, magnitude))
            for measure, magnitude in named
        ]

    @cached_property
    def cutoffs(self) -> tuple[int, ...]:
        """The cut-offs that the chosen measure was measured at."""
        named = self.named
        return tuple(cutoff for *view, cutoff in self._views if tuple(view) == named)

    @cached_property
    def magnitudes(self) -> tuple[str, ...]:
        bias = [key.magnitude for key in self.stored.keys if key.measure == MEASURES[0]]
        return tuple(dict.fromkeys(bias))

    @property
    def named(self) -> tuple[str, str]:
        """The chosen measure and its magnitude."""
        measure, _, magnitude = self.choice.measure.partition(":")
        return measure, magnitude

    @property
    def title(self) -> str:
        """The chosen measure at the chosen cut-off."""
        return f"{measure_title(*self.named)} at {self.choice.cutoff}"

    def _fitting(self, choice: ReportChoice) -> ReportChoice:
        """The choice, with what the report has in place of what it does not have."""
        parameters = self.report.parameters
        paired, baseline = parameters["paired"], parameters["baseline"]
        known = [value for value, _ in self.measures]
        against = choice.against if choice.against in (*self.runs, "paired") else ""
        run = choice.run if choice.run in self.runs else (self.runs or ("",))[0]
        magnitude = choice.magnitude if choice.magnitude in self.magnitudes else ""
        measure = choice.measure if choice.measure in known else (known or [""])[0]
        self.choice = replace(
            choice,
            against=against or ("paired" if paired else baseline or "paired"),
            magnitude=magnitude,
            measure=measure,
            run=run,
        )
        preferred = choice.cutoff if choice.cutoff in self.cutoffs else 10
        cutoff = preferred if preferred in self.cutoffs else (self.cutoffs or (0,))[0]
        return replace(self.choice, cutoff=cutoff)

    @cached_property
    def _bias(self) -> tuple[ScoredRuns, Results]:
        magnitudes = {self.choice.magnitude} if self.choice.magnitude else set(self.magnitudes)
        cutoffs = set(self.report.parameters["cutoffs"])
        scored = self.stored.read(
            lambda key: (
                key.measure in MEASURES and key.cutoff in cutoffs and key.magnitude in magnitudes
            )
        )
        parameters = self.report.parameters
        return scored, Results(scored.results, parameters["paired"], parameters["baseline"])

    @cached_property
    def notes(self) -> list[str]:
        scored, results = self._bias
        return [note(scored, results, self.labels_note)] if scored.results else []

    @property
    def _choices(self) -> Choices:
        return Choices(self.report.parameters["baseline"], self.report.parameters["paired"])

    @property
    def labels_note(self) -> str:
        return str(dict(self.statistics["facts"]).get("Labels", ""))

    @cached_property
    def provenance_notes(self) -> set[str]:
        """What the files of tables tell about their making, and the page once, in the end."""
        scored, results = self._chosen
        return {*self.notes, note(scored, results, self.labels_note)}

    @cached_property
    def findings(self) -> list[str]:
        """The chosen measure in words."""
        view = self._views.get((*self.named, self.choice.cutoff))
        if view is None:
            return []
        against = self.choice.against if self.choice.against in self.runs else ""
        return findings(self.named[0], self.title, view["intervals"], view["pairs"], against)

    @cached_property
    def bias(self) -> Table | None:
        """Table 3: beside the paired runs as in the paper, or beside any run."""
        scored, results = self._bias
        if not scored.results:
            return None
        known = record(scored, results, self.labels_note, self._choices)
        if self.choice.against == "paired":
            return replace(bias_table(results, self.notes), record=known, runs=self.runs)
        named = [(measure, name) for name in results.magnitudes for measure in MEASURES]
        beside = Beside(self.choice.against, named, results.cutoffs, self._p_values(named))
        return replace(against_table(results, beside, self.notes), record=known, runs=self.runs)

    def _p_values(
        self, named: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str, int, str], float | None]:
        reference = self.choice.against
        found: dict[tuple[str, str, int, str], float | None] = {}
        for (measure, magnitude, cutoff), view in self._views.items():
            if (measure, magnitude) not in named:
                continue
            pairs = [pair for pair in view["pairs"] if reference in (pair["first"], pair["second"])]
            corrected = holm([pair["permutation_p"] for pair in pairs])
            for pair, p in zip(pairs, corrected, strict=True):
                other = pair["second"] if pair["first"] == reference else pair["first"]
                found[measure, magnitude, cutoff, other] = p
        return found

    @cached_property
    def figures(self) -> dict[str, LinePlot]:
        """Figure 1, for each magnitude."""
        _scored, results = self._bias
        return {name: bias_plot(results, name, self.notes) for name in results.magnitudes}

    @property
    def tables(self) -> list[Table]:
        """Every table of the page, as it is looked at."""
        found = (self.bias, self.intervals, self.significance, self.other_labels)
        return [table for table in found if table is not None]

    @property
    def plots(self) -> list[LinePlot | HistogramPlot]:
        """Every figure of the page, as it is looked at."""
        return [*self.figures.values(), self.distribution]

    @cached_property
    def counts(self) -> list[dict[str, Any]]:
        """Of every run: the queries that count, and what was missing down to the last cut-off."""
        scored, _results = self._bias
        last = max(self.report.parameters["cutoffs"])
        found = {
            one.run: {"run": one.run, **one.row()} for one in scored.results if one.cutoff == last
        }
        return list(found.values())

    def interval(self, run: str, measure: str, cutoff: int, magnitude: str) -> dict[str, Any]:
        """The mean with its interval; empty where none was computed."""
        view = self._views.get((measure, magnitude, cutoff), {"intervals": {}})
        found: dict[str, Any] = view["intervals"].get(run, {})
        return found

    @cached_property
    def intervals(self) -> Table:
        """The chosen measure of every run with its interval."""
        found = self._views.get((*self.named, self.choice.cutoff), {"intervals": {}})
        return self._noted(intervals_table(self.title, found["intervals"]))

    @cached_property
    def significance(self) -> Table:
        """Every pair of runs under the chosen measure."""
        found = self._views.get((*self.named, self.choice.cutoff), {"pairs": []})
        return self._noted(pairs_table(self.title, found["pairs"]))

    def _noted(self, table: Table) -> Table:
        scored, results = self._chosen
        known = record(scored, results, self.labels_note, self._choices)
        notes = [*table.notes, note(scored, results, self.labels_note)]
        return replace(table, notes=notes, record=known, runs=self.runs)

    @cached_property
    def _chosen(self) -> tuple[ScoredRuns, Results]:
        measure, magnitude = self.named
        key = (self.choice.run, measure, magnitude, self.choice.cutoff)
        scored = self.stored.read(lambda one: one[:4] == key)
        return scored, Results(scored.results, {}, "")

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The chosen run's value of each query, in the order of `stored.qids`."""
        results = self._chosen[0].results
        return results[0].compared if results else np.empty(0)

    @cached_property
    def histogram(self) -> Histogram:
        return histogram_of(self.values)

    @cached_property
    def distribution(self) -> HistogramPlot:
        """The histogram to print."""
        return HistogramPlot(
            name="distribution",
            title=f"{self.choice.run}, {self.title}",
            histogram=self.histogram,
            x_label="value of a query",
        )

    def ranked_places(self, *, whole: bool = False) -> list[int]:
        """The queries of the chosen bar by their places in `stored.qids`, largest values first.

        `whole`: those of the whole distribution, whatever bar is chosen.
        """
        chosen_bin = "" if whole else self.choice.bin
        if chosen_bin == "zero":
            places = np.flatnonzero(self.values == 0).tolist()
        elif chosen_bin.isdecimal() and int(chosen_bin) < len(self.histogram):
            places = places_in_bin(self.values, self.histogram, int(chosen_bin))
        else:
            places = np.flatnonzero(~np.isnan(self.values)).tolist()
        return sorted(places, key=lambda place: (-self.values[place], self.stored.qids[place]))

    @cached_property
    def other_labels(self) -> Table | None:
        """What the chosen magnitude and cut-off would be under labels decided otherwise."""
        magnitude = self.choice.magnitude or (self.magnitudes or ("",))[0]
        table = other_labels_table(self.statistics["labels"], magnitude, self._bias_cutoff)
        return self._noted(table) if table.rows else None

    @property
    def _bias_cutoff(self) -> int:
        cutoffs = self.report.parameters["cutoffs"]
        return int(self.choice.cutoff if self.choice.cutoff in cutoffs else cutoffs[0])


def queries_shown(report: StudyReport, qids: Sequence[str]) -> dict[str, BatchQuery]:
    """The queries with these ids in the batches of the report, else of its study; by id."""
    first = set(report.parameters["batches"])
    kept = BatchQuery.objects.filter(batch__study=report.study_id, batch__removed_at=None)
    found = kept.filter(qid__in=qids, gold="")
    ordered = sorted(found.order_by("pk"), key=lambda query: query.batch_id in first)
    return {query.qid: query for query in ordered}
