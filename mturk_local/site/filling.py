"""Filling what was typed into the form of a page. Stores nothing, and sends nothing."""

from collections.abc import Iterable
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string

_FIELDS = ["button", "input", "select", "textarea"]
_UNTOUCHED = {"hidden", "password", "file", "submit"}


class Typed(Protocol):
    """A form as it was typed, its page, and where it is sent; "" if it is filled in already."""

    @property
    def to(self) -> str: ...
    @property
    def page(self) -> str: ...
    @property
    def has_files(self) -> bool: ...
    @property
    def values(self) -> QueryDict: ...


def with_typed(html: str, typed: Typed, template: str, request: HttpRequest) -> str:
    """The page with what was typed in its form, and a notice, with what has no field there."""
    soup = BeautifulSoup(html, "html.parser")
    lost = _fill(soup, typed) if typed.to else {}
    context = {"lost": lost, "has_files": typed.has_files}
    notice = BeautifulSoup(render_to_string(template, context, request), "html.parser")
    (soup.main or soup).insert(0, notice)
    return soup.decode(formatter="minimal")


def _fill(soup: BeautifulSoup, typed: Typed) -> dict[str, list[str]]:
    """Fill in the form; return the values whose fields are not there any more."""
    values = dict(typed.values.lists())
    form = _form(soup, typed, values)
    if form is None:
        return values
    for details in (*form.find_parents("details"), *form.find_all("details")):
        details["open"] = ""
    linked = soup.find_all(_FIELDS, attrs={"form": form["id"]}) if form.get("id") else []
    for field in (*form.find_all(_FIELDS), *linked):
        _fill_field(field, values)
    names = {str(field.get("name")) for field in (*form.find_all(_FIELDS), *linked)}
    return {name: several for name, several in values.items() if name not in names and any(several)}


def _form(soup: BeautifulSoup, typed: Typed, values: dict[str, list[str]]) -> Tag | None:
    """The form that is sent there; of several the one about the same thing."""

    def leads_there(form: Tag) -> bool:
        ways = [form.get("action"), *(b.get("formaction") for b in form.select("[formaction]"))]
        return any(urlsplit(urljoin(typed.page, str(way or ""))).path == typed.to for way in ways)

    def same(form: Tag) -> int:
        hidden = form.select("input[type=hidden][name]")
        return sum(str(own.get("value")) in values.get(str(own["name"]), []) for own in hidden)

    forms = [form for form in soup.select("form[method=post]") if leads_there(form)]
    return max(forms, key=same, default=None)


def _fill_field(field: Tag, values: dict[str, list[str]]) -> None:
    kind, typed = field.get("type"), values.get(str(field.get("name")), [])
    if field.name == "button" or kind in _UNTOUCHED:
        return
    if kind in {"checkbox", "radio"}:
        _mark([field], "checked", typed)
    elif field.name == "select":
        _mark(field.find_all("option"), "selected", typed)
    elif typed and field.name == "textarea":
        field.string = typed[0]
    elif typed:
        field["value"] = typed[0]


def _mark(choices: Iterable[Tag], attribute: str, chosen: list[str]) -> None:
    for choice in choices:
        default = "on" if attribute == "checked" else choice.get_text()
        if str(choice.get("value", default)) in chosen:
            choice[attribute] = ""
        else:
            del choice[attribute]
