"""Annotators who do not give up: what fails is tried again, what was taken is written down."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from http import HTTPStatus

import requests

from measurements.load.people import category
from tests.mturk_local.conftest import Guest

_PATIENCE_SECONDS = 240


class UnwellError(Exception):
    """The site said that something is wrong with it."""


class Journal:
    """The answers that the site said it had taken: (assignment, worker, query), and how often."""

    def __init__(self) -> None:
        self.taken: Counter[tuple[str, str, str]] = Counter()
        self.errors = 0
        self._lock = threading.Lock()

    def take(self, assignment_id: str, worker_id: str, qid: str) -> None:
        with self._lock:
            self.taken[assignment_id, worker_id, qid] += 1

    def fail(self) -> None:
        with self._lock:
            self.errors += 1


class Person(threading.Thread):
    """Walks through the HITs, in an order of its own, until none is left for it."""

    def __init__(
        self, site: str, worker_id: str, link: str, hit_ids: Sequence[str], into: Journal
    ) -> None:
        super().__init__(name=worker_id)
        self._guest = Guest(site)
        self._worker_id, self._link, self._journal = worker_id, link, into
        self._hit_ids = random.Random(worker_id).sample(list(hit_ids), len(hit_ids))
        self.gave_up = ""

    def run(self) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        self._insist(lambda: self._open(self._link), deadline)
        for hit_id in self._hit_ids:
            self._insist(lambda: self._do(hit_id), deadline)  # noqa: B023 - called at once
        self._guest.browser.close()

    def _insist(self, act: Callable[[], object], deadline: float) -> None:
        while not self.gave_up:
            try:
                act()
            except (requests.RequestException, UnwellError) as error:
                self._journal.fail()
                if time.monotonic() > deadline:
                    self.gave_up = repr(error)
                time.sleep(0.1)
            else:
                return

    def _do(self, hit_id: str) -> None:
        self._open(f"{self._guest.site}hits/{hit_id}/")
        browser = self._guest.browser
        if browser.page.select_one('form[action$="/accept/"]'):
            browser.select_form('form[action$="/accept/"]')
            _well(browser.submit_selected(timeout=30))
        if "/assignments/" not in browser.url:
            return
        self._open(browser.absolute_url(browser.page.select_one("iframe")["src"]))
        (qid,) = [one["data-qid"] for one in browser.page.select("section[data-qid]")]
        browser.select_form("form")
        browser["q-0-gender"] = category(self._worker_id, qid)
        assignment_id = browser.page.select_one("input[name=assignmentId]")["value"]
        reply = _well(browser.submit_selected(timeout=30))
        if reply.status_code == HTTPStatus.OK:
            self._journal.take(assignment_id, self._worker_id, qid)

    def _open(self, url: str) -> None:
        _well(self._guest.browser.open(url, timeout=30))


def _well(reply: requests.Response) -> requests.Response:
    if reply.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise UnwellError(f"{reply.status_code} at {reply.url}")
    return reply
