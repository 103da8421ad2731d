"""People who try the market out by hand: they come as participants, and come back with a code."""

import secrets
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from annotation.prolific.double.market import Market
from annotation.prolific.double.refusals import RefusalError
from annotation.prolific.double.task_pages import AT, form_for, take_answers

#: Where somebody comes as a new participant, before the id of the study; and where they come back.
COME, BACK = "/rehearsal/", "/submissions/complete"
_COOKIE = "submission"


class Page(NamedTuple):
    """A page, or where it leads; `cookie` is for the browser to keep, `form` is HTML."""

    text: str = ""
    form: str = ""
    leads_to: str = ""
    cookie: str = ""


def page_for(market: Market, method: str, target: str, cookies: str, raw: bytes) -> Page | None:
    """The page at `target`; None where the address is not one of these."""
    address = urlsplit(target)
    if address.path.startswith(AT) and method == "POST":
        return _submit(market, address.path.removeprefix(AT), raw)
    if method != "GET":
        return None
    if address.path.startswith(AT):
        return _tasks(market, address.path.removeprefix(AT))
    if address.path.startswith(COME):
        return _come(market, address.path.removeprefix(COME).strip("/"))
    if address.path == BACK:
        codes = parse_qs(address.query).get("cc", [""])
        return _come_back(market, codes[-1], cookies)
    return None


def _submit(market: Market, submission_id: str, raw: bytes) -> Page:
    fields = parse_qs(raw.decode("utf-8", "replace"), keep_blank_values=True)
    try:
        with market.lock:
            status = take_answers(market, submission_id, fields)
    except RefusalError as error:
        return Page(f"That cannot be submitted: {error.detail}")
    return Page(f"Submitted: {status.lower()}.")


def _tasks(market: Market, submission_id: str) -> Page:
    try:
        with market.lock:
            return Page("Prolific shows the questions here.", form_for(market, submission_id))
    except RefusalError as error:
        return Page(f"There is nothing to answer: {error.detail}")


def _come(market: Market, study_id: str) -> Page:
    try:
        with market.lock:
            visit = market.arrive(study_id, secrets.token_hex(12))
    except RefusalError:
        return Page("There is no such study.")
    if visit is None:
        return Page("No place of this study is free.")
    held = f"{_COOKIE}={visit.submission.submission_id}; Path=/; HttpOnly; SameSite=Lax"
    return Page(leads_to=visit.url, cookie=held)


def _come_back(market: Market, code: str, cookies: str) -> Page:
    try:
        morsel = SimpleCookie(cookies).get(_COOKIE)
        with market.lock:
            submission = market.come_back(morsel.value if morsel else "", code)
            if submission.return_requested:  # people do as they are asked
                market.leave(submission.submission_id, "RETURNED")
    except (RefusalError, CookieError) as error:
        return Page(f"That cannot be submitted: {getattr(error, 'detail', error)}")
    return Page(f"Submitted with the code {code}: {submission.status.lower()}.")


def html_of(page: Page) -> bytes:
    """The page as it is sent, with the word that it is a rehearsal."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<style>:root { color-scheme: light dark; font-family: sans-serif; line-height: 1.5 }"
        " body { max-width: 45rem; margin: 1rem auto; padding: 0 1rem }"
        " label { display: block; padding: .3rem }</style>"
        "<title>Rehearsal of Prolific</title><body><h1>Rehearsal of Prolific</h1>"
        f"<p>{escape(page.text)}</p>{page.form}"
        "<p>No people, no money: this market is on this machine.</p>"
    ).encode()
