"""Access to pages and their actions. Every view stands behind one of these decorators.

    @batch_view(Action.VIEW)          # /batches/<int:number>/...: the view gets the `Batch`
    def labels_page(request: HttpRequest, batch: Batch) -> HttpResponse: ...

    @study_view(Action.MANAGE)        # /studies/<int:number>/...: the view gets the `Study`
    @pool_view(Action.VIEW)           # /pools/<int:number>/...: the view gets the `Pool`
    @person_view                      # a list: shows what is open to `person_of(request)`
    @somewhere_view(Action.MANAGE)    # a form: for whoever may do that in some study
    @permit_view(Permit.CREATE_STUDIES)   # a form: for whoever has that permit
    @staff_view                       # a page of those who run the site

Below it stands `@takes("sort", "page")` where the page reads these names of its query string, or
`@checks_query` where a form does: any other name is refused, and a field that is sent twice.

A button is `@button(batch_view(Action.MANAGE))`, of `annotation.web.buttons`.

What a person cannot see is not there (404), what they see but may not do is refused with a page
that says who can help (403), and whoever is not signed in is asked to. Lists ask
`annotation.core.access` with `person_of(request)`. Templates find in `may` what the person
may do with the object of the page, and in `study` its study: `{% if "manage" in may %}`.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, TypeVar

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import LoginView, redirect_to_login
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render

from annotation.core.access import (
    User,
    actions_in,
    is_permitted,
    is_staff,
    permit_refusing,
    roles_with,
    studies_open_to,
    study_owners,
)
from annotation.core.names_sent import check_names
from annotation.core.operations import Actor
from annotation.core.parameters import ParametersError
from annotation.models import Batch, Study
from annotation.prolific.client import LIVE
from annotation.vocabulary import Action, Permit
from pooling.models import Pool
from pooling.removable import Removable

Subject = TypeVar("Subject", Study, Batch, Pool)
View = Callable[Concatenate[HttpRequest, ...], HttpResponseBase]
ViewOf = Callable[Concatenate[HttpRequest, Subject, ...], HttpResponseBase]
AnyView = Callable[..., HttpResponseBase]
Page = TypeVar("Page", bound=Callable[..., Any])
#: The log has room for 150 characters.
_LONGEST_ACTOR = 130


class VisitorOfOpenSite(AnonymousUser):
    """The user of an open site (`FAIRPOOL_OPEN`), without an account, who may do everything."""

    is_staff = True  # type: ignore[assignment] # the base class says that nobody is
    is_active = True  # type: ignore[assignment]


def person_of(request: HttpRequest) -> User:
    """Return the signed-in person; on an open site, its visitor."""
    if settings.OPEN and not request.user.is_authenticated:
        return VisitorOfOpenSite()
    return request.user


def actor_of(request: HttpRequest) -> str:
    """Return the person's name in the log."""
    return f"{request.user.get_username()[:_LONGEST_ACTOR] or 'open site'} (web page)"


def who(request: HttpRequest) -> Actor:
    """Return the person's name in the log, with the account whose permissions count."""
    return Actor(actor_of(request), person_of(request))


def typed_again(fields: Callable[[QueryDict], QueryDict | None]) -> Callable[[Page], Page]:
    """Say what to send to a view so that it shows a form as it was typed, and does nothing.

    Gets what was typed; None where the page of the form has all its fields without.
    """

    def decorate(view: Page) -> Page:
        view.typed_again = fields  # type: ignore[attr-defined] # for the forms that a sign-in keeps
        return view

    return decorate


def takes(*names: str, several: Iterable[str] = ()) -> Callable[[Page], Page]:
    """Allow these names in a page's query string; without this, none are allowed.

    `several` are fields of its form that may have several values.
    """

    def decorate(view: Page) -> Page:
        view.query_names, view.several = names, tuple(several)  # type: ignore[attr-defined]
        return view

    return decorate


def checks_query(view: Page) -> Page:
    """Mark a page that checks its query string itself, by a form."""
    view.query_names = None  # type: ignore[attr-defined] # for `_answer`
    return view


def batch_view(action: Action) -> Callable[[ViewOf[Batch]], AnyView]:
    """A page of the batch `number`, for whoever may do `action` in its study."""
    return _view_of(action, Batch.objects.select_related("study"), lambda batch: batch.study)


def study_view(action: Action) -> Callable[[ViewOf[Study]], AnyView]:
    """A page of the study `number`, for whoever may do `action` in it."""
    return _view_of(action, Study.objects.all(), lambda study: study)


def kept_or_removed_study_view(action: Action) -> Callable[[ViewOf[Study]], AnyView]:
    """Decorate a view of a study that may have been removed, as for restoring it."""
    return _view_of(action, Study.everything.all(), lambda study: study)


def pool_view(action: Action) -> Callable[[ViewOf[Pool]], AnyView]:
    """A page of the pool `number`, for whoever may do `action` in its study."""
    pools = Pool.objects.select_related("belongs__study")
    return _view_of(action, pools, lambda pool: pool.belongs.study)


def person_view(view: View) -> AnyView:
    """A page for anybody who is signed in; it shows only what is open to them."""

    @wraps(view)
    def guarded(request: HttpRequest, **rest: Any) -> HttpResponseBase:
        if _is_nobody(person_of(request)):
            return _ask_to_sign_in(request)
        return _answer(view, request, **rest)

    return guarded


def somewhere_view(action: Action) -> Callable[[View], AnyView]:
    """A page for whoever may do `action` in at least one study."""

    def decorate(view: View) -> AnyView:
        @person_view
        @wraps(view)
        def guarded(request: HttpRequest, **rest: Any) -> HttpResponseBase:
            if not may_somewhere(request, action):
                return refused(request, action)
            return view(request, **rest)

        return guarded

    return decorate


def staff_view(view: View) -> AnyView:
    """A page for members of staff; for everybody else it is not there."""

    @person_view
    @wraps(view)
    def guarded(request: HttpRequest, **rest: Any) -> HttpResponseBase:
        if not is_staff(person_of(request)):
            raise Http404
        return view(request, **rest)

    return guarded


def permit_view(permit: Permit) -> Callable[[View], AnyView]:
    """A page for whoever has this permit."""

    def decorate(view: View) -> AnyView:
        @person_view
        @wraps(view)
        def guarded(request: HttpRequest, **rest: Any) -> HttpResponseBase:
            if not is_permitted(user=person_of(request), permit=permit):
                context = {"action": permit, "permit": permit}
                return render(request, "web/refused.html", context, status=403)
            return view(request, **rest)

        return guarded

    return decorate


def may_in(request: HttpRequest) -> frozenset[str]:
    """The person's permissions on the object of the page."""
    may: frozenset[str] = request.may  # type: ignore[attr-defined] # set by the decorators above
    return may


def may_somewhere(request: HttpRequest, action: Action) -> bool:
    """Return whether the person may do `action` in at least one study, or runs the site."""
    person = person_of(request)
    return is_staff(person) or studies_open_to(user=person, action=action).exists()


def refused(request: HttpRequest, action: Action, study: Study | None = None) -> HttpResponse:
    """Render the refusal: the role that is needed, and who gives it."""
    context = {
        "action": action,
        "permit": permit_refusing(user=person_of(request), study=study, action=action),
        "roles": roles_with(action),
        "owners": study_owners(study=study) if study else [],
        "study": study,
    }
    return render(request, "web/refused.html", context, status=403)


def permitted_actions(request: HttpRequest) -> dict[str, Any]:
    """For every template: what the person may do with the page's object, its study, open or not."""
    context: dict[str, Any]
    if not hasattr(request, "may"):
        # Without an object, as in a list, only what staff may do holds for all that is shown.
        everything = hasattr(request, "user") and is_staff(person_of(request))
        context = {"may": frozenset(Action.values if everything else ()), "study": None}
    else:
        context = {"may": request.may, "study": request.study}  # type: ignore[attr-defined]
    is_rehearsing = settings.PROLIFIC_ADDRESS.rstrip("/") != LIVE
    return context | {"site_is_open": settings.OPEN, "is_rehearsing": is_rehearsing}


class SignIn(LoginView):
    """Our own page for it."""

    template_name = "web/sign_in.html"
    next_page = "study-list"


def _view_of(
    action: Action, rows: QuerySet[Subject], study_of: Callable[[Subject], Study | None]
) -> Callable[[ViewOf[Subject]], AnyView]:
    def decorate(view: ViewOf[Subject]) -> AnyView:
        @wraps(view)
        def guarded(request: HttpRequest, number: int, **rest: Any) -> HttpResponseBase:
            person = person_of(request)
            if _is_nobody(person):
                return _ask_to_sign_in(request)
            subject = rows.filter(pk=number).first()
            row = subject or _removed(rows.model, number)
            study = study_of(row) if row else None
            may = actions_in(user=person, study=study)
            if row is None or not may:
                raise Http404
            if subject is None:
                return show_removed(request, row, study)
            if action not in may:
                return refused(request, action, study)
            request.may, request.study = may, study  # type: ignore[attr-defined] # for `permitted_actions`
            return _answer(view, request, subject, **rest)

        return guarded

    return decorate


def show_removed(request: HttpRequest, row: Removable, study: Study | None) -> HttpResponse:
    """The page in the place of something that was removed: what it is, and where it comes back."""
    return render(request, "web/removed.html", {"removed": row, "study": study}, status=404)


def _removed(kind: type[Subject], number: int) -> Subject | None:
    """The row of that number if it was removed and can still be restored."""
    everything: QuerySet[Subject] = kind.everything.all()
    return everything.exclude(removed_at=None).filter(pk=number).first()


def _answer(view: AnyView, request: HttpRequest, *subject: Any, **rest: Any) -> HttpResponseBase:
    """Return the page, unless the query string or the form has invalid names."""
    names = getattr(view, "query_names", ())
    try:
        if request.method not in ("GET", "HEAD"):
            check_names(request.GET, ())
            check_names(request.POST, request.POST, getattr(view, "several", ()))
        elif names is not None:
            check_names(request.GET, names)
        return view(request, *subject, **rest)
    except ParametersError as error:
        return render(request, "web/unusable.html", {"errors": error.errors}, status=400)


def _is_nobody(person: User) -> bool:
    return not person.is_authenticated and not isinstance(person, VisitorOfOpenSite)


def sign_in_again(request: HttpRequest) -> HttpResponse:
    """The sign-in page that answers a form of somebody who is not signed in (any more)."""
    form = AuthenticationForm(request)
    return render(request, "web/sign_in.html", {"form": form, "next": ""}, status=403)


def _ask_to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Lead to the sign-in, and from there back to the page, with what was typed in its form."""
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path(), login_url="sign-in")
    kept = getattr(request, "kept_form", None)
    # A page's own form brings a token; programs, and parts of pages, follow a redirect.
    if kept and "csrfmiddlewaretoken" in request.POST and "HX-Request" not in request.headers:
        return sign_in_again(request)
    return redirect_to_login(kept.page if kept else "", login_url="sign-in")
