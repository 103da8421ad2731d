"""One batch with everything that can be done to it: people, answers, a study on Prolific, bonuses.

Stages are states of it one after another; each is kept and brought back for every trial.
"""

import copy
import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.adaptive_policy import BEGIN_ADAPTIVE
from annotation.batches.operations.approve_answer import APPROVE_ANSWER
from annotation.batches.operations.batches import create_batch
from annotation.batches.operations.budget import BUDGET
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.plan_round import PLAN_ROUND
from annotation.batches.operations.planning import BatchPlan, PlannedQuery
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.moving import PAUSE_STUDY
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.refresh import REFRESH
from annotation.batches.operations.reject_answer import REJECT_ANSWER
from annotation.core.operations import Actor, AnyOperation
from annotation.core.perform import estimate, perform_here
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.operations.decide import LABEL
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.language_models.double import ModelDouble
from annotation.language_models.double import serving as serving_model
from annotation.models import Assignment, Batch, ProlificBonusSet, Study, Task
from annotation.prolific.client import OutcomeUnknownError
from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving
from annotation.schemes import built_in_scheme
from annotation.schemes.texts import scheme_from_yaml
from annotation.task_page import PageTexts
from annotation.vocabulary import BonusSetState
from annotation.workers.operations.discard_votes import DISCARD_VOTES
from annotation.workers.operations.exclude import EXCLUDE
from metrics.io.pair_ids import pair_id
from mturk_local.keys import key_file_ensure
from mturk_local.models import HIT, Inquiry, Requester, Worker
from tests.annotation.publishing.panels import HEADER
from tests.annotation.publishing.prolific.conftest import FaultyMarket
from tests.live_server import OneReplyServer
from tests.mturk_local.conftest import Guest
from tests.performing import do
from tests.schemed import SCHEME
from tests.site.pairs.snapshots import databases

TOKEN = "a-token-for-rehearsals"
ACTOR = Actor("test")
#: Of the bonuses that are set up, and of those of which nobody knows whether they were paid.
SET_UP, UNCERTAIN = "careful", "quick"
#: Three HITs are answered: as many labels as a classifier takes, and not more.
N_HITS, PER_HIT = 4, 17


class World:
    """The batch, its crowd and its market, at one of the `STAGES`."""

    def __init__(self, crowd: str, model: str, market: Market, folder: Path) -> None:
        self.model, self.market = model, market
        self.list_of_panel, self.qrels = folder / "list.csv", folder / "qrels.txt"
        self.votes = folder / "votes.csv"
        self.guests = {name: Guest(crowd) for name in ("ada", "ben", "eve")}
        self._databases = databases()
        self._markets: dict[str, dict[str, Any]] = {}
        self._batches: dict[str, int] = {}
        self.stage = ""

    @property
    def batch(self) -> Batch:
        return Batch.objects.select_related("study").get(pk=self._batches[self.stage])

    def answers_of(self, name: str) -> list[Assignment]:
        """What this person handed in, in the order of the HITs; the last one is of the market."""
        by_worker: dict[int, list[Assignment]] = {}
        for one in Assignment.objects.order_by("hit__index", "pk").select_related("hit__batch"):
            by_worker.setdefault(one.worker_id, []).append(one)
        return list(by_worker.values())[("ada", "ben", "eve").index(name)]

    def bonus_set(self, reason: str) -> int:
        return ProlificBonusSet.objects.get(reason=reason).pk

    def keep(self, stage: str, batch: Batch) -> None:
        Task.objects.all().delete()
        for name, database in self._databases.items():
            database.keep(f"{stage} {name}")
        self._markets[stage] = self._copied(self.market.__dict__)
        self._batches[stage] = batch.pk

    def put_back(self, stage: str) -> None:
        for name, database in self._databases.items():
            database.put_back(f"{stage} {name}")
        self.market.__dict__.update(self._copied(self._markets[stage]))
        self.stage = stage

    @staticmethod
    def _copied(state: dict[str, Any]) -> dict[str, Any]:
        """All but what belongs to threads and counts on."""
        kept = {"lock", "hooks", "_numbers", "_audiences"}
        return copy.deepcopy({name: one for name, one in state.items() if name not in kept})


def agree(operation: AnyOperation, subject: Batch | Assignment, **parameters: Any) -> Any:
    cost = estimate(operation, subject, parameters, ACTOR).cost
    return perform_here(operation, subject, parameters, ACTOR, cost)


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    """The services are up within, and every stage is kept."""
    settings.MTURK_LOCAL_KEY_FILE = folder / "crowd-key.json"
    settings.SITE_BUDGET = Decimal(10_000)
    settings.SITE_ADDRESS = "http://fairpool.invalid"  # nobody is told of events
    market = FaultyMarket()
    with ExitStack() as stack:
        site = LiveServer("localhost", start=False)
        site.thread.server_class = OneReplyServer  # type: ignore[assignment]
        site.start()
        stack.callback(site.stop)
        settings.MTURK_LOCAL_ENDPOINT = f"{site.url}/mturk/"
        key_file_ensure(settings.MTURK_LOCAL_KEY_FILE, requester_name="lab")
        settings.PROLIFIC_ADDRESS = stack.enter_context(serving(market, token=TOKEN))
        model = stack.enter_context(serving_model(ModelDouble()))
        settings.MODEL_KEYS = {model: "a-key-for-rehearsals"}
        world = World(site.url, model, market, folder)
        for guest in world.guests.values():
            stack.callback(guest.browser.close)
        _build(world)
        yield world


def _build(world: World) -> None:
    study = Study.objects.create(name="gender")
    batch = _draft(study, "b")
    world.keep("draft", batch)
    agree(PUBLISH, batch)
    _people(world, batch)
    do(CONNECT_PROLIFIC, batch, token=TOKEN)
    do(DRAFT_STUDY, batch, minutes=2, places=2)
    world.keep("drafted", batch)
    agree(PUBLISH_STUDY, batch)
    _market(world, batch)
    world.keep("recruiting", batch)
    do(BEGIN_ADAPTIVE, batch, most_votes=5)
    world.keep("adaptive", batch)
    do(PLAN_ROUND, batch)
    world.keep("planned", batch)
    world.put_back("recruiting")
    do(PAUSE_STUDY, batch)
    world.keep("paused", batch)
    world.put_back("draft")
    batch = _draft(study, "s", PageTexts(scheme=scheme_from_yaml(SCHEME)))
    do(ADJUDICATE, batch, qid="q1", question="named", category="no", reason="Both.")
    world.keep("scheme", batch)
    world.put_back("draft")
    batch = _draft(study, "p", PageTexts(scheme=built_in_scheme("relevance")), passage="Cold air.")
    world.qrels.write_text("q1 0 d 3\nq2 0 d 0\n")
    world.keep("pairs", batch)
    world.put_back("draft")
    world.votes.write_text("query_id,worker,label,query\nq1,ann,Yes,one\nq2,bob,No,two\n")
    do(IMPORT_VOTES, study, name="i", files=[world.votes], question="Is it?")
    world.votes.write_text("query_id,worker,label,query\nq1,bob,Yes,one\nq3,bob,No,three\n")
    world.keep("imported", Batch.objects.get(name="i"))


def _draft(study: Study, name: str, texts: PageTexts | None = None, *, passage: str = "") -> Batch:
    queries = [
        PlannedQuery(
            pair_id(f"q{n}", "d") if passage else f"q{n}", f"query number {n}", passage=passage
        )
        for n in range(N_HITS * PER_HIT)
    ]
    plan = BatchPlan(
        name=name,
        queries=queries,
        queries_per_hit=PER_HIT,
        reward=Decimal("0.50"),
        assignments_per_hit=2,
        texts=texts or PageTexts(),
    )
    batch = create_batch(plan=plan, environment="local", actor="test", study=study)
    do(BUDGET, batch, budget=Decimal(1_000))
    return batch


def _people(world: World, batch: Batch) -> None:
    """Two answer two HITs; one of these four answers is approved, and one rejected."""
    batch.refresh_from_db()
    hits = [str(hit.hit_id) for hit in batch.hits.order_by("index")]
    for name, choices in (("ada", "nm"), ("ben", "nf")):
        guest = world.guests[name]
        guest.browser.open(do(INVITATIONS["link"], batch, places=1).made.url)
        guest.browser.select_form("main form")
        guest.browser.submit_selected()
        for hit in hits[:2]:
            guest.accept(hit)
            guest.answer(**{f"q-{place}-gender": choices[place % 2] for place in range(PER_HIT)})
    do(COLLECT, batch)
    world.stage = "draft"
    agree(APPROVE_ANSWER, world.answers_of("ben")[0])
    do(REJECT_ANSWER, world.answers_of("ben")[1], reason="All were left at the first.")
    do(LABEL, batch)
    do(ADJUDICATE, batch, qid="q1", category="o", reason="Both.")
    ben = world.answers_of("ben")[0].worker
    do(DISCARD_VOTES, batch, worker=ben.pk, reason="Wrong on gold.")
    do(EXCLUDE, batch, worker=ben.pk, reason="Wrong on gold.")


def _market(world: World, batch: Batch) -> None:
    """One came from the market and waits for a review; bonuses are set up, others uncertain."""
    (study,) = world.market.studies
    visit = world.market.arrive(study, f"{1:024x}")
    assert visit is not None
    guest = world.guests["eve"]
    guest.browser.open(visit.url)
    hit = batch.hits.get(index=2)
    guest.accept(str(hit.hit_id))
    guest.answer(**{f"q-{place}-gender": "f" for place in range(PER_HIT)})
    codes = batch.prolific_study.codes
    world.market.come_back(visit.submission.submission_id, codes["completed"])
    do(READ_STUDY, batch)
    do(COLLECT, batch)
    world.list_of_panel.write_text(
        f"{HEADER}{visit.submission.submission_id},{1:024x},APPROVED,2026-01-01T00:00:00Z\n"
    )
    Inquiry.objects.create(
        requester=Requester.objects.get(),
        worker=Worker.objects.latest("pk"),
        hit=HIT.objects.earliest("pk"),
        text="Is a nurse a woman?",
        asked_at=timezone.now(),
    )
    uncertain = do(SET_UP_BONUSES, batch, reason=UNCERTAIN, amount="0.30").values["bonuses"]
    world.market.faults["pay"] = "before"  # type: ignore[attr-defined]
    # The server of the market says on its standard error that the line broke.
    with suppress(OutcomeUnknownError), redirect_stderr(io.StringIO()):
        agree(PAY_BONUSES, batch, bonuses=uncertain)
    day_before = timezone.now() - timedelta(hours=25)
    ProlificBonusSet.objects.filter(pk=uncertain).update(paying_at=day_before)
    assert ProlificBonusSet.objects.get(pk=uncertain).state == BonusSetState.UNCERTAIN
    do(SET_UP_BONUSES, batch, reason=SET_UP, amount="0.50")
    do(REFRESH, batch)
