"""The pages of studies: all of them, a new one, and one page that leads through a study."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Study
from annotation.selectors.access import studies_open_to
from annotation.selectors.flow import Flow, study_flow, study_flows
from annotation.selectors.steps import next_step, steps_of
from annotation.selectors.tasks import study_tasks_running
from annotation.services.file_store import files_to_point_to
from annotation.services.studies import study_create
from annotation.vocabulary import Action
from annotation.web.access import actor_of, person_of, person_view, study_view
from annotation.web.pages import page_of, query_without_page
from annotation.web.study_forms import FileForm, PoolForm, ScoreForm, StudyForm
from annotation.web.uploads import upload_limit
from metrics.errors import InputError
from pooling.selectors import PoolPage, pool_page


@person_view
def study_list(request: HttpRequest) -> HttpResponse:
    """The studies in which the person may see results, and what each waits for."""
    studies = studies_open_to(user=person_of(request), action=Action.VIEW)
    page = page_of(request, studies)
    flows = study_flows(studies=list(page.object_list))
    rows = [{"flow": flow, "next": next_step(steps_of(flow))} for flow in flows]
    shown = {"rows": rows, "page": page, "question": query_without_page(request)}
    return render(request, "web/study_list.html", shown)


@person_view
def study_new(request: HttpRequest) -> HttpResponse:
    """A form of two fields; whoever fills it in owns the study."""
    form = StudyForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        owner = request.user if isinstance(request.user, User) else None
        try:
            study = study_create(**form.cleaned_data, actor=actor_of(request), owner=owner)
        except InputError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The study is there. Its files come first.")
            return redirect("study-detail", study.pk)
    return render(request, "web/study_new.html", {"form": form})


@study_view(Action.VIEW)
def study_detail(request: HttpRequest, study: Study) -> HttpResponse:
    """Every step with its state, its numbers and what can be done there."""
    flow = study_flow(study=study)
    shown = {
        "flow": flow,
        "steps": steps_of(flow),
        "tab": "steps",
        "file_form": FileForm.for_the_next(flow, auto_id="file-%s"),
        "point_form": FileForm.for_the_next(flow, auto_id="point-%s"),
        "score_form": ScoreForm(),
        "pool_form": PoolForm(),
        "can_point": bool(files_to_point_to()),
        "upload_limit": upload_limit(),
        "pool": _latest_pool(flow),
    }
    return render(request, "web/study.html", shown)


@study_view(Action.VIEW)
def study_progress_part(request: HttpRequest, study: Study) -> HttpResponse:
    """What runs, counting along; once something has ended, the whole page comes anew."""
    running = study_tasks_running(study=study)
    shown: dict[str, Any] = {"running": running}
    response = render(request, "web/_study_progress.html", shown)
    if request.GET.get("running", "") != _kinds(running):
        response["HX-Refresh"] = "true"
    return response


def _kinds(running: list[Any]) -> str:
    return ",".join(task.kind for task in running)


def _latest_pool(flow: Flow) -> PoolPage | None:
    return pool_page(pool=flow.pools[0]) if flow.pools else None
