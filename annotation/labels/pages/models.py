"""The models that label queries of a study, and the import of their labels."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.core.forms import form_of, offer, sent_parameters
from annotation.labels.operations.model_labels import IMPORT_MODEL_LABELS, import_upload
from annotation.labels.queries.raters import (
    label_counts,
    labels_beside_people,
    questions_for_models,
    rater_item_noun,
    rater_question,
    study_query_texts,
    study_raters,
)
from annotation.models import Study
from annotation.schemes import Question
from annotation.studies.pages.uploads import table_limit, table_of
from annotation.vocabulary import Action
from annotation.web.access import study_view, takes, who
from annotation.web.buttons import button
from annotation.web.pages import page_of

_DIFFERING_PER_PAGE = 25


@study_view(Action.VIEW)
def model_list(request: HttpRequest, study: Study) -> HttpResponse:
    counts = label_counts(study=study)
    tables: dict[Question, list[Any]] = {}
    for rater in study_raters(study=study):
        question = rater_question(rater)
        row = (
            rater,
            question.words([rater.category]),
            [counts[rater.pk][c] for c in question.codes],
        )
        tables.setdefault(question, []).append(row)
    context = {
        "study": study,
        "tables": [
            (question, list(question.labels.values()), rows) for question, rows in tables.items()
        ],
        "form": _import_form(study),
        "upload_limit": table_limit(),
    }
    return render(request, "web/models.html", context)


def _import_form(study: Study) -> forms.Form:
    """The form of an import; where there are several questions, one is chosen."""
    form = form_of(IMPORT_MODEL_LABELS)()
    questions = questions_for_models(study=study)
    if len(questions) > 1:
        choices = [(question.name, question.text) for question in questions]
        offer(form, "question", choices)
        form.fields["question"].help_text = "What the labels answer."
    else:
        del form.fields["question"]
    return form


@study_view(Action.VIEW)
@takes("page")
def model_page(request: HttpRequest, study: Study, rater: int) -> HttpResponse:
    """One model: how often people give the same label, where they differ, how it was asked."""
    model = study_raters(study=study).filter(pk=rater).first()
    if model is None:
        raise Http404
    both = labels_beside_people(rater=model)
    differing = [row for row in both if row[1] != row[2]]
    page = page_of(request, differing, per_page=_DIFFERING_PER_PAGE)
    texts = study_query_texts(study=study)
    context = {
        "study": study,
        "rater": model,
        "question": rater_question(model),
        "category": rater_question(model).words([model.category]),
        "how": [
            (name.replace("_", " "), ", ".join(value) if isinstance(value, list) else value)
            for name, value in model.parameters.items()
        ],
        "noun": rater_item_noun(model),
        "n_both": len(both),
        "n_same": len(both) - len(differing),
        "same": 1 - len(differing) / len(both) if both else None,
        "page": page,
        "differing": [(qid, texts.get(qid, ""), *labels) for qid, *labels in page],
    }
    return render(request, "web/model.html", context)


@button(study_view(Action.MANAGE), lambda _request, study: redirect("study-models", study.pk))
def model_labels_import(request: HttpRequest, study: Study) -> str:
    """One file of labels, uploaded on the page of the models."""
    file = table_of(request, "labels")
    values = sent_parameters(form_of(IMPORT_MODEL_LABELS), request.POST.dict())
    values["filename"] = file.name or ""
    return import_upload(study, file, values, who(request)).message
