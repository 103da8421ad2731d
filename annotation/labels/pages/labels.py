"""Labels, their export, and agreement."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from annotation.batches.queries.disputed import disputed_queries
from annotation.core.forms import form_fields, sent_parameters, speak_of
from annotation.core.versions import version_of
from annotation.labels.export.file_formats import describe
from annotation.labels.export.formats import LABEL_FORMATS, VOTE_FORMATS
from annotation.labels.pages.corrected import corrected_section
from annotation.labels.pages.import_form import takes_votes
from annotation.labels.queries.adjudication import waiting_by_question
from annotation.labels.queries.agreement import AgreementParameters, batch_agreement
from annotation.labels.queries.deciding import method_choices
from annotation.labels.queries.exporting import (
    EXPORT_PARAMETERS,
    USUAL_QRELS,
    ExportParameters,
    ExportPreview,
    export_lines,
    export_preview,
    labelling_state,
    labels_overview,
    read_export,
)
from annotation.labels.queries.judgments import has_grades, is_of_pairs, qrels_rules
from annotation.labels.queries.labels import exported_labels, label_parts
from annotation.labels.queries.questions import (
    closed_question,
    codes_chosen,
)
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import votes_on
from annotation.labels.queries.votes_export import has_votes_of_files
from annotation.labels.queries.votes_out import votes_out
from annotation.models import Batch
from annotation.schemes import ALL, Question
from annotation.studies.pages.uploads import table_limit
from annotation.vocabulary import Action
from annotation.web.access import batch_view, checks_query, takes
from annotation.web.downloads import download_lines
from annotation.web.pages import batch_page, found_or_404
from metrics.errors import InputError
from metrics.votes.agreement import Agreement, interval_words
from metrics.votes.conventions import BORDERS, alpha_in_words
from metrics.votes.intervals import Estimate, IntervalMethod


def pattern_rows(measured: Agreement) -> Iterator[tuple[str, int, Estimate, str]]:
    """A shape of votes like 2-1, how many queries have it, their share, and its meaning."""
    for pattern, count in measured.pattern_counts.items():
        yield pattern, count, measured.patterns[pattern], _meaning(pattern)


def option_rows(measured: Agreement) -> Iterator[tuple[str, int, int, Estimate, Estimate]]:
    """An option, its votes, its queries by majority, its alpha, and its specific agreement."""
    for code, n_votes in measured.categories.items():
        alpha, specific = measured.per_category_alpha[code], measured.specific_agreement[code]
        yield code, n_votes, measured.majority[code], alpha, specific


def _meaning(pattern: str) -> str:
    parts = sorted((int(part) for part in pattern.split("-")), reverse=True)
    if parts[0] == 1 and sum(parts) == 1:
        return "a single vote"
    if sum(parts) == parts[0]:
        return "all agree"
    return "tie" if parts[0] == parts[1] else "majority"


#: Queries shown as examples of disagreement: of the only question, and of each of several.
_EXAMPLES, _EXAMPLES_OF_EACH = 4, 3
_ExportForm: type[forms.Form] = type("ExportForm", (forms.Form,), form_fields(EXPORT_PARAMETERS))


@batch_view(Action.VIEW)
@checks_query
def labels_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    values = sent_parameters(_ExportForm, request.GET)
    # A page is about one question, by default the subset's.
    values["question"] = values.get("question") or batch.scheme.subset.question
    question = found_or_404(closed_question, batch=batch, name=values["question"])
    is_default = not values.keys() & {"layout", "category"}
    if is_default and has_grades(batch=batch, question=question):
        values |= USUAL_QRELS
    parameters = read_export(values)
    questions = batch.scheme.closed
    codes_chosen(scheme=batch.scheme, question=question, category=parameters.category)
    try:
        preview = export_preview(batch=batch, parameters=parameters)
    except InputError as error:
        preview = ExportPreview("", 0, str(error))
    overview = labels_overview(batch=batch, question=question)
    of_pairs = is_of_pairs(batch=batch)
    ids = ("qid", "docno") if of_pairs else ("qid",)
    pandas = "" if preview.problem else parameters.format.pandas(parameters.options, ids)
    is_for_ir_datasets = bool(parameters.format.rule) or not of_pairs
    return batch_page(
        request,
        "labels",
        batch,
        "labels",
        form=_export_form(batch, question, values),
        questions=questions,
        asked=question,
        parameters=parameters,
        overview=overview,
        parts=label_parts(question, overview.values) if overview else [],
        downloads=_downloads(batch, question),
        is_chosen=bool(request.GET.keys() - {"question"}),
        waiting=waiting_by_question(batch=batch) if overview and overview.n_ties else {},
        n_in_subset=_n_in_subset(batch, question, overview.counts) if overview else None,
        out=votes_out(batch=batch, question=question, by=overview.labelling if overview else None),
        version=version_of(labelling_state(batch, question)),
        preview=preview,
        methods=method_choices(question, batch.scheme.item_noun),
        command_options=" ".join(
            _command_options(parameters, is_one_of_several=len(questions) > 1)
        ),
        pandas=pandas,
        ir_datasets=parameters.format.ir_datasets(pandas) if is_for_ir_datasets else "",
        of_pairs=of_pairs,
        can_take_qrels=of_pairs and bool(question.grades),
        upload_limit=table_limit(),
        vote_formats=[
            layout
            for layout in VOTE_FORMATS.values()
            if not (layout.by_assignment and has_votes_of_files(batch=batch))
        ],
        takes_votes=takes_votes(batch),
    )


def _downloads(batch: Batch, question: Question) -> list[tuple[str, str]]:
    """Title and address of the files that most want: the usual labels, all, everything."""
    subset = batch.scheme.subset
    files: dict[str, dict[str, str]] = {}
    if has_grades(batch=batch, question=question):
        files["judgments"] = USUAL_QRELS
    elif question.name == subset.question:
        files[subset.words] = {}
    files["all labels"] = {"category": ALL}
    with_votes = next(name for name, layout in LABEL_FORMATS.items() if layout.has_votes)
    files["everything, with votes"] = {"category": ALL, "layout": with_votes}
    of = {"question": question.name}
    return [(title, urlencode(of | terms)) for title, terms in files.items()]


def _n_in_subset(batch: Batch, question: Question, counts: Mapping[str, int]) -> int | None:
    """The labelled queries in the subset; None where another question makes it."""
    subset = batch.scheme.subset
    if question.name != subset.question:
        return None
    codes = subset.codes_of(question)
    if len(codes) == 1:
        return counts.get(codes[0], 0)
    return len(exported_labels(batch=batch, question=question, category=""))


def _export_form(batch: Batch, question: Question, values: dict[str, Any]) -> forms.Form:
    """The form about that question, with its options and the formats for it to choose from."""
    form = _ExportForm(initial=values)
    rules = ("", *qrels_rules(batch=batch, question=question))
    fitting = {name: kind for name, kind in LABEL_FORMATS.items() if kind.rule in rules}
    of_pairs = is_of_pairs(batch=batch)
    layout = form.fields["layout"]
    titles = [(name, kind.pair_title if of_pairs else kind.title) for name, kind in fitting.items()]
    layout.widget = forms.Select(choices=titles)
    layout.help_text = describe(fitting)
    form.fields["question"].widget = forms.HiddenInput()
    options = [(code, question.words([code])) for code in question.codes]
    usual = ("", "The subset that measures run on")
    choices = forms.Select(choices=[usual, *options, (ALL, "All of them")])
    form.fields["category"].widget = choices
    speak_of(form, batch.scheme.item_noun)
    return form


def _command_options(parameters: ExportParameters, *, is_one_of_several: bool) -> list[str]:
    """Return the options of the command line for the same choices."""
    chosen = ["--format", parameters.layout]
    if is_one_of_several:
        chosen = ["--question", parameters.question, *chosen]
    if parameters.category:
        chosen = ["--category", parameters.category, *chosen]
    return chosen + [f"--{name}" for name in sorted(parameters.options)]


@batch_view(Action.VIEW)
@checks_query
def export_file(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The bytes that `label export` writes."""
    parameters = read_export(sent_parameters(_ExportForm, request.GET))
    question = found_or_404(closed_question, batch=batch, name=parameters.question)
    codes_chosen(scheme=batch.scheme, question=question, category=parameters.category)
    try:
        # All of them are made before the first byte is sent: a format may not hold a text.
        lines = export_lines(batch=batch, parameters=parameters)
    except InputError as error:
        if labels_overview(batch=batch, question=question) is None:
            raise Http404(str(error)) from None
        # The page says what is wrong with this choice.
        chosen = request.GET.urlencode()
        return redirect(f"{reverse('batch-labels', args=[batch.pk])}?{chosen}#export")
    return download_lines(lines, parameters.file_name(batch), parameters.format.content_type)


@batch_view(Action.VIEW)
@takes("interval", "question")
def agreement_review(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The review of agreement: every number with its interval, every mark with its queries.

    It is about the only question, or the one in the address. Of several, and of options in an
    order, a page has a section for each question. With `interval=queries` in the address, intervals
    hold for these very workers.
    """
    name, questions = request.GET.get("question", ""), batch.scheme.closed
    if not name and (len(questions) > 1 or not questions[0].is_nominal):
        return _agreement_by_question(request, batch)
    question = found_or_404(closed_question, batch=batch, name=name)
    if not question.is_nominal:
        return redirect(f"{request.path}#question-{question.name}")
    try:
        interval = IntervalMethod(request.GET.get("interval", IntervalMethod.QUERIES_AND_WORKERS))
    except ValueError:
        raise Http404("There is no such interval.") from None
    [measured] = batch_agreement(
        batch=batch,
        parameters=AgreementParameters(question=question.name, interval=interval),
        names=question.labels,
    ).questions
    return batch_page(
        request,
        "agreement",
        batch,
        "agreement",
        agreement=measured,
        asked=question,
        labels=labels_overview(batch=batch, question=question),
        questions=questions,
        patterns=[*pattern_rows(measured)],
        # As pairs: an option may have the code "items".
        confusion=[(first, [*shares.items()]) for first, shares in measured.confusion.items()],
        options=[*option_rows(measured)],
        verdict=alpha_in_words(measured.krippendorff_alpha),
        borders=BORDERS,
        disputed=disputed_queries(
            batch=batch, votes=votes_on(batch=batch, question=question), limit=_EXAMPLES
        ),
        interval_words=interval_words(interval),
        is_resampled=interval == IntervalMethod.QUERIES,
        corrected=corrected_section(batch),
        n_models=batch.study.model_raters.count(),
    )


def _agreement_by_question(request: HttpRequest, batch: Batch) -> HttpResponse:
    results = scheme_results(batch=batch)
    rows = [
        (
            row,
            alpha_in_words(row.agreement.krippendorff_alpha),
            disputed_queries(batch=batch, votes=row.votes, limit=_EXAMPLES_OF_EACH),
        )
        for row in results.questions
    ]
    context = {"scheme": results.scheme, "results": results, "rows": rows, "borders": BORDERS}
    return batch_page(request, "agreement_by_question", batch, "agreement", **context)
