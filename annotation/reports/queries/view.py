"""A view of a report: the part of its numbers that a choice selects."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotation.models import StudyReport
from annotation.reports.queries.choice import ReportChoice
from annotation.reports.queries.label_uncertainty import NO_UNCERTAINTY, label_uncertainty_table
from annotation.reports.queries.reports import report_statistics, report_values
from annotation.reports.queries.what_if import other_labels_table
from metrics.reports.families import Comparisons, View
from metrics.reports.findings import findings, headline
from metrics.reports.formats.display_names import common_beginning
from metrics.reports.formats.layout import Table, Value
from metrics.reports.plots.histogram import Histogram, HistogramPlot, histogram_of, places_in_bin
from metrics.reports.plots.plots import LinePlot
from metrics.reports.provenance import LEFT_OUT, SUBSET, Choices, note, over, record, table_over
from metrics.reports.results import MEANS_NOTE, Results
from metrics.reports.sides import Sides, groups_in, sides_in_words
from metrics.reports.tables.against import Beside, against_table
from metrics.reports.tables.bias import MEASURES, bias_plot, bias_table
from metrics.reports.tables.distributions import measure_title
from metrics.reports.tables.judged import judged_table
from metrics.reports.tables.power import power_table
from metrics.reports.tables.sensitivity import BiasUnder, sensitivity_table
from metrics.reports.tables.statistics import intervals_table, pairs_table, weighted_table
from metrics.results.scored_runs import ScoredRuns
from metrics.results.stored import StoredResults
from metrics.statistics.inference import USUAL, Inference
from metrics.statistics.significance import Comparison
from metrics.vocabulary import INTERVAL, MAIN_CUTOFF

Words = TypeVar("Words")


class ReportView:
    """The tables, figures and queries of a report under a choice that fits it.

    Only the selected part is read: one result is one row group of the file.
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
    def beginning(self) -> str:
        """Common beginning of all runs' names: pages leave it out, files never do."""
        return common_beginning(self.runs)

    def shown(self, text: str) -> str:
        """`text` with the names of runs as pages show them."""
        return self._names.sub(lambda name: name[0][len(self.beginning) :], text)

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """Pattern of the names of runs, the longest first, as one may begin with another."""
        names = sorted(self.runs, key=len, reverse=True) if self.beginning else []
        return re.compile("|".join(map(re.escape, names)) or "(?!)")

    @cached_property
    def measures(self) -> list[tuple[str, str]]:
        """The measures to choose from: the value for the address, and the title."""
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
    def _view(self) -> View:
        return (*self.named, self.choice.cutoff)

    @property
    def title(self) -> str:
        """The chosen measure at the chosen cut-off."""
        return f"{measure_title(*self.named)} at {self.choice.cutoff}"

    def _fitting(self, choice: ReportChoice) -> ReportChoice:
        """Return the choice, with values that the report has in place of missing ones."""
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
        preferred = choice.cutoff if choice.cutoff in self.cutoffs else MAIN_CUTOFF
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
        # A word list may have no bias between two groups, and then there is no run to name.
        compared = (parameters["paired"], parameters["baseline"]) if scored.results else ({}, "")
        return scored, Results(scored.results, *compared)

    @cached_property
    def notes(self) -> list[str]:
        scored, results = self._bias
        return [note(scored, results, self.labels_note)] if scored.results else []

    @property
    def _choices(self) -> Choices:
        parameters = self.report.parameters
        return Choices(parameters["baseline"], parameters["paired"], inference=self.inference)

    @property
    def labels_note(self) -> str:
        return str(dict(self.statistics["facts"]).get("Labels", ""))

    @property
    def subset(self) -> str:
        """The subset of a scheme that was measured on, in its words; empty for a category."""
        return str(dict(self.statistics["facts"]).get(SUBSET, ""))

    @property
    def left_out(self) -> str:
        """The measures that the word list does not allow, and why; empty if it allows all."""
        return str(dict(self.statistics["facts"]).get(LEFT_OUT, ""))

    @cached_property
    def sides(self) -> Sides:
        """The meaning of the signs of RaB, in words."""
        return sides_in_words(groups_in(self._chosen[0].provenance["magnitudes"]))

    @cached_property
    def provenance_notes(self) -> set[str]:
        """Provenance in the files of tables, and once at the end of the page."""
        scored, results = self._chosen
        return {*self.notes, note(scored, results, self.labels_note)}

    @cached_property
    def headline(self) -> str:
        """The chosen measure in one sentence."""
        return self.shown(self._in_words(headline) or "")

    @cached_property
    def findings(self) -> list[str]:
        """The chosen measure in words, every run with its numbers."""
        return list(map(self.shown, self._in_words(findings) or []))

    def _in_words(self, words: Callable[..., Words]) -> Words | None:
        view = self._views.get(self._view)
        if view is None:
            return None
        against = self.choice.against if self.choice.against in self.runs else ""
        return words(
            self.named[0],
            self.title,
            view["intervals"],
            self.pairs(against),
            inference=self.inference,
            baseline=against,
            subset=self.subset or "queries",
            sides=self.sides,
        )

    @property
    def findings_note(self) -> str:
        """Statistics and scope of the sentences."""
        return (
            f"Each system has its mean or its difference, with the {INTERVAL} in brackets. "
            f"{MEANS_NOTE} Intervals and leanings by Student's t over queries, leanings with "
            f"{self.tests.correction} over the models; differences by a {self.tests.note()}."
        )

    @property
    def inference(self) -> Inference:
        """The terms of the report's tests."""
        parameters = self.report.parameters
        return Inference(**{name: parameters[name] for name in USUAL.terms if name in parameters})

    @cached_property
    def tests(self) -> Comparisons:
        """The tests of the report, which were computed with it."""
        return Comparisons(
            self.inference,
            list(self._views),
            lambda view: [Comparison(**pair) for pair in self._views[view]["pairs"]],
        )

    def pairs(self, baseline: str = "") -> list[Comparison]:
        """Return the pairs of the chosen measure; none where it was not compared."""
        view = self._view
        return self.tests.of_table([view], baseline)[view] if view in self._views else []

    @cached_property
    def bias(self) -> Table | None:
        """Table 3: beside the paired runs as in the paper, or beside any run."""
        scored, results = self._bias
        if not scored.results:
            return None
        known = record(scored, results, self.labels_note, self._choices)
        if self.choice.against == "paired":
            return self._named(bias_table(results, self.notes, self.tests, self.sides), known)
        named = [(measure, name) for name in results.magnitudes for measure in MEASURES]
        beside = Beside(self.choice.against, named, results.cutoffs, self.tests)
        return self._named(against_table(results, beside, self.notes), known)

    @cached_property
    def figures(self) -> dict[str, LinePlot]:
        """Figure 1, for each magnitude."""
        _scored, results = self._bias
        plots = {
            name: bias_plot(results, name, self.notes, self.sides) for name in results.magnitudes
        }
        return {
            name: replace(plot, title=over(plot.title, self.subset)) for name, plot in plots.items()
        }

    @property
    def tables(self) -> list[Table]:
        """Every table of the page under the choice."""
        first = (self.bias, self.intervals, self.significance, self.power, self.sensitivity)
        return [*(table for table in first if table is not None), *self.optional_tables]

    @property
    def plots(self) -> list[LinePlot | HistogramPlot]:
        """Every figure of the page under the choice."""
        return [*self.figures.values(), self.distribution]

    @cached_property
    def counts(self) -> list[dict[str, Any]]:
        """Counts of each run: queries, and missing documents down to the last cut-off."""
        scored, _results = self._bias
        last = max(self.report.parameters["cutoffs"])
        rows = {
            result.run: {"run": result.run, **result.row()}
            for result in scored.results
            if result.cutoff == last
        }
        return list(rows.values())

    def interval(self, run: str, measure: str, cutoff: int, magnitude: str) -> dict[str, Any]:
        """The mean with its interval; empty where none was computed."""
        view = self._views.get((measure, magnitude, cutoff), {"intervals": {}})
        return dict(view["intervals"].get(run, {}))

    @cached_property
    def intervals(self) -> Table:
        """The chosen measure of every run with its interval."""
        intervals = self._views.get(self._view, {"intervals": {}})["intervals"]
        return self._noted(intervals_table(self.title, intervals))

    @cached_property
    def significance(self) -> Table:
        """Every pair of runs under the chosen measure."""
        return self._noted(pairs_table(self.title, self.pairs(), self.tests))

    @cached_property
    def power(self) -> Table | None:
        """Numbers of queries that would show a difference, if the report contains them."""
        rows = [(self._view, power) for power in self._views.get(self._view, {}).get("power", ())]
        title = f"{self.title}: queries that would show a difference."
        return self._noted(power_table(title, rows, [])) if rows else None

    @cached_property
    def sensitivity(self) -> Table | None:
        """Change of the bias with the way the collection was scored, if that was requested."""
        rows = [BiasUnder(**bias) for bias in self.statistics.get("sensitivity", ())]
        return self._noted(sensitivity_table(rows, [])) if rows else None

    def _noted(self, table: Table) -> Table:
        scored, results = self._chosen
        known = record(scored, results, self.labels_note, self._choices)
        notes = [*table.notes, note(scored, results, self.labels_note)]
        return self._named(replace(table, notes=notes), known)

    def _named(self, table: Table, known: dict[str, Value]) -> Table:
        """The table with its record, and with the words of the subset in its title."""
        named = table_over(table, self.subset)
        return replace(named, record=known, runs=self.runs, sides=self.sides)

    @cached_property
    def _chosen(self) -> tuple[ScoredRuns, Results]:
        measure, magnitude = self.named
        key = (self.choice.run, measure, magnitude, self.choice.cutoff)
        scored = self.stored.read(lambda stored_key: stored_key[:4] == key)
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
            title=over(f"{self.choice.run}, {self.title}", self.subset),
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
    def optional_tables(self) -> list[Table]:
        """By judgments, means over the pool drawn from, with uncertain and by other labels."""
        cutoffs, stored = self.report.parameters["cutoffs"], self.statistics
        magnitude = self.choice.magnitude or (self.magnitudes or ("",))[0]
        at = magnitude, int(self.choice.cutoff if self.choice.cutoff in cutoffs else cutoffs[0])
        weighted = self._views.get(self._view, {}).get("weighted", {})
        uncertain = stored.get("label_uncertainty", NO_UNCERTAINTY)["rows"]
        other = other_labels_table(stored["labels"], *at)
        drawn = weighted_table(self.title, weighted, stored.get("drawn_from", ""))
        judged = judged_table(**stored.get("judged", {"rows": [], "notes": []}))
        tables = judged, drawn, label_uncertainty_table(uncertain, *at), other
        return [self._noted(table) for table in tables if table.rows]
