"""Sign-in without a requester's channel: passwords, invite links, simulated workers."""

import hmac
import re
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.signing import BadSignature
from django.db.models import F, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from mturk_local.keys import key_pair_get
from mturk_local.lifecycle.channels import account_note_arrival
from mturk_local.lifecycle.visits import invite_of
from mturk_local.models import EntryChannel, SignInFailures, Worker
from mturk_local.site import session
from mturk_local.workers import simulated_worker_ensure

#: Many more than for one name: everybody behind a proxy has one address.
_MOST_FAILURES = 50
PERIOD = timedelta(minutes=15)


def may_guess(request: HttpRequest, now: datetime) -> bool:
    """Count a guess before it is tried; False where nobody may guess from its address for now.

    The first one begins a period. Addresses are forgotten with their period.
    """
    SignInFailures.objects.filter(started_at__lte=now - PERIOD).delete()
    failures, _ = SignInFailures.objects.get_or_create(
        address=_address(request), defaults={"started_at": now}
    )
    still_few = SignInFailures.objects.filter(pk=failures.pk, count__lt=_MOST_FAILURES)
    return bool(still_few.update(count=F("count") + 1))


def was_no_guess(request: HttpRequest) -> None:
    """Take the count of `may_guess` back: the password was right."""
    mine = SignInFailures.objects.filter(address=_address(request), count__gt=0)
    mine.update(count=F("count") - 1)


def _address(request: HttpRequest) -> str:
    """A keyed digest of the client's address; a proxy appends the one it speaks for."""
    address = request.META.get("REMOTE_ADDR", "")
    if settings.MTURK_LOCAL_TRUST_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2].strip()
    return salted_hmac("crowd-service.address", address, algorithm="sha256").hexdigest()


_SIMULATED_ID = re.compile(r"ASIM[A-Z0-9]{1,60}")
_LONGEST_LINK = timedelta(days=1)
#: Wrong passwords in a row that lock the account, and the time of the lock.
_FAILURES = 10
_REST = timedelta(minutes=15)


@never_cache
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """In-house annotators sign in with a name and a password."""
    # No database takes a NUL, and no account has one in its name.
    name = request.POST.get("username", "").replace("\x00", "")
    wrong = False
    if request.method == "POST":
        if not may_guess(request, timezone.now()):
            return _too_many_failures(request)
        worker = _with_password(name, request.POST.get("password", ""))
        if worker is not None:
            was_no_guess(request)
            account_note_arrival(worker)
            response = redirect("crowd-home")
            session.sign_in(response, worker)
            return response
        wrong = True
    context = {"username": name, "wrong": wrong}
    return render(request, "mturk_local/sign_in.html", context, status=403 if wrong else 200)


def _too_many_failures(request: HttpRequest) -> HttpResponse:
    context = {
        "title": _("Too many failed attempts"),
        "text": _("Wait %s minutes, then sign in again.") % (PERIOD.seconds // 60),
    }
    response = render(request, "mturk_local/message.html", context, status=429)
    response["Retry-After"] = str(PERIOD.seconds)
    return response


def _with_password(name: str, password: str) -> Worker | None:
    worker = Worker.objects.filter(
        username=name, entry_channel=EntryChannel.ACCOUNT, active=True
    ).first()
    if worker is None or not _may_guess_password_of(worker):
        # As slow as a wrong password, so that the answer does not tell which names exist.
        make_password(password)
        return None
    if not worker.check_password(password):
        return None
    Worker.objects.filter(pk=worker.pk).update(failed_sign_ins=0)
    return worker


def _may_guess_password_of(worker: Worker) -> bool:
    """Count a guess before it is tried; False while the account rests after too many."""
    now = timezone.now()
    has_rested = Q(failed_sign_ins__lt=_FAILURES) | Q(last_failed_at__lte=now - _REST)
    guesses = Worker.objects.filter(has_rested, pk=worker.pk)
    return bool(guesses.update(failed_sign_ins=F("failed_sign_ins") + 1, last_failed_at=now))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    response = redirect("crowd-sign-in")
    session.sign_out(request, response)
    return response


@never_cache
@require_GET
def join_invited(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by an invite link that has neither expired nor been revoked."""
    try:
        invite = invite_of(token)
    except BadSignature:
        invite = None
    if invite is None:
        context = {
            "title": _("This link is not valid any more"),
            "text": _("Ask whoever sent it to you for a new one."),
        }
        return render(request, "mturk_local/message.html", context, status=403)
    response = redirect("crowd-home")
    session.sign_in(response, invite.worker)
    return response


@never_cache
@require_GET
def join_simulated(request: HttpRequest) -> HttpResponse:
    """Sign in a simulated worker by a link that only a requester's key can make.

    The link's `signature` is the HMAC-SHA256, under the secret of the access key `key`, of the
    lines `simulated-worker`, `worker` and `expires` (seconds since 1970), in hexadecimal.
    """
    parts = {name: request.GET.get(name, "") for name in ("key", "worker", "expires", "signature")}
    if not _SIMULATED_ID.fullmatch(parts["worker"]) or not _signed(parts):
        context = {"title": _("This link is not valid"), "text": _("Ask for a new one.")}
        return render(request, "mturk_local/message.html", context, status=403)
    worker = simulated_worker_ensure(worker_id=parts["worker"])
    response = redirect("crowd-home")
    session.sign_in(response, worker)
    return response


def _signed(parts: dict[str, str]) -> bool:
    pair = key_pair_get(parts["key"])
    if pair is None or not re.fullmatch(r"\d{1,11}", parts["expires"]):
        return False
    expires = datetime.fromtimestamp(int(parts["expires"]), UTC)
    if not timezone.now() < expires < timezone.now() + _LONGEST_LINK:
        return False
    text = f"simulated-worker\n{parts['worker']}\n{parts['expires']}"
    expected = hmac.new(pair.secret_access_key.encode(), text.encode(), "sha256").hexdigest()
    return hmac.compare_digest(expected, parts["signature"])
