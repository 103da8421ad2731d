"""Drawing samples: the button on the page of a pool, and of a sample that is continued."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.core.forms import form_of, sent_parameters
from annotation.core.operations import Result
from annotation.core.perform import perform
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.models import Study
from annotation.vocabulary import Action
from annotation.web.access import study_view, who
from metrics.errors import InputError


@require_POST
@study_view(Action.MANAGE)
def draw_sample(request: HttpRequest, study: Study) -> HttpResponse:
    """Draw, and show the sample; errors are shown on the page of the pool."""
    values = sent_parameters(form_of(DRAW_SAMPLE), request.POST.dict())
    try:
        done = perform(DRAW_SAMPLE, study, values, who(request))
    except InputError as error:
        messages.error(request, str(error))
        # Compared here: PostgreSQL cannot be asked for a name with NUL.
        pools = dict(study.pools.values_list("pool__name", "pool"))
        if pool := pools.get(values.get("pool", "")):
            return redirect("pool-detail", pool)
        return redirect("study-detail", study.pk)
    assert isinstance(done, Result)  # noqa: S101 - it has no job
    messages.success(request, done.message)
    return redirect("pool-detail", done.values["pool"])
