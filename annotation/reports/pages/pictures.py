"""The charts of a report under a choice, with what their marks say and lead to."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from annotation.models import BatchQuery
from annotation.reports.pages.charts import Chart, bar_chart, line_charts
from annotation.reports.queries.view import ReportView
from metrics.reports.plots.plots import LinePlot

#: Queries at each end of a distribution that are shown as dots.
N_EXTREMES = 10


def address_of(view: ReportView, **changed: object) -> str:
    """The page with its present choice, but for what is changed."""
    query = {**asdict(view.choice), **changed}
    return "?" + urlencode({name: value for name, value in query.items() if value != ""})


def figure_charts(view: ReportView, plot: LinePlot, magnitude: str) -> list[Chart]:
    """Figure 1: each point leads to the distribution behind it."""

    def mark(panel: str, run: str, cutoff: int, value: float) -> tuple[str, str]:
        measure = panel.partition(" (")[0]
        found = view.interval(run, measure, cutoff, magnitude)
        between = (
            f", 95 % interval {found['low']:.4f} to {found['high']:.4f}"
            if found.get("low") is not None
            else ""
        )
        address = address_of(view, measure=f"{measure}:{magnitude}", run=run, cutoff=cutoff, bin="")
        return f"{run}, {panel} at {cutoff}: {value:.4f}{between}", f"{address}#values"

    return line_charts(plot, mark)


def extreme_places(view: ReportView) -> list[int]:
    """The places of the queries at both ends of the distribution."""
    places = [place for place in view.ranked_places(whole=True) if view.values[place] != 0]
    first, last = places[:N_EXTREMES], places[-N_EXTREMES:]
    return list(dict.fromkeys([*first, *last]))


def distribution_chart(view: ReportView, queries: Mapping[str, BatchQuery]) -> Chart:
    """The histogram: a bar leads to its queries, a dot to its query."""

    def bar(number: int, low: float, high: float, count: int) -> tuple[str, str]:
        label = f"{low:.4f} to {high:.4f}: {count} quer{'y' if count == 1 else 'ies'}"
        return label, f"{address_of(view, bin=number)}#queries"

    extremes = []
    for place in extreme_places(view):
        query = queries.get(view.stored.qids[place])
        if query is not None:
            value = float(view.values[place])
            extremes.append((value, f"{value:.4f}: {query.text[:100]}", query_address(query)))
    return bar_chart(view.title, view.histogram, bar, extremes)


def query_rows(
    view: ReportView, places: list[int], queries: Mapping[str, BatchQuery]
) -> list[dict[str, Any]]:
    """Queries with their values, for the table."""
    found = []
    for place in places:
        qid = view.stored.qids[place]
        query = queries.get(qid)
        found.append(
            {
                "qid": qid,
                "value": float(view.values[place]),
                "text": query.text if query else "",
                "address": query_address(query) if query else "",
            }
        )
    return found


def query_address(query: BatchQuery) -> str:
    return reverse("batch-query", args=[query.batch_id, query.pk])
