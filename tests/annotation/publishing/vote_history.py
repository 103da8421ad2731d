"""A batch with any history, and beside it a plain account of every vote that was given."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from mechanicalsoup.utils import LinkNotFoundError

from annotation.batches.operations.collected_answers import StoredAnswers, store_answers
from annotation.batches.operations.further_hits import add_hits
from annotation.batches.operations.news import collect_news
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.stop import batch_expire
from annotation.batches.operations.top_up import TOP_UP
from annotation.crowd.gateway import CrowdAssignment, Gateway
from annotation.labels.operations.decide import batch_label
from annotation.models import HIT, Batch, BatchQuery, Worker
from annotation.workers.operations.discard_votes import votes_discard, votes_restore
from annotation.workers.operations.exclude import worker_exclude
from metrics.errors import InputError
from tests.annotation.publishing.test_faults_of_collecting import xml
from tests.mturk_local.conftest import Annotator
from tests.performing import do

#: Workers of three kinds: with an account, of a panel, simulated.
KINDS = ("A", "APANEL", "ASIM")
CANNOT_TELL = "u"


@dataclass
class Given:
    """An answer as its worker sees it; `choices` by key of the query, none if unreadable.

    `counts` says of each choice that is stored whether it counts as far as the answer goes.
    """

    crowd: CrowdAssignment
    hit: HIT
    worker: int
    choices: dict[int, str]
    counts: dict[int, bool] = field(default_factory=dict)

    @property
    def is_rejected(self) -> bool:
        return self.crowd.status == "Rejected"


class History:
    """Does to a published batch what a step says, where it can be done, and writes it down."""

    def __init__(self, batch: Batch, gateway: Gateway) -> None:
        self.batch, self.gateway = batch, gateway
        self.given: list[Given] = []
        self.discarded: set[int] = set()
        self.verification: dict[int, str] = {}
        self.holders: dict[int, tuple[Annotator, str]] = {}

    def answer(self, hit: int, worker: int, choices: str, status: str) -> None:
        """A worker submits a HIT that they did not submit before, while it has a free place."""
        hits = list(self.batch.hits.filter(hit_id__isnull=False).order_by("index"))
        chosen = hits[hit % len(hits)]
        here = [one for one in self.given if one.hit == chosen]
        if len(here) >= chosen.max_assignments or worker in {one.worker for one in here}:
            return
        places = list(chosen.places.order_by("place").values_list("query_id", flat=True))
        fields = [
            (f"q-{place}-gender", choices[place].replace(CANNOT_TELL, "?"))
            for place in range(len(places))
        ]
        now = timezone.now()
        crowd = CrowdAssignment(
            assignment_id=f"{self.batch.name}-{len(self.given)}",
            worker_id=self.name(worker),
            hit_id=str(chosen.hit_id),
            status=status,
            answer=xml(("v", "2"), *fields) if "?" not in choices else "",
            accepted_at=now - timedelta(minutes=1),
            submitted_at=now,
        )
        read = {} if "?" in choices else dict(zip(places, choices, strict=False))
        one = Given(crowd, chosen, worker, read)
        self._store(one)
        for query, choice in read.items():
            before = self._others(one, query)
            if choice == CANNOT_TELL and before:
                continue  # there is one such answer of a worker to a query
            one.counts[query] = not one.is_rejected and not any(before)
        self.given.append(one)

    def review(self, answer: int, status: str) -> None:
        """Somebody approves or rejects an answer at the crowd itself."""
        if not self.given:
            return
        one = self.given[answer % len(self.given)]
        was_rejected = one.is_rejected
        one.crowd = replace(one.crowd, status=status)
        self._store(one)
        for query in one.counts:
            if one.is_rejected:
                one.counts[query] = False
            elif was_rejected:
                one.counts[query] = not any(self._others(one, query))

    def panel(self, worker: int, verification: str) -> None:
        """The panel's list approves a participant, or does not."""
        if KINDS[worker % len(KINDS)] == "APANEL":
            known = Worker.objects.filter(worker_id=self.name(worker))
            if known.update(verification=verification):
                self.verification[worker] = verification

    def discard(self, worker: int) -> None:
        try:
            votes_discard(
                batch=self.batch, worker_id=self.name(worker), reason="Why not.", actor="test"
            )
        except InputError:
            return
        self.discarded.add(worker)

    def restore(self, worker: int) -> None:
        try:
            votes_restore(
                batch=self.batch, worker_id=self.name(worker), reason="Why not.", actor="test"
            )
        except InputError:
            return
        self.discarded.discard(worker)

    def exclude(self, worker: int) -> None:
        """The worker gets no further HIT: what they answered counts as before."""
        for known in Worker.objects.filter(worker_id=self.name(worker)):
            with suppress(InputError):
                worker_exclude(batch=self.batch, worker=known, reason="Why not.", actor="test")

    def decide(self) -> None:
        with suppress(InputError):
            batch_label(batch=self.batch, actor="test")

    def top_up(self) -> None:
        do(TOP_UP, self.batch)
        self.batch.refresh_from_db()

    def further(self) -> None:
        """Another HIT asks for two answers to the queries of the first, and is published."""
        places = self.batch.hits.order_by("index")[0].places.select_related("query")
        queries = [one.query for one in places.order_by("place")]
        with transaction.atomic():
            add_hits(batch=self.batch, pages=[(2, queries)])
        publish_batch(batch_id=self.batch.pk, actor="test")
        self.batch.refresh_from_db()

    def stop(self) -> None:
        batch_expire(batch_id=self.batch.pk, actor="test")
        self.batch.refresh_from_db()

    def hold(self, hit: int, worker: int) -> None:
        """A worker accepts a HIT at the service, if it is offered, and keeps the page open."""
        hits = list(self.batch.hits.filter(hit_id__isnull=False).order_by("index"))
        chosen = str(hits[hit % len(hits)].hit_id)
        if worker not in self.holders:
            site = self.gateway.endpoint.removesuffix("/mturk/")
            self.holders[worker] = (Annotator(site, f"{self.batch.name}-{worker}"), "")
        guest, held = self.holders[worker]
        if not held and self.gateway.get_hit(chosen).available:
            with suppress(LinkNotFoundError):  # no button: they have held it before
                guest.accept(chosen)
                self.holders[worker] = (guest, chosen)
        collect_news()

    def leave(self, worker: int) -> None:
        """They give it back."""
        guest, held = self.holders.get(worker, (None, ""))
        if guest and held:
            guest.give_back()
            self.holders[worker] = (guest, "")
        collect_news()

    def name(self, worker: int) -> str:
        return f"{KINDS[worker % len(KINDS)]}{self.batch.name.upper()}X{worker}"

    def places(self) -> Counter[str]:
        """What became of each place, as the crowd service has the HITs."""
        found: Counter[str] = Counter()
        for hit in self.batch.hits.all():
            n_answers = sum(one.hit == hit for one in self.given)
            state, n_free, n_held = self._offer(hit, n_answers)
            found.update({"submitted": n_answers, "held": n_held})
            found[state] += n_free
        return +found

    def votes(self) -> Counter[str]:
        """What became of each vote on a query that is not a gold question, one after another."""
        study = set(
            BatchQuery.objects.filter(batch=self.batch, gold="").values_list("pk", flat=True)
        )
        found: Counter[str] = Counter()
        for one in self.given:
            found.update(self._states(one, study))
        for hit in self.batch.hits.all():
            n_answers = sum(one.hit == hit for one in self.given)
            state, n_free, n_held = self._offer(hit, n_answers)
            asked = len(study.intersection(hit.places.values_list("query_id", flat=True)))
            found["to_come"] += n_held * asked
            found["to_come" if state == "open" else state] += n_free * asked
        return +found

    def _offer(self, hit: HIT, n_answers: int) -> tuple[str, int, int]:
        """Of the places without an answer: the state of those that are free, these, those held."""
        there = self.gateway.get_hit(str(hit.hit_id))
        is_open = there.expires_at is not None and there.expires_at > timezone.now()
        n_without = there.max_assignments - n_answers
        n_held = min(there.pending, n_without)
        return "open" if is_open else "withdrawn", n_without - n_held, n_held

    def _states(self, one: Given, study: set[int]) -> Iterator[str]:
        for query in study.intersection(one.hit.places.values_list("query_id", flat=True)):
            if query not in one.choices:
                yield "unreadable"
            elif not one.counts.get(query, False):
                stored_and_rejected = query in one.counts and one.is_rejected
                yield "rejected" if stored_and_rejected else "repeated"
            elif one.worker in self.discarded:
                yield "discarded"
            elif KINDS[one.worker % len(KINDS)] == "APANEL" and self._verdict(one) != "verified":
                yield "unverified" if self._verdict(one) == "waiting" else "not_approved"
            else:
                yield "cannot_tell" if one.choices[query] == CANNOT_TELL else "counted"

    def _verdict(self, one: Given) -> str:
        return self.verification.get(one.worker, "waiting")

    def _others(self, than: Given, query: int) -> list[bool]:
        """Of the worker's other stored answers to the query of the same kind: whether they count.

        Votes are one kind, and who cannot tell is the other.
        """
        is_vote = than.choices[query] != CANNOT_TELL
        return [
            one.counts[query]
            for one in self.given
            if one is not than
            and one.worker == than.worker
            and query in one.counts
            and (one.choices[query] != CANNOT_TELL) == is_vote
        ]

    def _store(self, one: Given) -> None:
        store_answers(one.hit, [one.crowd], StoredAnswers())
