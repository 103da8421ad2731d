"""The codebook of a batch: read by everybody who may view it, edited while it is a draft."""

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.batches.operations.codebooks import CHANGE_CODEBOOK, ChangeCodebookParameters
from annotation.batches.queries.codebooks import codebook_state, page_texts
from annotation.core.forms import form_fields
from annotation.core.perform import perform_here
from annotation.core.versions import version_of
from annotation.models import Batch, HITQuery
from annotation.task_page import (
    CategoryText,
    Codebook,
    PageTexts,
    codebook_problems,
    inline_hashes,
    languages,
    render,
    standard_codebook,
)
from annotation.vocabulary import Action, BatchState
from annotation.web.access import batch_view, takes, who
from annotation.web.pages import batch_page
from metrics.errors import InputError

_TEXT = {"name": 40, "definition": 500, "borderline": 200, "reason": 300}
_LABELS = {
    "name": "Name",
    "definition": "Definition",
    "examples": "Clear examples, one per line",
    "borderline": "Borderline example",
    "reason": "Why it belongs here",
}


class CodebookForm(forms.Form):
    """The texts of a codebook; the fields of a category begin with its code."""

    language = forms.ChoiceField(choices=lambda: list(languages().items()))
    question = forms.CharField(max_length=120, widget=forms.Textarea({"rows": 2}))
    instructions = forms.CharField(max_length=1_000, widget=forms.Textarea({"rows": 3}))
    contact = form_fields(ChangeCodebookParameters)["contact"]

    def __init__(self, *data: Any, texts: PageTexts, **options: Any) -> None:
        super().__init__(*data, **options)
        book = texts.codebook
        self._codes = tuple(book.categories)
        known = {"language": book.language, "question": book.question, "contact": texts.contact}
        self.initial = {**known, "instructions": book.instructions, **self.initial}
        for code, text in book.categories.items():
            for name, label in _LABELS.items():
                widget = None if name == "name" else forms.Textarea({"rows": 2})
                self.fields[f"{code}-{name}"] = forms.CharField(
                    label=label,
                    max_length=_TEXT.get(name, 1_100),
                    required=name in {"name", "definition"},
                    widget=widget,
                    initial="\n".join(text.examples) if name == "examples" else getattr(text, name),
                )

    def categories(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Code, name and fields of each category."""
        return [
            (code, str(self[f"{code}-name"].value()), [self[f"{code}-{name}"] for name in _LABELS])
            for code in self._codes
        ]

    def clean(self) -> dict[str, Any]:
        """Whatever no page can show is said above the fields."""
        if not self.errors:
            for problem in codebook_problems(self.codebook()):
                self.add_error(None, f"{problem[0].upper()}{problem[1:]}.")
        return self.cleaned_data

    def codebook(self) -> Codebook:
        """The texts as they were typed."""
        typed = self.cleaned_data
        return Codebook(
            language=typed["language"],
            question=typed["question"],
            instructions=typed["instructions"],
            categories={code: _category(typed, code) for code in self._codes},
        )


def _category(typed: dict[str, Any], code: str) -> CategoryText:
    lines = typed[f"{code}-examples"].splitlines()
    return CategoryText(
        typed[f"{code}-name"],
        typed[f"{code}-definition"],
        tuple(line.strip() for line in lines if line.strip()),
        typed[f"{code}-borderline"],
        typed[f"{code}-reason"],
    )


@batch_view(Action.VIEW)
@takes("version", "standard")
def codebook_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The texts, a preview of the first HIT with them, and the earlier versions."""
    if batch.has_scheme:
        return redirect("batch-scheme", batch.pk)
    texts = _texts_of(request, batch)
    form = CodebookForm(texts=texts)
    return _page(request, batch, form, texts)


@batch_view(Action.MANAGE)
def codebook_save(request: HttpRequest, batch: Batch) -> HttpResponse:
    """With *Preview* the page with the typed texts; with *Save* they become a new version."""
    if request.method != "POST":
        return redirect("batch-codebook", batch.pk)
    stored = page_texts(batch)
    form = CodebookForm(request.POST, texts=stored)
    if not form.is_valid():
        return _page(request, batch, form, stored)
    if "save" not in request.POST:
        contact = form.cleaned_data["contact"]
        typed = replace(stored, codebook=form.codebook(), contact=contact)
        return _page(request, batch, form, typed)
    try:
        sent = {"codebook": form.codebook().as_json(), "contact": form.cleaned_data["contact"]}
        version = request.POST.get("version")
        done = perform_here(CHANGE_CODEBOOK, batch, sent, who(request), version=version)
    except InputError as error:
        # What was typed stays on the page, with the version of what holds now.
        messages.error(request, str(error))
        return _page(request, batch, form, stored)
    messages.success(request, done.message)
    # Where the batch is published: who saves has seen the preview.
    return redirect("batch-detail", batch.pk)


def _texts_of(request: HttpRequest, batch: Batch) -> PageTexts:
    """The texts in force; with `?version=` earlier ones, with `?standard=` those that ship."""
    latest = page_texts(batch)
    book = latest.codebook
    version = request.GET.get("version", "")
    if version.isdecimal():
        earlier = batch.codebook_versions.filter(number=int(version)).first()
        book = Codebook.from_json(earlier.texts) if earlier else book
    elif (language := request.GET.get("standard", "")) in languages():
        book = standard_codebook(language)
    return replace(latest, codebook=book)


def _page(request: HttpRequest, batch: Batch, form: CodebookForm, texts: PageTexts) -> HttpResponse:
    places = HITQuery.objects.filter(hit__batch=batch, hit__index=0).order_by("place")
    queries = list(places.values_list("query__qid", "query__text"))
    response = batch_page(
        request,
        "codebook",
        batch,
        "codebook",
        form=form,
        codebook=texts.codebook,
        hit=render(queries, texts) if queries else "",
        versions=batch.codebook_versions.order_by("-number"),
        version=version_of(codebook_state(batch)),
        is_draft=batch.state == BatchState.DRAFT,
        languages=languages().items(),
    )
    response.inline_hashes = inline_hashes()  # type: ignore[attr-defined]
    return response
