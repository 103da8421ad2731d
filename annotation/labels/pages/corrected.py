"""Corrected figures of a batch whose queries were drawn: the page, and the files of its table."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from annotation.core.csv_rows import safe_table
from annotation.core.forms import form_fields, offer, sent_parameters, speak_of
from annotation.core.parameters import read_parameters
from annotation.labels.queries.corrected import (
    CorrectedFigures,
    FigureParameters,
    corrected_figures,
)
from annotation.labels.queries.corrected_table import (
    CONTENT_TYPES,
    ENDINGS,
    FORMATS,
    FigureFileParameters,
    figures_text,
    in_words,
)
from annotation.labels.queries.more_labels import MoreLabels, more_labels
from annotation.labels.queries.questions import category_chosen
from annotation.labels.queries.raters import raters_for
from annotation.labels.queries.stand_in import NOT_VALIDITY, StandInParameters, stand_in_tests
from annotation.labels.queries.stopping import stopping_of
from annotation.models import Batch
from annotation.schemes import JOINED
from annotation.vocabulary import Action
from annotation.web.access import batch_view, checks_query
from annotation.web.downloads import download_lines
from annotation.web.pages import batch_page, found_or_404

_FileForm: type[forms.Form] = type(
    "FiguresFileForm", (forms.Form,), form_fields(FigureFileParameters)
)
_Form: type[forms.Form] = type("FiguresForm", (forms.Form,), form_fields(FigureParameters))


@batch_view(Action.VIEW)
@checks_query
def figures_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """People alone, models alone, and both: each figure with its interval and what it rests on."""
    values = sent_parameters(_Form, request.GET)
    figures = found_or_404(corrected_figures, batch=batch, parameters=_read(values))
    more = more_labels(batch=batch, figures=figures)
    form = _Form(initial={**vars(figures.parameters), **values}, auto_id="figures-%s")
    _offer(form, batch, figures)
    speak_of(form, batch.scheme.item_noun)
    return batch_page(
        request,
        "figures",
        batch,
        "figures",
        found=figures,
        more=more,
        stopping=figures.sample and stopping_of(figures.sample),
        chart=more and width_chart(more),
        stand_in=stand_in_tests(batch=batch, parameters=_same_question(figures)),
        not_validity=NOT_VALIDITY,
        form=form,
        rows=_rows(figures),
        questions=batch.scheme.nominal,
        formats=FORMATS,
    )


@batch_view(Action.VIEW)
@checks_query
def figures_file(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The bytes that `batch figures --format` prints; no name in a CSV is a formula."""
    values = sent_parameters(_FileForm, request.GET)
    parameters = read_parameters(FigureFileParameters, values)
    layout = parameters.layout
    figures = found_or_404(corrected_figures, batch=batch, parameters=parameters)
    name = f"{batch.name}-figures.{ENDINGS.get(layout, layout)}"
    text = figures_text(figures, layout)
    text = safe_table(text) if layout == "csv" else text
    return download_lines([text], name, CONTENT_TYPES[layout])


def corrected_section(batch: Batch) -> dict[str, Any] | None:
    """Return the context of `web/_corrected_section.html`; None if no queries were drawn."""
    figures = corrected_figures(batch=batch, parameters=FigureParameters())
    if figures.sample is None:
        return None
    return {"batch": batch, "found": figures, "rows": _rows(figures)}


def _same_question(figures: CorrectedFigures) -> StandInParameters:
    """The test of models that answer the question of the figures."""
    return StandInParameters(question=figures.question.name if figures.question else "")


def _read(values: dict[str, Any]) -> FigureParameters:
    return read_parameters(FigureParameters, values)


def _offer(form: forms.Form, batch: Batch, figures: CorrectedFigures) -> None:
    """The options, runs and models that there are, instead of free text."""
    question = figures.question
    if question is None:
        return
    raters = raters_for(study=batch.study, question=question)
    models = sorted({rater.name for rater in raters})
    subset, usual = batch.scheme.subset, category_chosen(batch.scheme, question)
    words = subset.words if question.name == subset.question else "Any of these"
    chosen = figures.parameters.category
    named = {chosen: question.words(chosen.split(JOINED)), usual: words}
    several = [(codes, text) for codes, text in named.items() if codes not in question.codes]
    for name, choices in (
        ("category", [*several, *((code, question.words([code])) for code in question.codes)]),
        ("baseline", [("", "The first by name"), *((run, run) for run in figures.runs)]),
        ("model", [("", "The mean of all"), *((name, name) for name in models)]),
    ):
        offer(form, name, choices)
    # Another question has other options: it is chosen by a link.
    form.fields["question"].widget = forms.HiddenInput()


def _rows(figures: CorrectedFigures) -> list[dict[str, Any]]:
    return [
        {
            "one": figure,
            "name": figures.name_of(figure),
            "people": in_words(figure.people),
            "corrected": in_words(figure.corrected),
            "withheld": (figure.corrected or figure.people).withheld,
        }
        for figure in figures.figures
    ]


@dataclass(frozen=True)
class WidthChart:
    """Half widths over labels, as plain shapes; ticks are places in pixels and their texts."""

    lines: list[str]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    width: int = 480
    height: int = 220
    left: int = 52
    right: int = 466


def width_chart(more: MoreLabels) -> WidthChart:
    """A line for each figure, from the present number of labels to the largest."""
    top, bottom, left, right = 10, 190, WidthChart.left, WidthChart.right
    first, last = more.curve[0].labels, more.curve[-1].labels
    most = max(half for point in more.curve for half in point.half_widths)

    def x(labels: int) -> float:
        return round(left + (right - left) * (labels - first) / max(last - first, 1), 1)

    def y(half: float) -> float:
        return round(bottom - (bottom - top) * half / most, 1)

    return WidthChart(
        lines=[
            " ".join(f"{x(point.labels)},{y(point.half_widths[at])}" for point in more.curve)
            for at in range(len(more.names))
        ],
        x_ticks=[(x(labels), f"{labels:,}") for labels in (first, (first + last) // 2, last)],
        y_ticks=[(y(most * part), f"{most * part:.3f}") for part in (0, 0.5, 1)],
    )
