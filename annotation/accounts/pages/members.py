"""The people of a study: roles, removal, invitations by link."""

import re
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.accounts.operations.enter_crowd import ENTER_CROWD
from annotation.accounts.operations.invites import invite_create, invite_revoke
from annotation.accounts.operations.members import member_remove, member_role_set
from annotation.accounts.queries.members import study_invites, study_members
from annotation.core.operations import Result
from annotation.core.perform import perform
from annotation.models import Study
from annotation.vocabulary import LEAVE, Action, Role
from annotation.web.access import actor_of, study_view, who
from annotation.web.pages import study_act
from metrics.errors import InputError

_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


@study_view(Action.VIEW)
def member_list(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


@study_act(Action.MANAGE)
def member_role(request: HttpRequest, study: Study) -> str:
    member = member_role_set(
        study=study,
        number=_number(request, "member"),
        role=request.POST.get("role", ""),
        actor=actor_of(request),
    )
    return f"{member.user.get_username()} is {member.get_role_display().lower()} now."


@study_act(Action.MANAGE)
def member_remove_act(request: HttpRequest, study: Study) -> str:
    number = _number(request, "member")
    name = member_remove(study=study, number=number, actor=actor_of(request))
    return f"{name} is no member any more."


@never_cache
@require_POST
@study_view(Action.MANAGE)
def invite_make(request: HttpRequest, study: Study) -> HttpResponse:
    """The page with the new link on it. It is not redirected to: the link is kept nowhere."""
    try:
        invite, token = invite_create(
            study=study, role=request.POST.get("role", ""), actor=actor_of(request)
        )
    except InputError as error:
        return _page(request, study, problem=str(error))
    link = request.build_absolute_uri(reverse("invite", args=[token]))
    return _page(request, study, link=link, invited=invite)


@study_act(Action.MANAGE)
def invite_revoke_act(request: HttpRequest, study: Study) -> str:
    number = _number(request, "invitation")
    invite_revoke(study=study, number=number, actor=actor_of(request))
    return "The link does not work any more."


@study_view(Action.ANNOTATE)
def annotate(request: HttpRequest, study: Study) -> HttpResponse:
    """Where to answer. It shows nothing that could sway an answer."""
    return render(request, "web/annotate.html", {"study": study})


@require_POST
@study_view(Action.ANNOTATE)
def enter(request: HttpRequest, study: Study) -> HttpResponse:
    """To the HITs, with the sign-in of this site."""
    try:
        done = perform(ENTER_CROWD, study, {}, who(request))
    except InputError as error:
        messages.error(request, str(error))
        return redirect("study-annotate", study.pk)
    return redirect(cast("Result", done).made)


def _page(request: HttpRequest, study: Study, **more: Any) -> HttpResponse:
    shown = {
        "members": study_members(study=study),
        "invites": study_invites(study=study),
        "roles": Role.choices,
        "actions": list(Action),
        "leave": [(role.label, [action in LEAVE[role] for action in Action]) for role in Role],
    }
    return render(request, "web/members.html", shown | more)


def _number(request: HttpRequest, name: str) -> int:
    """The number that a button sends; 0, which nobody has, if it is none."""
    sent = request.POST.get(name, "")
    return int(sent) if _NUMBER.fullmatch(sent) else 0
