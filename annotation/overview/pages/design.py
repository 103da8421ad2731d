"""The page of all parts of pages, for developers."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.vocabulary import Category
from annotation.web.access import staff_view

_COLOURS = "paper panel ink quiet line accent bar good good-paper warn warn-paper bad bad-paper"
_ICONS = (
    "activity archive ban book-open check circle-alert circle-check clock coins download eye "
    "layers link message-square pencil scale search settings tags terminal triangle-alert users"
)


@staff_view
def design_page(request: HttpRequest) -> HttpResponse:
    """Every part of a page, in both schemes."""
    context = {
        "colours": _COLOURS.split(),
        "icons": _ICONS.split(),
        "categories": Category.choices,
        "schemes": ("light", "dark"),
    }
    return render(request, "web/design.html", context)
