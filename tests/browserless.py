"""Pressing a button of a page as a browser would, with what is typed in its form."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from django.test import Client


class Sending(NamedTuple):
    """What a browser sends once a button is pressed."""

    to: str
    data: dict[str, Any]
    is_post: bool
    page: str


def sending(html: bytes, page: str, words: str, typed: Mapping[str, Any] | None = None) -> Sending:
    """What the button with these words sends, after typing into its form."""
    soup = BeautifulSoup(html, "html.parser")
    button = next(one for one in soup.select("main button") if words in one.get_text())
    owner = button.get("form")
    form = soup.find("form", id=owner) if owner else button.find_parent("form")
    assert isinstance(form, Tag)
    data = dict(_sent(soup, form)) | dict(typed or {})
    if name := button.get("name"):
        data[str(name)] = button.get("value", "")
    action = str(button.get("formaction") or form.get("action") or page)
    to = urljoin(page, urlsplit(action)._replace(fragment="").geturl() or page)
    return Sending(to, data, form.get("method") == "post", page)


def send(client: Client, sent: Sending, **options: Any) -> Any:
    """The reply to it; a browser says from which page it comes."""
    headers = {"Referer": f"http://testserver{sent.page}"}
    if sent.is_post:
        return client.post(sent.to, sent.data, headers=headers, **options)
    address = f"{urlsplit(sent.to).path}?{urlencode(sent.data, doseq=True)}"
    return client.get(address, headers=headers, **options)


def press(
    client: Client, page: str, words: str, typed: Mapping[str, Any] | None = None, **options: Any
) -> Any:
    """The reply to the button with these words on `page`, after typing; no other is pressed."""
    return send(client, sending(client.get(page).content, page, words, typed), **options)


def _sent(page: BeautifulSoup, form: Tag) -> Iterator[tuple[str, Any]]:
    """The fields of a form with their values."""
    own = form.select("input[name], select[name], textarea[name]")
    linked = page.select(f'[form="{form["id"]}"]') if form.get("id") else []
    for field in (*own, *linked):
        kind, name = field.get("type"), str(field.get("name"))
        if field.name == "button" or kind in {"submit", "file"}:
            continue
        if kind in {"checkbox", "radio"} and not field.has_attr("checked"):
            continue
        if field.name == "select":
            options = field.select("option")
            chosen = [one for one in options if one.has_attr("selected")] or options[:1]
            yield name, [str(one.get("value", one.get_text())) for one in chosen]
        elif field.name == "textarea":
            yield name, field.get_text()
        else:
            yield name, field.get("value", "on" if kind in {"checkbox", "radio"} else "")
