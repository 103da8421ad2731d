"""The page for members of staff: permits to begin studies, publish and pay."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.accounts.operations.permits import SET_PERMITS
from annotation.accounts.queries.account_events import account_events
from annotation.accounts.queries.permits import people, permits_of
from annotation.core.perform import perform_here
from annotation.vocabulary import Permit
from annotation.web.access import staff_view, takes, who
from annotation.web.buttons import button, number_sent
from annotation.web.pages import page_of, query_without_page


@staff_view
@takes("page")
def people_page(request: HttpRequest) -> HttpResponse:
    """Every account with its permits."""
    page = page_of(request, people())
    context = {
        "rows": [permits_of(user=user) for user in page.object_list],
        "permits": Permit.choices,
        "page": page,
        "events": account_events(),
        "question": query_without_page(request),
    }
    return render(request, "web/people.html", context)


@button(staff_view, lambda _request: redirect("people"))
@takes(several=["permit"])
def permits_change(request: HttpRequest) -> str:
    """Give the person of the row the permits whose boxes are checked, and no others."""
    person = get_object_or_404(people(), pk=number_sent(request, "person"))
    values = {"user": person.get_username(), "permits": request.POST.getlist("permit")}
    return perform_here(SET_PERMITS, None, values, who(request)).message
