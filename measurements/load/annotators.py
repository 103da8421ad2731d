"""People at work, for locust: what is the same on every site.

A person signs in, opens a task, thinks, answers, goes on. `LOAD_THINKING` is the mean number of
seconds that one page of queries takes; `LOAD_JOURNAL` is the file that tells what happened.
"""

import html
import itertools
import os
import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin

import gevent
from locust import FastHttpUser, events, task

from measurements.load.journal import Journal
from measurements.load.people import name_of

THINKING = float(os.environ.get("LOAD_THINKING", "30"))
JOURNAL = Journal()
NUMBERS = itertools.count(1)
_FORM = '<input type="hidden" name="csrfmiddlewaretoken" value="([^"]+)"'


@events.request.add_listener  # type: ignore[untyped-decorator]
def _note(name: str, response_time: float, exception: Exception | None, **_: Any) -> None:
    JOURNAL.page(name, response_time, str(exception or ""))


@events.quitting.add_listener  # type: ignore[untyped-decorator]
def _write(**_: Any) -> None:
    used = os.times()
    JOURNAL.write(Path(os.environ["LOAD_JOURNAL"]), cpu_seconds=used.user + used.system)


class NothingLeftError(Exception):
    """The site offers this person no task."""


class Annotator(FastHttpUser):
    """Browses one site as a person with a browser does, one click after another."""

    abstract = True
    #: What a site may answer to a person who did nothing wrong: somebody else was quicker.
    gone = 409

    def on_start(self) -> None:
        self.number = next(NUMBERS)
        self.person = name_of(self.number)
        self._chance = random.Random(self.number)
        self.sign_in()

    @task
    def work(self) -> None:
        """One task, from opening it to going on."""
        try:
            self.one_task()
        except NothingLeftError as missing:
            JOURNAL.page("nothing left", 0, f"no task for this person: {missing}")
            gevent.sleep(5)

    def sign_in(self) -> None:
        raise NotImplementedError

    def one_task(self) -> None:
        raise NotImplementedError

    def think(self) -> None:
        """People differ, and so do pages: between half and one and a half of the mean."""
        gevent.sleep(THINKING * self._chance.uniform(0.5, 1.5))

    def glance(self) -> None:
        """The moment between two clicks."""
        gevent.sleep(min(1.0, THINKING / 10) * self._chance.uniform(0.5, 1.5))

    def open(self, path: str, name: str) -> "Shown":
        with self.client.get(path, name=name, catch_response=True) as reply:
            return self._shown(reply, path)

    def send(self, path: str, fields: dict[str, str], name: str, referer: str) -> "Shown":
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Referer": urljoin(str(self.host), referer),
        }
        with self.client.post(
            path, data=urlencode(fields), headers=headers, name=name, catch_response=True
        ) as reply:
            return self._shown(reply, path)

    def _shown(self, reply: Any, path: str) -> "Shown":
        if reply.status_code == self.gone:
            reply.success()
        elif not 200 <= reply.status_code < 300:
            reply.failure(f"{reply.status_code} {reply.error or ''} at {reply.url}")
        return Shown(reply.status_code, str(reply.url or path), reply.text or "")


class Shown:
    """A page as it came: its status, its address after redirects, its HTML."""

    def __init__(self, status: int, url: str, text: str) -> None:
        self.status, self.url, self.text = status, url, text

    def find(self, pattern: str) -> str | None:
        """The first group of `pattern` in the page, with character references resolved."""
        match = re.search(pattern, self.text, re.DOTALL)
        return html.unescape(match[1]) if match else None

    def need(self, pattern: str) -> str:
        group = self.find(pattern)
        if group is None:
            raise NothingLeftError(f"{self.title()!r} at {self.url}")
        return group

    def title(self) -> str:
        return self.find("<h1>(.*?)</h1>") or ""

    def token(self) -> str:
        return self.need(_FORM)
