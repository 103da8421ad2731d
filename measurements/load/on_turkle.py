"""Annotators of Turkle: `locust -f measurements/load/on_turkle.py`. Everybody has an account."""

import re

from measurements.load.annotators import JOURNAL, Annotator, NothingLeftError
from measurements.load.people import PASSWORD, category

STATIC = (
    "/static/turkle/css/turkle.css",
    "/static/turkle/bootstrap-4.1.3/css/bootstrap.min.css",
    "/static/turkle/jquery-3.3.1.min.js",
)
_NEXT = r'href="(/batch/\d+/preview_next_task/)"'
_FRAME = r'<iframe src="([^"]+)"'


class TurkleAnnotator(Annotator):
    """Walks from the list to a preview, accepts, answers in the frame, and goes on."""

    def sign_in(self) -> None:
        form = self.open("/login/", "sign-in page")
        fields = {
            "csrfmiddlewaretoken": form.token(),
            "username": self.person,
            "password": PASSWORD,
        }
        page = self.send("/login/", fields, "sign in, first list", form.url)
        for file in STATIC:
            self.open(file, "style and script")
        self._next = page.need(_NEXT)

    def one_task(self) -> None:
        self.glance()
        page = self.open(self._next, "continue to the next HIT")
        self.open(page.need(_FRAME), "preview in the frame")
        self.glance()
        accept = page.need(r'<form method="post" action="([^"]+/accept_task/\d+/)"')
        page = self.send(accept, {"csrfmiddlewaretoken": page.token()}, "accept", page.url)
        if "/assignment/" not in page.url:
            # Somebody else was quicker.
            return
        inner = self.open(page.need(_FRAME), "task in the frame")
        self.think()
        qids = re.findall(r'data-qid="([^"]+)"', inner.text)
        if not qids:
            raise NothingLeftError(inner.url)
        fields = {f"q-{place}-gender": category(self.person, qid) for place, qid in enumerate(qids)}
        fields |= {"csrfmiddlewaretoken": inner.token(), "v": "2"}
        action = inner.need(r'<form[^>]*? action="([^"]*)"')
        taken = self.send(action, fields, "submit the answer", inner.url)
        if taken.status == 200 and "/assignment/" not in taken.url:
            JOURNAL.answer(self.person, action.rstrip("/").rpartition("/")[2], qids)
