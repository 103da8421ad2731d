"""Somebody who sends hostile events to a site while participants come and go at the market."""

import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.test import Client
from django.urls import reverse

from annotation.jobs.execution import run_job
from annotation.models import ProlificEvent, ProlificStudy, Task
from annotation.prolific.double.hooks import Event
from annotation.prolific.double.market import Market
from annotation.prolific.events import signature
from annotation.vocabulary import TaskState

#: Messages between two looks of the worker.
_BETWEEN_JOBS = 40
#: Participants at most: a reading takes all of them.
_PARTICIPANTS = 60
_STATUSES = ("ACTIVE", "APPROVED", "REJECTED", "RETURNED", "AWAITING REVIEW", "TIMED-OUT")

Message = tuple[bytes, dict[str, str]]


@dataclass
class Played:
    """Counts by the kind of message; `wrong` in words; seconds of each answer."""

    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def sent(self) -> int:
        return self.kinds.total()

    def told(self) -> dict[str, Any]:
        milliseconds = sorted(1000 * one for one in self.seconds)
        return {
            "sent": self.sent,
            "kinds": dict(sorted(self.kinds.items())),
            "wrong": len(self.wrong),
            "median ms": round(statistics.median(milliseconds), 1),
            "99 % ms": round(milliseconds[int(len(milliseconds) * 0.99)], 1),
        }


class Hostility:
    """Somebody between Prolific's double and the site, who can do all but sign."""

    def __init__(self, market: Market, row: ProlificStudy, seed: int) -> None:
        self.market, self.row = market, row
        self.chance = random.Random(seed)
        self.played = Played()
        #: Genuine events that were taken, and messages that were.
        self._taken: set[str] = set()
        self._heard: list[Message] = []
        self._delayed: list[Event] = []
        self._told: set[str] = set()
        self._participants = 0
        study = market.studies[str(row.study_id)]
        study.terms["total_available_places"] = _PARTICIPANTS
        self._site, self._address = Client(), reverse("prolific-event", args=[market.workspace_id])

    def play(self, n: int) -> Played:
        """Send `n` messages, let the worker work, and compare what is stored with the truth."""
        tricks: dict[str, Callable[[], None]] = {
            "genuine": self._genuine,
            "duplicated": self._duplicated,
            "disordered": self._disordered,
            "lying": self._lying,
            "replayed late": self._replayed_late,
            "replayed under another id": self._renamed,
            "forged": self._forged,
            "changed": self._changed,
            "re-serialised": self._reserialised,
            "unsigned": self._unsigned,
            "of another workspace": self._elsewhere,
            "saying nothing": self._nothing,
        }
        while self.played.sent < n:
            self._live()
            name = self.chance.choice(list(tricks))
            before = len(self.played.seconds)
            tricks[name]()
            self.played.kinds[name] += len(self.played.seconds) - before
            if self.chance.random() < 1 / _BETWEEN_JOBS:
                self._work()
                self._compare()
        for event in self._new():
            self._carry(event)
        for event in self._delayed:
            self._carry(event)
        self._work()
        self._compare(at_the_end=True)
        return self.played

    # What happens at the market, and here

    def _live(self) -> None:
        """Somebody comes, hands in or leaves."""
        study = str(self.row.study_id)
        active = [one for one in self.market.of_study(study) if one.status == "ACTIVE"]
        turn = self.chance.random()
        if turn < 0.3 and self._participants < _PARTICIPANTS:
            self._participants += 1
            self.market.arrive(study, f"{self._participants:024x}")
        elif active and turn < 0.4:
            one = self.chance.choice(active)
            self.market.come_back(one.submission_id, self.row.codes["completed"])
        elif active and turn < 0.5:
            one = self.chance.choice(active)
            self.market.leave(one.submission_id, self.chance.choice(("RETURNED", "TIMED-OUT")))

    def _work(self) -> None:
        while run_job() is not None:
            pass

    def _compare(self, *, at_the_end: bool = False) -> None:
        """What is stored is what is so there, each genuine event once; nobody was approved."""
        rows = dict(self.row.submissions.values_list("submission_id", "status"))
        true = {one.submission_id: one.status for one in self.market.submissions.values()}
        false = [one for one, status in rows.items() if at_the_end and true.get(one) != status]
        strange = [one for one in rows if one not in true]
        self._check(not false and not strange, f"stored is what is not so: {false} {strange}")
        self._check(not at_the_end or len(rows) == len(true), "somebody is missing")
        stored = list(ProlificEvent.objects.values_list("event_id", flat=True))
        self._check(sorted(stored) == sorted(self._taken), "stored are other events than genuine")
        left = ProlificEvent.objects.filter(worked_off_at=None).exists()
        self._check(not left, "an event was not worked off")
        failed = Task.objects.filter(state=TaskState.FAILED)
        self._check(not failed.exists(), f"failed: {[one.error for one in failed]}")
        self._check("APPROVED" not in set(rows.values()), "somebody is approved")

    # Messages

    def _new(self) -> list[Event]:
        """Events that were not carried yet, in their order."""
        found = [
            event
            for subscription in self.market.hooks.subscriptions.values()
            for event in subscription.events
            if event.event_id not in self._told
        ]
        self._told |= {event.event_id for event in found}
        return sorted(found, key=lambda one: one.event_id)

    def _carry(self, event: Event) -> None:
        message = self.market.hooks.message(event)
        self._send(message, 200, event.event_id)

    def _genuine(self) -> None:
        for event in self._new():
            self._carry(event)

    def _disordered(self) -> None:
        self._delayed += self._new()
        self.chance.shuffle(self._delayed)
        while len(self._delayed) > 5:
            self._carry(self._delayed.pop())

    def _duplicated(self) -> None:
        if self._heard:
            self._send(self.chance.choice(self._heard), 200)

    def _lying(self) -> None:
        """Signed, and not true: as if Prolific itself were wrong."""
        for event in self._new():
            event.payload |= {"status": self.chance.choice(_STATUSES), "participant_id": "f" * 24}
            self._carry(event)

    def _replayed_late(self) -> None:
        """Signed long ago: known ones are only acknowledged, others refused."""
        event = self._any_event()
        if event is None:
            return
        body, headers = self.market.hooks.message(event)
        past = str(int(time.time()) - self.chance.randint(301, 10**7))
        headers |= {
            "X-Prolific-Request-Timestamp": past,
            "X-Prolific-Request-Signature": signature(self.market.hooks.secret, past, body),
        }
        self._send((body, headers), 200 if event.event_id in self._taken else 403)

    def _renamed(self) -> None:
        """The id is not signed, so that it is taken for another event; reading tells the truth."""
        if self._heard:
            body, headers = self.chance.choice(self._heard)
            is_of_now = time.time() - int(headers["X-Prolific-Request-Timestamp"]) < 290
            name = f"again-{len(self._taken)}"
            if is_of_now:
                self._send((body, headers | {"X-Event-ID": name}), 200, name)

    def _forged(self) -> None:
        body, headers = self._invented()
        timestamp = headers["X-Prolific-Request-Timestamp"]
        guessed = signature(f"{self.chance.random()}", timestamp, body)
        self._send((body, headers | {"X-Prolific-Request-Signature": guessed}), 403)

    def _changed(self) -> None:
        if self._heard:
            body, headers = self.chance.choice(self._heard)
            wire = json.loads(body) | {"status": self.chance.choice(_STATUSES), "by": "somebody"}
            name = {"X-Event-ID": f"changed-{self.played.sent}"}
            self._send((json.dumps(wire).encode(), headers | name), 403)

    def _reserialised(self) -> None:
        if self._heard:
            body, headers = self.chance.choice(self._heard)
            other = json.dumps(json.loads(body), indent=self.chance.choice((1, 2, 4))).encode()
            self._send((other, headers), 403)

    def _unsigned(self) -> None:
        body, headers = self._invented()
        given = self.chance.choice(("", "AAAA", "\x00", headers["X-Prolific-Request-Signature"]))
        timestamp = self.chance.choice(("", "0", "-1", "9" * 30, "1e9", "\u0661"))
        given_headers = {
            "X-Prolific-Request-Signature": given.strip("\x00"),
            "X-Prolific-Request-Timestamp": timestamp if timestamp.isascii() else "",
        }
        self._send((body, headers | given_headers), 403)

    def _elsewhere(self) -> None:
        """Genuine, brought to the address of a workspace that is not here."""
        if self._heard:
            address = self._address.replace(self.market.workspace_id, "0" * 24)
            self._send(self.chance.choice(self._heard), 403, address=address)

    def _nothing(self) -> None:
        """Signed bytes that are not an event."""
        said: list[Any] = [[], {}, None, "x", {"event_type": 1}, {"event_type": "x"}]
        whole = {"event_type": "submission.status.change"}
        said += [whole | {"resource_id": one} for one in ("", "../me", "6" * 23, None, ["6" * 24])]
        raw = [json.dumps(one).encode() for one in said]
        raw += [b"", b"\xff\xfe", b"[" * 60_000, b'{"a":' * 10_000, b"x" * 60_000]
        body = self.chance.choice(raw)
        timestamp = str(int(time.time()))
        headers = {
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": signature(self.market.hooks.secret, timestamp, body),
            "X-Event-ID": f"nothing-{self.played.sent}",
        }
        self._send((body, headers), 400)

    def _any_event(self) -> Event | None:
        every = [one for sub in self.market.hooks.subscriptions.values() for one in sub.events]
        return self.chance.choice(every) if every else None

    def _invented(self) -> Message:
        resource = self.chance.choice(
            [*self.market.submissions, f"{self.chance.getrandbits(95):024x}"]
        )
        event = Event(
            f"invented-{self.played.sent}", "submission.status.change", resource,
            {
                "event_type": "submission.status.change",
                "resource_id": resource,
                "status": self.chance.choice(_STATUSES),
            },
            "", "2026-01-01T00:00:00Z",
        )  # fmt: skip
        return self.market.hooks.message(event)

    def _send(
        self, message: Message, expected: int, event_id: str = "", *, address: str = ""
    ) -> None:
        body, headers = message
        began = time.perf_counter()
        reply = self._site.post(
            address or self._address, body, content_type="application/json", headers=headers
        )
        self.played.seconds.append(time.perf_counter() - began)
        self._check(reply.status_code == expected, f"{reply.status_code} for {expected}: {headers}")
        if event_id and reply.status_code == 200:
            self._taken.add(event_id)
            self._heard.append(message)

    def _check(self, holds: bool, what: str) -> None:
        if not holds:
            self.played.wrong.append(what)
