"""The people of a study: roles, removal, invitations by link."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.accounts.operations.enter_crowd import ENTER_CROWD
from annotation.accounts.operations.invites import INVITE_MEMBER
from annotation.accounts.queries.members import study_invites, study_members
from annotation.core.forms import form_of, sent_parameters
from annotation.core.perform import perform_here
from annotation.models import Study
from annotation.vocabulary import ROLE_PERMISSIONS, Action, Role
from annotation.web.access import study_view, takes, who
from annotation.web.buttons import button
from annotation.web.pages import list_filter
from annotation.web.sorting import Column, sorted_query
from metrics.errors import InputError

_COLUMNS = {
    "name": Column("Who", "user__username"),
    "role": Column("Role", "role"),
    "since": Column("Since", "created_at"),
}


@study_view(Action.VIEW)
@takes("name", "sort")
def member_list(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


@never_cache
@require_POST
@study_view(Action.MANAGE)
def invite_make(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the page with the new link, without a redirect: the link is stored nowhere."""
    try:
        values = sent_parameters(form_of(INVITE_MEMBER), request.POST.dict())
        invite = perform_here(INVITE_MEMBER, study, values, who(request)).made
    except InputError as error:
        return _page(request, study, problem=str(error))
    link = request.build_absolute_uri(reverse("invite", args=[invite.token]))
    return _page(request, study, link=link, invited=invite)


@study_view(Action.ANNOTATE)
def annotate(request: HttpRequest, study: Study) -> HttpResponse:
    """Show where to answer, and nothing that could sway an answer."""
    has_pairs = study.pools.filter(pool__of_pairs=True).exists()
    return render(request, "web/annotate.html", {"study": study, "has_pairs": has_pairs})


@button(study_view(Action.ANNOTATE), lambda _request, study: redirect("study-annotate", study.pk))
def enter(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the HITs, signed in by this site."""
    return redirect(perform_here(ENTER_CROWD, study, {}, who(request)).made)


def _page(request: HttpRequest, study: Study, **more: Any) -> HttpResponse:
    filters = list_filter(request)
    rows = study_members(study=study).filter(user__username__icontains=filters["wanted"])
    members, heads = sorted_query(request, rows, _COLUMNS)
    context = {
        "members": members,
        "heads": heads,
        **filters,
        "invites": study_invites(study=study),
        "roles": Role.choices,
        "actions": list(Action),
        "permissions": [
            (role.label, [action in ROLE_PERMISSIONS[role] for action in Action]) for role in Role
        ],
    }
    return render(request, "web/members.html", context | more)
