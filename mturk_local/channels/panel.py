"""A study on an external panel: people come by its link, and leave with a code and a link back.

Participants and their visits are in `lifecycle.visits`, a panel's signatures in
`lifecycle.panel_keys`, its lists of submissions in `participants`.
"""

import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from mturk_local.addresses import address, endpoint
from mturk_local.channels.base import ChannelKind, Params, hit_group
from mturk_local.lifecycle.assignments import WorkError
from mturk_local.lifecycle.channels import channel_invite
from mturk_local.lifecycle.panel_keys import KeysAwayError, is_keys_url, panel_keys
from mturk_local.lifecycle.visits import (
    OtherBrowserError,
    Participant,
    PlaceholderError,
    visit_complete,
    visit_progress,
    visit_start,
)
from mturk_local.lifecycle.withdrawing import at_stake, visit_leave
from mturk_local.models import Channel, KeyPair, Panel, PanelVisit, VisitState
from mturk_local.signed_links import SignedLink, TokenError, key_id, signed_link
from mturk_local.site import session
from mturk_local.site.moment import moment
from mturk_local.site.session import Visit, worker_page
from mturk_local.site.work import groups_to_do, in_hand


@never_cache
@require_GET
def join_panel(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a visit: the address to which a panel sends its participants."""
    panel = get_object_or_404(Panel, slug=slug, active=True)
    browser = session.browser_of(request)
    try:
        values, link = _parameters(request, panel)
        visit = visit_start(
            panel=panel,
            who=_participant(values, panel),
            now=moment(),
            browser=session.browser_digest(browser),
            link=link,
        )
    except KeysAwayError:
        text = _("The panel cannot be asked at the moment who you are. Open the link again.")
        return _refused(request, _("Come back in a minute"), text, 503)
    except TokenError as error:
        return _refused(request, _("This link is not valid"), error.message, 403)
    except OtherBrowserError as error:
        return _refused(request, _("You are at work elsewhere"), str(error), 403)
    except PlaceholderError as error:
        Panel.objects.filter(pk=panel.pk).update(unfilled=error.value[:60])
        return _refused(request, _("This link is not valid"), str(error), 400)
    except WorkError as error:
        return _refused(request, _("This link is not valid"), str(error), 400)
    if (channel := Channel.objects.filter(panel=panel).first()) is not None:
        channel_invite(channel, visit.worker)
    if panel.unfilled:
        Panel.objects.filter(pk=panel.pk).update(unfilled="")
    response = redirect("crowd-visit", visit.pk)
    session.sign_in(response, visit.worker)
    session.remember_browser(response, browser)
    return response


def _refused(request: HttpRequest, title: str, text: str, status: int) -> HttpResponse:
    context = {"title": title, "text": text}
    return render(request, "mturk_local/message.html", context, status=status)


def _parameters(request: HttpRequest, panel: Panel) -> tuple[dict[str, str], SignedLink | None]:
    """Return the parameters of the link, as signed by the panel, or else as they came."""
    values = {name: str(value).replace("\x00", "").strip() for name, value in request.GET.items()}
    if not panel.keys_url:
        return values, None
    token = values.get(panel.token_parameter, "")
    link = signed_link(
        token,
        key_set=panel_keys(url=panel.keys_url, key_id=key_id(token)),
        audience=panel.audience,
        claim=panel.token_claim,
        path=request.path,
    )
    return link.values, link


def _participant(values: Mapping[str, str], panel: Panel) -> Participant:
    # Within its signature Prolific may use the names of its API.
    return Participant(
        participant=_of(values, panel.participant_parameter, "participant_id")[:140],
        study=_of(values, panel.study_parameter, "study_id")[:200],
        session=_of(values, panel.session_parameter, "session_id")[:200],
    )


def _of(values: Mapping[str, str], *names: str) -> str:
    return next((values[name].strip() for name in names if values.get(name, "").strip()), "")


@require_GET
@worker_page
def my_visit(request: HttpRequest, here: Visit) -> HttpResponse:
    """Redirect to the newest visit of a participant."""
    latest = here.worker.visits.select_related("panel").last()
    return redirect("crowd-home") if latest is None else _shown(request, here, latest)


@require_GET
@worker_page
def visit(request: HttpRequest, here: Visit, visit_id: int) -> HttpResponse:
    """Show the tasks left in a visit, if there are any; at its end the code for the panel."""
    mine = get_object_or_404(
        PanelVisit.objects.select_related("panel"), pk=visit_id, worker=here.worker
    )
    return _shown(request, here, mine)


@require_GET
@worker_page
def leave_my_visit(_request: HttpRequest, here: Visit) -> HttpResponse:
    """Redirect to the page for leaving the newest visit."""
    latest = here.worker.visits.last()
    return redirect("crowd-home") if latest is None else redirect("crowd-leave-visit", latest.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@worker_page
def leave_visit(request: HttpRequest, here: Visit, visit_id: int) -> HttpResponse:
    """Show the consequences of leaving early, and a button; people who have left see neither."""
    visits = PanelVisit.objects.select_related("panel", "worker")
    mine = get_object_or_404(visits, pk=visit_id, worker=here.worker)
    if request.method == "POST":
        visit_leave(visit=mine, now=here.now)
    if mine.state != VisitState.OPEN:
        return redirect("crowd-visit", mine.pk)
    stake = at_stake(here.worker, here.now, since=mine.started_at)
    context = {"worker": here.worker, "visit": mine, "panel": mine.panel, "stake": stake}
    return render(request, "mturk_local/leave_visit.html", context)


def _shown(request: HttpRequest, here: Visit, mine: PanelVisit) -> HttpResponse:
    panel = mine.panel
    mine.worker = here.worker
    groups = [
        group
        for group in groups_to_do(here.worker, here.now)
        if panel.hit_group_id in {"", group.hit_type.hit_group_id}
        and (group.number or group.may_qualify)
    ]
    held = list(in_hand(here.worker))
    available = len(held) + sum(group.number for group in groups)
    done = visit_progress(mine)
    # Where there is less to do than the panel pays for, that is not the participant's fault. Who
    # has done nothing yet may come back: a task that somebody gives up is free again.
    is_over = done >= panel.tasks_per_visit or (done and not held and not groups)
    if is_over and mine.state == VisitState.OPEN:
        visit_complete(mine)
    context = {
        "worker": here.worker,
        "visit": mine,
        "panel": panel,
        "in_hand": held,
        "groups": groups,
        "left": min(max(0, panel.tasks_per_visit - done), available),
    }
    return render(request, "mturk_local/visit.html", context)


class ExternalPanel(ChannelKind):
    """`Provider`, `CompletionCode` and the names of the parameters that the panel adds.

    Those are `ParticipantParameter`, `StudyParameter` and `SessionParameter`. As needed also
    `TasksPerVisit` (1), `CompletionUrl`, and `Code` and `Url` of `ScreenOut`, `NoConsent` and
    `Withdrawal`, for people who find nothing to do, do not agree to take part, or withdraw;
    `KeysUrl` where the panel signs its links: then only signed links are accepted.
    """

    name = "panel"
    routes = [
        path("panel/<slug:slug>/", join_panel, name="crowd-panel"),
        path("visits/", my_visit, name="crowd-my-visit"),
        path("visits/leave/", leave_my_visit, name="crowd-leave-my-visit"),
        path("visits/<int:visit_id>/", visit, name="crowd-visit"),
        path("visits/<int:visit_id>/leave/", leave_visit, name="crowd-leave-visit"),
    ]

    def create(self, key: KeyPair, params: Params) -> Channel:
        provider = str(params["Provider"]).strip()
        keys_url = str(params.get("KeysUrl", ""))
        if keys_url and not is_keys_url(keys_url):
            raise ValidationError("KeysUrl: keys come over https, and not from inside.")
        panel = Panel(
            slug=f"{slugify(provider)[:30] or 'panel'}-{secrets.token_hex(4)}",
            provider=provider,
            participant_parameter=params["ParticipantParameter"],
            study_parameter=params["StudyParameter"],
            session_parameter=params["SessionParameter"],
            # HITs of an annotation may change their type later.
            hit_group_id="" if params.get("Annotation") else hit_group(key, params),
            tasks_per_visit=int(params.get("TasksPerVisit", 1)),
            completion_code=params["CompletionCode"],
            completion_url=params.get("CompletionUrl", ""),
            screen_out_code=params.get("ScreenOutCode", ""),
            screen_out_url=params.get("ScreenOutUrl", ""),
            no_consent_code=params.get("NoConsentCode", ""),
            no_consent_url=params.get("NoConsentUrl", ""),
            withdrawal_code=params.get("WithdrawalCode", ""),
            withdrawal_url=params.get("WithdrawalUrl", ""),
            keys_url=keys_url,
            audience=urlsplit(endpoint()).netloc if keys_url else "",
        )
        panel.full_clean()
        with transaction.atomic(using="crowd"):
            panel.save(force_insert=True)
            return self.store(key, {**params, "Note": provider}, panel=panel)

    def url(self, channel: Channel) -> str:
        """The panel adds the values of its parameters."""
        return address("crowd-panel", _panel(channel).slug)

    def members(self, channel: Channel) -> Params:
        panel = _panel(channel)
        return {
            "TasksPerVisit": panel.tasks_per_visit,
            "CompletionCode": panel.completion_code,
            "CompletionUrl": panel.completion_url,
            "ScreenOutCode": panel.screen_out_code,
            "ScreenOutUrl": panel.screen_out_url,
            "NoConsentCode": panel.no_consent_code,
            "NoConsentUrl": panel.no_consent_url,
            "WithdrawalCode": panel.withdrawal_code,
            "WithdrawalUrl": panel.withdrawal_url,
            "Unfilled": panel.unfilled,
        }

    def revoke(self, channel: Channel) -> None:
        Panel.objects.filter(channel=channel).update(active=False)


def _panel(channel: Channel) -> Panel:
    if channel.panel is None:  # PROTECT keeps it
        raise ValueError(f"the panel of {channel.channel_id} is missing")
    return channel.panel


PANEL = ExternalPanel()
