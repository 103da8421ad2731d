"""The pages of studies: all of them, a new one, and one page that leads through a study."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.forms import ChoiceField, Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.core.access import is_permitted, studies_open_to, studies_removed_by
from annotation.core.forms import add_errors, form_of, sent_parameters
from annotation.core.parameters import ParametersError
from annotation.core.perform import perform_here
from annotation.core.task_progress import study_tasks_running
from annotation.labels.queries.labels import files_with_labels
from annotation.models import Study
from annotation.overview.operations.sample import PREPARE_SAMPLE, create_sample_study
from annotation.overview.queries.flow import Flow, study_flow, study_flows
from annotation.overview.queries.glance import glance_at
from annotation.overview.queries.steps import batches_in_words, next_step, steps_of
from annotation.reports.queries.bundles import bundle_state
from annotation.reports.queries.reports import study_reports
from annotation.studies.file_store import files_to_point_to
from annotation.studies.operations.add_file import ADD_FILE, POINT_TO_FILE
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.score import SCORE
from annotation.studies.pages.forms import file_form, rank_form
from annotation.studies.pages.uploads import upload_limit
from annotation.studies.queries.files_looked_at import BEGINNING, END_OF_ZIP
from annotation.studies.queries.files_missing import files_missing
from annotation.studies.queries.scoring_time import scoring_seconds
from annotation.vocabulary import Action, Environment, FileKind, Permit, TaskKind, TaskState
from annotation.web.access import permit_view, person_of, person_view, study_view, takes, who
from annotation.web.buttons import button
from annotation.web.pages import list_filter, page_of, query_without_page
from annotation.web.sorting import Column, sorted_rows
from metrics.errors import InputError
from pooling.queries import PoolPage, pool_page

#: Number of reports on the page of a study; the page of reports has all of them.
_MOST_REPORTS = 3
_COLUMNS = {
    "name": Column("Study", lambda row: row["flow"].study.name.casefold()),
    "next": Column("Next", lambda row: row["next"].title if row["next"] else ""),
    "steps": Column("Steps done", lambda row: row["glance"].n_done, is_number=True),
    "labels": Column("Labelled", lambda row: row["n_labels"], is_number=True),
}


@person_view
@takes("name", "sort", "page")
def study_list(request: HttpRequest) -> HttpResponse:
    """Show the studies in which the person may see results, with their next steps."""
    studies = studies_open_to(user=person_of(request), action=Action.VIEW)
    filters = list_filter(request)
    matches = studies.filter(archived_at=None, name__icontains=filters["wanted"])
    if filters["sort"]:
        # To sort by contents all studies are read, otherwise only those of the page.
        rows, heads = sorted_rows(request, _rows(matches), _COLUMNS)
        page = page_of(request, rows)
        rows = list(page.object_list)
    else:
        page = page_of(request, matches)
        rows, heads = sorted_rows(request, _rows(page.object_list), _COLUMNS)
    context = {
        "rows": rows,
        "heads": heads,
        **filters,
        "page": page,
        "question": query_without_page(request),
        "may_begin": is_permitted(user=person_of(request), permit=Permit.CREATE_STUDIES),
        "has_put_away": studies.exclude(archived_at=None).exists()
        or studies_removed_by(user=person_of(request)).exists(),
    }
    return render(request, "web/study_list.html", context)


def _rows(studies: Iterable[Study]) -> list[dict[str, Any]]:
    """Return the state of each study, its next step, and its main result."""
    return [_row(flow) for flow in study_flows(studies=list(studies))]


def _row(flow: Flow) -> dict[str, Any]:
    steps = steps_of(flow)
    glance = glance_at(flow, steps)
    result = next(iter(glance.results), None)
    return {
        "flow": flow,
        "next": next_step(steps),
        "glance": glance,
        "n_steps": len(steps),
        "result": result,
        "n_labels": result.n_labels if result else 0,
    }


@permit_view(Permit.CREATE_STUDIES)
def study_new(request: HttpRequest) -> HttpResponse:
    """Create a study, owned by the person who fills in the form."""
    form = form_of(CREATE_STUDY)(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            sent_parameters(form, request.POST)
            done = perform_here(CREATE_STUDY, None, form.cleaned_data, who(request))
        except ParametersError as error:
            add_errors(form, error)
        except InputError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Study created. Add its files first.")
            return redirect("study-detail", done.made.pk)
    return render(request, "web/study_new.html", {"form": form})


@button(permit_view(Permit.CREATE_STUDIES), lambda _request: redirect("study-list"))
def sample_new(request: HttpRequest) -> HttpResponse:
    """Create a study of the sample, which a job completes."""
    study = create_sample_study(actor=who(request))
    messages.success(request, PREPARE_SAMPLE.queued)
    return redirect("study-detail", study.pk)


@study_view(Action.VIEW)
def study_detail(request: HttpRequest, study: Study) -> HttpResponse:
    """Show every step with its state, its numbers and its actions."""
    flow = study_flow(study=study)
    steps = steps_of(flow)
    reports = study_reports(study=study)
    context = {
        "flow": flow,
        "steps": steps,
        "next": next_step(steps, is_archived=bool(study.archived_at)),
        "glance": glance_at(flow, steps),
        "batches_in_words": batches_in_words(flow),
        "tab": "steps",
        "asks_for_messages": any(
            batch.environment == Environment.LOCAL and batch.n_hits_published
            for batch in flow.batches
        ),
        "files_missing": files_missing(study=study),
        **bundle_state(study=study),
        "reports": reports[:_MOST_REPORTS],
        "made_reports": [listed for listed in reports if listed.report.made_at],
        "may_duplicate": is_permitted(user=person_of(request), permit=Permit.CREATE_STUDIES),
        "labelled": files_with_labels(study=study, files=flow.files),
        "file_form": file_form(ADD_FILE, "file"),
        "point_form": file_form(POINT_TO_FILE, "point"),
        "rank_form": rank_form(flow),
        "score_form": form_of(SCORE)(initial=_failed(flow, TaskKind.SCORE), auto_id="score-%s"),
        "scoring_seconds": _scoring_seconds(flow),
        "pool_form": _pool_form(flow),
        "can_point": bool(files_to_point_to()),
        "upload_limit": upload_limit(),
        "beginning": BEGINNING,
        "end_of_zip": END_OF_ZIP,
        "pool": _latest_pool(flow),
    }
    return render(request, "web/study.html", context)


@study_view(Action.VIEW)
@takes("running")
def study_progress_part(request: HttpRequest, study: Study) -> HttpResponse:
    """Render running work, live; once something has ended, the whole page is reloaded."""
    running = study_tasks_running(study=study)
    context: dict[str, Any] = {"running": running}
    response = render(request, "web/_study_progress.html", context)
    if request.GET.get("running", "") != _kinds(running):
        response["HX-Refresh"] = "true"
    return response


def _kinds(running: list[Any]) -> str:
    return ",".join(task.kind for task in running)


def _pool_form(flow: Flow) -> Form:
    """Return the form of a pool, with the scores to choose from."""
    form = form_of(BUILD_POOL)(initial=_failed(flow, TaskKind.POOL), auto_id="pool-%s")
    text = form.fields["scored"]
    names = [("", "The latest"), *((file.name, file.name) for file in flow.scored)]
    form.fields["scored"] = ChoiceField(choices=names, required=False, label=text.label)
    return form


def _failed(flow: Flow, kind: TaskKind) -> dict[str, Any]:
    """Return the terms of the last failed task, so that only the wrong one has to be changed."""
    task = flow.tasks.get(kind)
    return task.arguments if task is not None and task.state == TaskState.FAILED else {}


def _scoring_seconds(flow: Flow) -> float | None:
    """Estimate the time of scoring, in seconds; None if there is none to do, or no estimate."""
    is_to_do = flow.of_kind(FileKind.COLLECTION) and flow.magnitudes is None
    return scoring_seconds(study=flow.study) if is_to_do else None


def _latest_pool(flow: Flow) -> PoolPage | None:
    return pool_page(pool=flow.pools[0]) if flow.pools else None
