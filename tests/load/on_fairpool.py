"""Annotators of Fairpool's own crowd service: `locust -f tests/load/on_fairpool.py`.

Every second person comes by an account with a password, every other one by a panel's link.
"""

import re

from tests.load.annotators import JOURNAL, Annotator, NothingLeftError, Shown
from tests.load.people import PANEL, PASSWORD, category

STATIC = ("/static/fairpool.css", "/static/mturk_local/annotate.css")
_ATTRIBUTE = r'[^>]*? {}="([^"]*)"'
_GROUP = r'href="(/annotate/groups/[^"]+)"'


class FairpoolAnnotator(Annotator):
    """Walks from the list to a preview, accepts, answers in the frame, and goes on."""

    def sign_in(self) -> None:
        if self.number % 2:
            asked = self.open("/annotate/sign-in/", "sign-in page")
            fields = {
                "csrfmiddlewaretoken": asked.token(),
                "username": self.person,
                "password": PASSWORD,
            }
            page = self.send("/annotate/sign-in/", fields, "sign in, first list", asked.url)
        else:
            link = f"/annotate/panel/{PANEL}/?PROLIFIC_PID={self.person}&STUDY_ID=s&SESSION_ID=1"
            page = self.open(link, "panel's link, first list")
        for file in (*STATIC, "/static/mturk_local/annotate.js"):
            self.open(file, "style and script")
        self._next = page.need(_GROUP)

    def one_task(self) -> None:
        self.glance()
        page = self.open(self._next, "continue to the next HIT")
        if "/groups/" not in page.url:
            page = self.open(page.need(_GROUP), "continue to the next HIT")
        self.open(self._frame(page), "preview in the frame")
        self.glance()
        accept = page.need(r'<form class="actions" method="post" action="([^"]+/accept/)"')
        fields = {"csrfmiddlewaretoken": page.token()}
        page = self.send(accept, fields, "accept", page.url)
        if page.status == self.gone:
            return
        inner = self.open(self._frame(page), "task in the frame")
        self._next = page.need(r'data-next="([^"]+)"')
        self.think()
        self._answer(inner)

    def _frame(self, page: Shown) -> str:
        return page.need("<iframe" + _ATTRIBUTE.format("src"))

    def _answer(self, inner: Shown) -> None:
        qids = re.findall(r'<fieldset data-qid="([^"]+)"', inner.text)
        if not qids:
            raise NothingLeftError
        fields = {
            name: inner.need(f'<input[^>]*? name="{name}"[^>]*? value="([^"]*)"')
            for name in ("assignmentId", "v")
        }
        fields |= {f"q-{place}": category(self.person, qid) for place, qid in enumerate(qids)}
        # The form's address is absolute, like the one that Amazon's pages send to.
        action = inner.need(r"<form" + _ATTRIBUTE.format("action"))
        taken = self.send(action, fields, "submit the answer", inner.url)
        if taken.status == 200:
            JOURNAL.answer(self.person, fields["assignmentId"], qids)
