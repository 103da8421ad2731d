"""A study made of a bundle that somebody published."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.core.forms import form_of
from annotation.core.perform import perform_here
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.vocabulary import Permit
from annotation.web.access import permit_view, who
from metrics.errors import InputError


class BundleForm(form_of(IMPORT_BUNDLE)):  # type: ignore[misc] # a class made at run time
    """The bundle, and what its study is called."""

    file = forms.FileField(label="Bundle", help_text="A zip file that Fairpool wrote.")
    field_order = ("file", "name")


@permit_view(Permit.CREATE_STUDIES)
def bundle_import(request: HttpRequest) -> HttpResponse:
    """Import a bundle with a name; the study belongs to the person who imports it."""
    form = BundleForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        upload = form.cleaned_data["file"]
        values = {"stream": upload, "filename": upload.name, "name": form.cleaned_data["name"]}
        try:
            done = perform_here(IMPORT_BUNDLE, None, values, who(request))
        except InputError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, done.message)
            return redirect("study-detail", done.made.pk)
    status = 400 if form.errors else 200
    return render(request, "web/bundle_import.html", {"form": form}, status=status)
