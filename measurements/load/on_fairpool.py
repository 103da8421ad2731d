"""Annotators of Fairpool's own crowd service: `locust -f measurements/load/on_fairpool.py`.

Every second person comes by an account with a password, every other one by a panel's link.
"""

import re

from measurements.load.annotators import JOURNAL, Annotator, NothingLeftError, Shown
from measurements.load.people import PANEL, PASSWORD, category

STATIC = ("/static/fairpool.css", "/static/mturk_local/annotate.css")
_ATTRIBUTE = r'[^>]*? {}="([^"]*)"'
_GROUP = r'href="(/annotate/groups/[^"]+)"'


class FairpoolAnnotator(Annotator):
    """Accepts a HIT of the list, answers in the frame, and gets the next one at once."""

    #: The page of the HIT in hand.
    _in_hand: Shown | None = None

    def sign_in(self) -> None:
        if self.number % 2:
            form = self.open("/annotate/sign-in/", "sign-in page")
            fields = {
                "csrfmiddlewaretoken": form.token(),
                "username": self.person,
                "password": PASSWORD,
            }
            page = self.send("/annotate/sign-in/", fields, "sign in, first list", form.url)
        else:
            link = f"/annotate/panel/{PANEL}/?PROLIFIC_PID={self.person}&STUDY_ID=s&SESSION_ID=1"
            page = self.open(link, "panel's link, first list")
        for file in (*STATIC, "/static/mturk_local/annotate.js"):
            self.open(file, "style and script")
        self._group = page.need(_GROUP)

    def one_task(self) -> None:
        page = self._in_hand or self._accept()
        if page is None:
            return
        self._in_hand = None
        inner = self.open(self._frame(page), "task in the frame")
        self.think()
        self._answer(inner)
        fields = {"csrfmiddlewaretoken": page.token(), "at_once": "on"}
        following = self.send(
            page.need(r'<form id="next" method="post" action="([^"]+)"'),
            fields,
            "continue to the next HIT",
            page.url,
        )
        if "?submitted" in following.url:
            self._in_hand = following

    def _accept(self) -> Shown | None:
        """The page of a HIT taken from the list; None where somebody else was quicker."""
        self.glance()
        page = self.open(self._group, "preview")
        self.open(self._frame(page), "preview in the frame")
        self.glance()
        accept = page.need(r'<form class="actions" method="post" action="([^"]+/accept/)"')
        taken = self.send(accept, {"csrfmiddlewaretoken": page.token()}, "accept", page.url)
        return None if taken.status == self.gone else taken

    def _frame(self, page: Shown) -> str:
        return page.need("<iframe" + _ATTRIBUTE.format("src"))

    def _answer(self, inner: Shown) -> None:
        qids = re.findall(r'data-qid="([^"]+)"', inner.text)
        if not qids:
            raise NothingLeftError
        fields = {
            name: inner.need(f'<input[^>]*? name="{name}"[^>]*? value="([^"]*)"')
            for name in ("assignmentId", "v")
        }
        fields |= {
            f"q-{place}-gender": category(self.person, qid) for place, qid in enumerate(qids)
        }
        # The form's address is absolute, like the one that Amazon's pages send to.
        action = inner.need(r"<form" + _ATTRIBUTE.format("action"))
        taken = self.send(action, fields, "submit the answer", inner.url)
        if taken.status == 200:
            JOURNAL.answer(self.person, fields["assignmentId"], qids)
