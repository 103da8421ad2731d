"""In whatever order a study comes about, each number on its pages equals its one definition."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from annotation.batches.queries.batches import BatchProgress, batch_progress
from annotation.core.counting import counted
from annotation.labels.export.label_formats.json_lines import JSON_LINES
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.labels import counts_by_option, standing_values
from annotation.labels.queries.questions import closed_question
from annotation.models import Batch, Study, StudyReport, Worker
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import steps_of
from annotation.reports.pages.forms import ReportForm
from annotation.vocabulary import TIE, BatchState, Category, WorkerKind
from annotation.workers.operations.discard_votes import votes_discard, votes_restore
from metrics.errors import InputError
from pooling.models import Pool
from tests.study import stored_batch, stored_pool
from tests.votes import store_vote

pytestmark = pytest.mark.django_db
_NUMBER = itertools.count()


class _Acts:
    """A study to which things happen; an act that is refused changes nothing."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.name = f"any order {next(_NUMBER)}"
        self._pool: Pool = stored_pool(4, self.name)
        self.study: Study = self._pool.belongs.study
        self.names = map("{} batch {}".format, itertools.repeat(self.name), itertools.count())
        self.acts: list[Callable[[], None]] = [
            self.draft,
            *[self.vote] * 6,
            *[self.decide] * 3,
            self.adjudicate,
            self.discard,
            self.restore,
            self.archive,
            self.report,
        ]
        self.draft()

    def one_of(self, **fields: Any) -> Batch | None:
        found = list(Batch.objects.filter(study=self.study, **fields).order_by("pk"))
        return self._rng.choice(found) if found else None

    def draft(self) -> None:
        if self.study.batches.count() < 3:
            stored_batch(self._pool, next(self.names))

    def vote(self) -> None:
        batch = self.one_of()
        assert batch is not None
        name = f"{self.name} {self._rng.randrange(4)}"
        worker, _ = Worker.objects.get_or_create(
            environment=batch.environment, worker_id=name, kind=WorkerKind.HUMAN
        )
        for query in batch.queries.exclude(votes__worker=worker):
            if self._rng.random() < 0.8:
                store_vote(self._rng.choice("nnfm"), query=query, worker=worker)
        Batch.objects.filter(pk=batch.pk).update(state=BatchState.STOPPED)

    def decide(self) -> None:
        if batch := self.one_of(state=BatchState.STOPPED):
            batch_label(batch=batch, actor="test", strict=self._rng.random() < 0.3)

    def adjudicate(self) -> None:
        if batch := self.one_of(labellings__isnull=False):
            qid = self._rng.choice(list(batch.queries.values_list("qid", flat=True)))
            category = self._rng.choice("nfmo")
            query_adjudicate(batch=batch, qid=qid, category=category, reason="Seen.", by="test")

    def discard(self) -> None:
        self._about_worker(votes_discard)

    def restore(self) -> None:
        self._about_worker(votes_restore)

    def _about_worker(self, act: Callable[..., object]) -> None:
        if batch := self.one_of(state=BatchState.STOPPED):
            worker = f"{self.name} {self._rng.randrange(4)}"
            act(batch=batch, worker_id=worker, reason="A test.", actor="test")

    def archive(self) -> None:
        batch = self.one_of()
        assert batch is not None
        archived = None if batch.archived_at else timezone.now()
        Batch.objects.filter(pk=batch.pk).update(archived_at=archived)

    def report(self) -> None:
        batch = self.one_of(labellings__isnull=False)
        batches = [batch.pk] if batch and self._rng.random() < 0.8 else []
        parameters = {"batches": batches, "runs": ["BM25"], "magnitudes": ["tf"], "cutoffs": [10]}
        parameters |= {"baseline": "", "scored": "m", "paired": {}}
        StudyReport.objects.create(
            study=self.study, parameters=parameters, made_at=timezone.now(), actor="test"
        )


# What fails is shown as it was found: rows of one example are there in the next.
@settings(
    max_examples=6,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rng=st.randoms(use_true_random=True))
def test_every_page_shows_the_numbers_of_their_definitions(rng: Random) -> None:
    acts = _Acts(rng)
    for act in rng.choices(acts.acts, k=rng.randrange(5, 20)):
        note(act.__name__)
        try:
            act()
        except InputError as error:
            note(f"refused: {error}")
    client = Client()
    client.force_login(User.objects.get_or_create(username="any", is_staff=True)[0])
    batches = Batch.objects.filter(study=acts.study, archived_at=None)
    known = {
        batch.pk: (
            batch_progress(batch=batch),
            counts_by_option(standing_values(batch=batch, question=closed_question(batch=batch))),
        )
        for batch in batches
    }
    _check_the_study(client, acts.study, known)
    for batch in batches:
        _check_a_batch(client, batch, *known[batch.pk])


Known = dict[int, tuple[BatchProgress, Counter[str]]]


def _words(client: Client, name: str, *places: int) -> BeautifulSoup:
    response = client.get(reverse(name, args=places))
    assert response.status_code == 200, name
    return BeautifulSoup(response.content, "html.parser")


def _text(soup: Any) -> str:
    return " ".join(soup.get_text(" ").split())


def _check_the_study(client: Client, study: Study, known: Known) -> None:
    flow = study_flow(study=study)
    assert {batch.number for batch in flow.batches} == set(known)
    labelled = {number: counts for number, (_, counts) in known.items() if counts}
    assert {batch.number for batch in flow.labelled} == set(labelled)
    page = _words(client, "study-detail", study.pk)
    for batch in flow.labelled:
        counts = labelled[batch.number]
        n = counts.total() - counts[TIE]
        share = f"{counts['n'] / n:.0%}" if n else "–"
        [tile] = page.select(".glance")
        noun = counted(n, "labelled query")
        assert f"{share} of {noun} of {batch.name}" in _text(tile), _text(tile)
    steps = {step.key: step for step in steps_of(flow)}
    _check_labels_step(steps["labels"], known)
    largest = max((counts.total() for counts in labelled.values()), default=0)
    led = flow.result_batch
    if led is not None:
        assert labelled[led.number].total() == largest
        measured = any(led.number in batches for batches in flow.measured)
        assert (steps["report"].state == "done") == measured
        form = ReportForm(study, batch=str(led.number))
        assert form["batches"].initial == [str(led.number)]
    else:
        assert steps["report"].state == "waiting"


def _check_labels_step(step: Any, known: Known) -> None:
    ties = {number: counts[TIE] for number, (_, counts) in known.items() if counts[TIE]}
    undecided = [number for number, (now, counts) in known.items() if now.n_votes and not counts]
    if ties or undecided:
        assert step.state == "ready"
        assert step.batch.number in [*ties, *undecided]
        if step.batch.number in ties:
            assert counted(ties[step.batch.number], "tie") in step.sentence
    elif any(counts for _, counts in known.values()):
        assert step.state in ("done", "running")


def _check_a_batch(client: Client, batch: Batch, now: BatchProgress, counts: Counter[str]) -> None:
    labels = _words(client, "batch-labels", batch.pk)
    shown = {
        str(link["href"]).rpartition("=")[2]: int(_text(link).split()[-1])
        for link in labels.select("ul.counts a")
    }
    # A batch whose votes were all discarded after it was labelled shows zeros.
    codes = (*Category.values, TIE) if batch.labellings.exists() else ()
    assert shown == {code: counts[code] for code in codes}
    line = _text(_words(client, "batch-detail", batch.pk).select_one("#standing"))
    if now.n_votes or now.state != BatchState.DRAFT:
        assert f"{counted(now.n_votes, 'vote')} of {counted(now.n_workers, 'worker')}" in line
    agreement = client.get(reverse("batch-agreement", args=[batch.pk])).context["agreement"]
    assert (agreement.n_votes, agreement.n_workers) == (now.n_votes, now.n_workers)
    workers = client.get(reverse("batch-workers", args=[batch.pk])).context["workers"]
    counting = [row for row in workers if not row.set_aside]
    assert sum(row.quality.n_votes for row in counting) == now.n_votes
    if counts:
        query = {"category": "all", "layout": JSON_LINES.name}
        address = reverse("batch-export", args=[batch.pk], query=query)
        response: Any = client.get(address)
        lines = b"".join(response).decode().splitlines()
        exported = Counter(json.loads(line)["label"] for line in lines if line)
        assert exported == Counter({code: n for code, n in counts.items() if code != TIE})
