"""Whatever happens to a batch: every place and vote has one state, and every count is the same."""

import itertools
import json
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, Phase, example, given, note, settings

from annotation.batches.operations.publish import publish_batch
from annotation.batches.queries.batches import BatchProgress, batch_progress, votes_in_words
from annotation.core.counting import counted
from annotation.crowd.gateway import Gateway
from annotation.models import Batch, BatchQuery
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import steps_of
from annotation.reports.bundle.verify import verify_bundle
from annotation.vocabulary import VoteState
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.vote_history import History
from tests.commands import run_json

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

Step = tuple[Any, ...]
#: With every state of a vote at its end: on the first HIT a vote and one who cannot tell, on the
#: second a participant of a panel and one whom it did not approve, and so on to the last.
EVERY_STATE: list[Step] = [
    ("answer", 0, 0, "nf", "Submitted"),
    ("answer", 0, 3, "uu", "Submitted"),
    ("further",),
    ("answer", 2, 0, "mm", "Submitted"),
    ("answer", 2, 1, "ff", "Submitted"),
    ("further",),
    ("answer", 3, 2, "??", "Submitted"),
    ("answer", 3, 4, "nn", "Submitted"),
    ("panel", 4, "refused"),
    ("answer", 1, 5, "ff", "Submitted"),
    ("discard", 5),
    ("exclude", 3),
    ("hold", 1, 0),
    ("hold", 0, 1),
    ("leave", 1),
    ("stop",),
    ("leave", 0),
    ("further",),
    ("hold", 4, 1),
    ("answer", 4, 2, "fm", "Rejected"),
    ("decide",),
]


def _steps(rng: Random) -> list[Step]:
    """Some twenty steps, most of them answers."""
    worker = partial(rng.randrange, 6)
    makers: list[tuple[int, Callable[[], Step]]] = [
        (12, lambda: ("answer", rng.randrange(5), worker(), _choices(rng), _handed_in(rng))),
        (3, lambda: ("review", rng.randrange(9), rng.choice(("Approved", "Rejected")))),
        (2, lambda: ("panel", worker(), rng.choice(("verified", "refused")))),
        (2, lambda: (rng.choice(("discard", "restore", "exclude")), worker())),
        (2, lambda: ("hold", rng.randrange(5), worker())),
        (1, lambda: ("leave", worker())),
        (3, lambda: (rng.choice(("decide", "top_up", "further", "stop")),)),
    ]
    weights, chosen = zip(*makers, strict=True)
    return [make() for make in rng.choices(chosen, weights, k=rng.randrange(10, 25))]


def _choices(rng: Random) -> str:
    return "??" if rng.random() < 0.1 else "".join(rng.choices("nnffmuu", k=2))


def _handed_in(rng: Random) -> str:
    return "Rejected" if rng.random() < 0.1 else "Submitted"


_NUMBER = itertools.count()


@pytest.mark.long
# An example takes seconds, as it asks the crowd service: what fails is shown as it was found.
@settings(
    max_examples=1,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(steps=EVERY_STATE)
@given(steps=st.randoms(use_true_random=True).map(_steps))
def test_places_and_votes_add_up_and_every_count_is_the_same(
    make_batch: MakeBatch,
    gateway: Gateway,
    admin_client: Client,
    tmp_path: Path,
    steps: list[Step],
) -> None:
    """Three queries, one of them gold, on two HITs for two workers; then the steps."""
    batch = make_batch(3, name=f"b{next(_NUMBER)}", assignments_per_hit=2)
    BatchQuery.objects.filter(batch=batch, position=0).update(gold="n")
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    history = History(batch, gateway)
    for name, *values in steps:
        note(f"{name} {values}")
        getattr(history, name)(*values)
        _check_sums(batch, history)
    if steps is EVERY_STATE:
        # Only a scheme has queries that somebody may leave out.
        assert set(history.votes()) == set(VoteState) - {VoteState.LEFT_OUT}
        assert set(history.places()) >= {"held", "submitted", "withdrawn"}
    _check_pages(admin_client, batch)
    _check_calls(admin_client, batch)
    _check_commands(batch, tmp_path)


def _check_sums(batch: Batch, history: History) -> None:
    now = batch_progress(batch=batch)
    assert +Counter(now.places) == history.places()
    assert +Counter(now.votes) == history.votes()
    assert sum(now.places.values()) == now.n_assignments_expected
    assert sum(now.votes.values()) == now.n_votes_expected


def _check_pages(client: Client, batch: Batch) -> None:
    now = batch_progress(batch=batch)
    for name in ("batch-detail", "batch-progress", "batch-list", "study-detail"):
        place = {"batch-list": [], "study-detail": [batch.study_id]}.get(name, [batch.pk])
        _check_votes_shown(client.get(reverse(name, args=place)).content.decode(), now)
    agreement = client.get(reverse("batch-agreement", args=[batch.pk]))
    assert agreement.context["agreement"].n_votes == now.n_votes
    [main] = BeautifulSoup(agreement.content, "html.parser").select("main")
    text = " ".join(main.get_text(" ").split())
    if now.n_votes:
        votes, workers = counted(now.n_votes, "vote"), counted(now.n_workers, "worker")
        assert f"{votes} of {workers}" in text
    if now.n_votes or now.n_cannot_tell or now.n_not_counted:
        assert all(other in text for other in now.other_votes)
    queries = client.get(reverse("batch-queries", args=[batch.pk])).context["page"]
    assert sum(row.n_votes for row in queries) == now.n_votes + now.n_cannot_tell
    workers = client.get(reverse("batch-workers", args=[batch.pk])).context["workers"]
    counting = [row for row in workers if row.verification == "verified" and not row.set_aside]
    assert sum(row.quality.n_votes for row in counting) == now.n_votes
    pages = [client.get(reverse("batch-worker", args=[batch.pk, row.number])) for row in workers]
    assert sum(page.context["detail"].n_answers for page in pages) == now.n_assignments
    out = client.get(reverse("batch-labels", args=[batch.pk])).context["out"]
    assert (out.n_unverified, out.n_to_come) == (now.votes["unverified"], now.votes["to_come"])


def _check_votes_shown(page: str, now: BatchProgress) -> None:
    bar = f"Votes of {now.name}"
    bars = BeautifulSoup(page, "html.parser").find_all("progress", attrs={"aria-label": bar})
    cell = bars[0].parent
    assert cell is not None
    count, *others = cell.stripped_strings
    assert count.removesuffix(" votes") == f"{now.n_votes} of {now.n_votes_expected}"
    assert others[len(others) - len(now.other_votes) :] == now.other_votes


def _check_calls(client: Client, batch: Batch) -> None:
    now = batch_progress(batch=batch)

    def call(address: str, **query: str) -> Any:
        place = [] if address == "api-batches" else [batch.pk]
        as_json = {"accept": "application/json"}
        return client.get(reverse(address, args=place), query, headers=as_json).json()

    [listed] = call("api-batches", name=batch.name)["results"]
    for shown in (listed, call("api-batch")["progress"], call("api-batch-progress")["progress"]):
        assert (shown["places"], shown["votes"]) == (now.places, now.votes)
    assert call("api-batch-agreement")["n_votes"] == now.n_votes
    assert call("api-batch-assignments")["count"] == now.n_assignments
    assert call("api-batch-labels")["votes_out"]["n_to_come"] == now.votes["to_come"]


def _check_commands(batch: Batch, tmp_path: Path) -> None:
    now = batch_progress(batch=batch)
    shown = run_json("batch", "show", batch.name)
    assert (shown["places"], shown["votes"]) == (now.places, now.votes)
    agreement = run_json("batch", "agreement", batch.name)
    assert (agreement["n_votes"], agreement["votes"]) == (now.n_votes, now.votes)
    [labels] = [step for step in steps_of(study_flow(study=batch.study)) if step.key == "labels"]
    assert votes_in_words([now]) in labels.sentence
    assert labels.state != "running" or now.is_awaited
    path = tmp_path / f"{batch.name}.zip"
    run_json("study", "bundle", batch.study.name, "--output", str(path))
    with zipfile.ZipFile(path) as bundle:
        described = json.loads(bundle.read("batches/1/batch.json"))
        datasheet = bundle.read("README.md").decode()
    assert (described["places"], described["votes"]) == (now.places, now.votes)
    assert f"- {now.n_assignments_expected} answers asked for: " in datasheet
    verified = verify_bundle(path)
    assert verified.ok, verified.differences
    assert bool(verified.notes) == bool(described["labels_out_of_date"])
    assert verified.checked["votes that count"] == now.n_votes
