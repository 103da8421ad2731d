"""The charts of a report under a choice, with tooltips and links of their marks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from annotation.core.counting import counted
from annotation.models import BatchQuery
from annotation.reports.queries.pictures import front_of, spreads_of, verdicts_against_baseline
from annotation.reports.queries.view import ReportView
from annotation.web.charts.bars import Bar, histogram
from annotation.web.charts.dots import Dot, dot_chart
from annotation.web.charts.lines import line_chart
from annotation.web.charts.rows import IntervalRow, SpreadRow, interval_rows, spread_rows
from annotation.web.charts.shapes import Chart, look
from metrics.reports.findings import SIGNED
from metrics.reports.plots.pareto import pareto_front
from metrics.reports.plots.plots import LinePlot
from metrics.statistics.inference import Verdict
from metrics.vocabulary import INTERVAL

#: Number of queries shown as dots at each end of a distribution.
N_EXTREMES = 10
_VERDICTS = {
    Verdict.HIGHER: "differs",
    Verdict.LOWER: "differs",
    Verdict.SLIGHTLY_HIGHER: "differs little",
    Verdict.SLIGHTLY_LOWER: "differs little",
    Verdict.EQUIVALENT: "equal",
    Verdict.OPEN: "unclear",
    Verdict.UNTESTED: "untested",
}


def address_of(view: ReportView, **changed: object) -> str:
    """Return the address of the page with its present choice, except for the changes."""
    # Called for hundreds of marks: `asdict` would copy each value.
    query = {**vars(view.choice), **changed}
    return "?" + urlencode({name: value for name, value in query.items() if value != ""})


def figure_charts(view: ReportView, plot: LinePlot, magnitude: str) -> list[Chart]:
    """Figure 1, a chart for each measure: each point leads to the distribution behind it."""
    full = {view.shown(run): run for run in view.runs}

    def chart(panel: str) -> Chart:
        measure = panel.partition(" (")[0]

        def says(run: str, cutoff: float) -> tuple[str, str]:
            interval = view.interval(full[run], measure, int(cutoff), magnitude)
            address = address_of(
                view, measure=f"{measure}:{magnitude}", run=full[run], cutoff=int(cutoff), bin=""
            )
            return f"{run}, {panel} at {cutoff:g}: {_in_words(interval)}", f"{address}#values"

        return line_chart(
            f"{panel} over the cut-offs",
            [
                replace(line, series=view.shown(line.series))
                for line in plot.points
                if line.panel == panel
            ],
            list(full),
            says,
            x_label="cut-off (rank)",
            y_label=f"{panel}: up is {view.sides.high}, down is {view.sides.low}",
        )

    return [chart(panel) for panel in dict.fromkeys(line.panel for line in plot.points)]


def _in_words(interval: Mapping[str, Any]) -> str:
    """A mean with its interval and number of queries."""
    if interval.get("value") is None:
        return "undefined"
    between = (
        f", {INTERVAL} {interval['low']:.4f} to {interval['high']:.4f}"
        if interval.get("low") is not None
        else ""
    )
    return f"{interval['value']:.4f}{between}, n = {interval['n']:,}".replace("-", "\u2212")


def forest_chart(view: ReportView) -> Chart | None:
    """Every run under the chosen measure, the largest first, beside the baseline."""
    verdicts = verdicts_against_baseline(view)
    baseline = view.choice.against if view.choice.against in view.runs else ""
    measure, magnitude = view.named
    rows = []
    for run in view.runs:
        interval = view.interval(run, measure, view.choice.cutoff, magnitude)
        if interval.get("value") is None:
            continue
        verdict = "baseline" if run == baseline else _VERDICTS.get(verdicts.get(run), "")  # type: ignore[arg-type] # None has none
        beside = (
            f"; beside {view.shown(baseline)}: {verdict}" if verdict and run != baseline else ""
        )
        rows.append(
            IntervalRow(
                view.shown(run),
                interval["value"],
                interval.get("low"),
                interval.get("high"),
                f"{view.shown(run)}: {_in_words(interval)}{beside}",
                f"{address_of(view, run=run, bin='')}#values",
                verdict,
                stands_out=not baseline or run == baseline or verdict.startswith("differs"),
            )
        )
    if not rows:
        return None
    rows.sort(key=lambda row: -row.value)
    values = {row.name: row.value for row in rows}
    sides = f": right is {view.sides.high}, left is {view.sides.low}"
    label = f"mean {view.title}" + sides * (measure in SIGNED)
    return interval_rows(
        f"{view.title}, every system with its interval",
        rows,
        [view.shown(run) for run in view.runs],
        x_label=label,
        baseline=values.get(view.shown(baseline)),
    )


def front_chart(view: ReportView) -> Chart | None:
    """Effectiveness against the size of the bias, with the front."""
    plot = front_of(view)
    if plot is None:
        return None
    is_best = dict(
        zip((point.run for point in plot.points), pareto_front(plot.points), strict=True)
    )
    dots = [_front_dot(view, point, is_best[point.run]) for point in plot.points]
    return dot_chart(
        "Effectiveness against bias",
        dots,
        x_label=f"{plot.x_label} (left is better)",
        y_label=f"{plot.y_label} (up is better)",
        zero=False,
        front=[view.shown(run) for run, best in is_best.items() if best],
    )


def _front_dot(view: ReportView, point: Any, is_best: bool) -> Dot:
    kind, mark = look(view.runs.index(point.run))
    ends = [
        f"{name} {value:.4f}" + (f" ({pair[0]:.4f} to {pair[1]:.4f})" if pair else "")
        for name, value, pair in (
            ("nDCG", point.effectiveness, point.effectiveness_interval),
            ("|ARaB|", point.bias, point.bias_interval),
        )
    ]
    name = view.shown(point.run)
    text = f"{name}: {', '.join(ends)}{'; on the front' if is_best else ''}"
    address = f"{address_of(view, run=point.run, bin='')}#values"
    return Dot(
        name,
        point.bias,
        point.effectiveness,
        text,
        address,
        x_ends=point.bias_interval,
        y_ends=point.effectiveness_interval,
        kind=kind,
        mark=mark,
    )


def spread_chart(view: ReportView) -> Chart | None:
    """Return a chart of the spread of each run's values over the queries."""
    spreads = spreads_of(view)
    if spreads is None:
        return None
    rows = [
        SpreadRow(
            view.shown(spread.run),
            spread.shares,
            spread.quantiles,
            f"{view.shown(spread.run)}: median {spread.quantiles[2]:.4f}, half of the {spread.n:,} "
            f"queries between {spread.quantiles[1]:.4f} and {spread.quantiles[3]:.4f}, nine of ten "
            f"between {spread.quantiles[0]:.4f} and {spread.quantiles[4]:.4f}".replace(
                "-", "\u2212"
            ),
            f"{address_of(view, run=spread.run, bin='')}#values",
        )
        for spread in spreads.rows
    ]
    title = f"{view.title}, how its values spread over the queries"
    return spread_rows(title, rows, spreads.low, spreads.high, x_label="value of a query")


def extreme_places(view: ReportView) -> list[int]:
    """The places of the queries at both ends of the distribution."""
    places = [place for place in view.ranked_places(whole=True) if view.values[place] != 0]
    first, last = places[:N_EXTREMES], places[-N_EXTREMES:]
    return list(dict.fromkeys([*first, *last]))


def distribution_chart(view: ReportView, queries: Mapping[str, BatchQuery]) -> Chart:
    """The histogram: a bar leads to its queries, a dot to its query."""
    edges = view.histogram.edges or (0.0, 1.0)
    bars = [
        Bar(
            count,
            f"{low:.4f} to {high:.4f}: {counted(count, 'query')}",
            f"{address_of(view, bin=number)}#queries",
        )
        for number, ((low, high), count) in enumerate(
            zip(pairwise(edges), view.histogram.counts, strict=False)
        )
    ] or [Bar(0, "")]
    extremes = []
    for place in extreme_places(view):
        query = queries.get(view.stored.qids[place])
        if query is not None:
            value = float(view.values[place])
            extremes.append((value, f"{value:.4f}: {query.text[:100]}", query_address(query)))
    return histogram(
        view.title, edges, bars, extremes, x_label="value of a query", y_label="queries"
    )


def query_rows(
    view: ReportView, places: Sequence[int], queries: Mapping[str, BatchQuery]
) -> list[dict[str, Any]]:
    """Queries with their values, for the table."""
    rows = []
    for place in places:
        qid = view.stored.qids[place]
        query = queries.get(qid)
        rows.append(
            {
                "qid": qid,
                "value": float(view.values[place]),
                "text": query.text if query else "",
                "address": query_address(query) if query else "",
            }
        )
    return rows


def query_address(query: BatchQuery) -> str:
    return reverse("batch-query", args=[query.batch_id, query.pk])
