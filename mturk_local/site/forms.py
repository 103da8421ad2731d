"""Completing the forms of a task's page, so that it works without JavaScript. Pure.

The stored question is never changed: the result is for one worker.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape

from bs4 import BeautifulSoup, Tag

_FIELDS = ["button", "fieldset", "input", "select", "textarea"]
#: Where pages made for Mechanical Turk send their answers.
_SUBMIT_ADDRESS = re.compile(r"(^\s*$)|/mturk/externalSubmit/?(\?.*)?$")
#: Placeholders for the parts that differ between workers.
_SUBMIT_URL = "fairpool-submit-url"
_ASSIGNMENT_ID = "fairpool-assignment-id"
#: Number of pages in the cache: many people see the same ones at a time.
_REMEMBERED = 256
#: Tells the page around the frame how tall the task is, so that nothing scrolls twice.
_REPORT_HEIGHT = """
(function () {
  function report() {
    parent.postMessage({taskHeight: document.documentElement.scrollHeight}, "*");
  }
  addEventListener("load", report);
  if (window.ResizeObserver) { new ResizeObserver(report).observe(document.documentElement); }
}());
"""


def completed(page: str, *, submit_url: str, assignment_id: str) -> str:
    """`page` with its forms sent to `submit_url` and `assignmentId` filled in."""
    # The page is parsed once for all workers; its author gains nothing by writing the marks, which
    # stand for data that the page gets anyway.
    whole = _completed(page).replace(_SUBMIT_URL, escape(submit_url))
    return whole.replace(_ASSIGNMENT_ID, escape(assignment_id))


@lru_cache(maxsize=_REMEMBERED)
def _completed(page: str) -> str:
    """`page` completed with marks for what differs from worker to worker."""
    soup = BeautifulSoup(page, "html.parser")
    for form in soup.find_all("form"):
        if _SUBMIT_ADDRESS.search(str(form.get("action", ""))):
            form["action"] = _SUBMIT_URL
            form["method"] = "post"
            _fill(soup, form)
    return _reporting(soup)


@lru_cache(maxsize=_REMEMBERED)
def previewed(page: str) -> str:
    """`page` to look at: every field of its forms is disabled."""
    soup = BeautifulSoup(page, "html.parser")
    for field in soup.find_all(_FIELDS):
        field["disabled"] = ""
    return _reporting(soup)


def filled_in(page: str, values: Mapping[str, str]) -> str:
    """`page` with an answer in its fields, which are disabled; several choices come with `|`."""
    soup = BeautifulSoup(page, "html.parser")
    for field in soup.find_all(_FIELDS):
        field["disabled"] = ""
        value = values.get(str(field.get("name", "")))
        if value is None:
            continue
        chosen = {value, *value.split("|")}
        if field.name == "textarea":
            field.string = value
        elif field.name == "select":
            for option in field.find_all("option"):
                _mark(option, "selected", is_on=str(option.get("value", option.text)) in chosen)
        elif field.get("type") in {"radio", "checkbox"}:
            _mark(field, "checked", is_on=str(field.get("value", "on")) in chosen)
        elif field.name == "input" and field.get("type") != "hidden":
            field["value"] = value
    return soup.decode(formatter="minimal")


def _mark(field: Tag, attribute: str, *, is_on: bool) -> None:
    if is_on:
        field[attribute] = ""
    else:
        del field[attribute]


def _reporting(soup: BeautifulSoup) -> str:
    script = soup.new_tag("script")
    script.string = _REPORT_HEIGHT
    (soup.body or soup).append(script)
    return soup.decode(formatter="minimal")


def _fill(soup: BeautifulSoup, form: Tag) -> None:
    field = form.find("input", attrs={"name": "assignmentId"})
    if not isinstance(field, Tag):
        field = soup.new_tag("input", attrs={"type": "hidden", "name": "assignmentId"})
        form.insert(0, field)
    field["value"] = _ASSIGNMENT_ID
