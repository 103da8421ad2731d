"""The release of a study: form, progress and file."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotation.core.forms import add_errors, form_of, sent_parameters
from annotation.core.parameters import ParametersError, TermError
from annotation.core.perform import perform
from annotation.models import Study
from annotation.reports.operations.make_release import MAKE_RELEASE
from annotation.reports.queries.releases import release_name, release_ready, release_state
from annotation.vocabulary import Action
from annotation.web.access import study_view, takes, who
from metrics.errors import InputError

_FORM = form_of(MAKE_RELEASE)


@study_view(Action.VIEW)
def release_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the latest release, and the form of the next one with the last terms."""
    form = _FORM(initial=MAKE_RELEASE.initial(study))
    return render(request, "web/release.html", {"form": form, **release_state(study=study)})


@require_POST
@study_view(Action.MANAGE)
@takes(*_FORM.base_fields)
def make_release(request: HttpRequest, study: Study) -> HttpResponse:
    form = _FORM(request.POST)
    try:
        values = sent_parameters(form, request.POST.dict())
        if form.is_valid():
            perform(MAKE_RELEASE, study, values, who(request))
            return redirect("study-release", study.pk)
    except ParametersError as error:
        add_errors(form, error)
    except TermError as error:
        form.add_error(error.name, str(error))
    except InputError as error:
        form.add_error(None, str(error))
    return render(request, "web/release.html", {"form": form, **release_state(study=study)})


@study_view(Action.VIEW)
def release_part(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the progress of the release."""
    context = {"number": study.pk, **release_state(study=study)}
    return render(request, "web/_release.html", context)


@study_view(Action.VIEW)
def release_file(_request: HttpRequest, study: Study) -> HttpResponseBase:
    """Stream the latest release."""
    ready = release_ready(study=study)
    if ready is None:
        raise Http404
    response = FileResponse(ready.path.open("rb"), as_attachment=True, filename=release_name(study))
    response["ETag"] = f'"{ready.sha256}"'
    return response
