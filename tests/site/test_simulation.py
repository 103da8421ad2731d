"""Simulated workers answer a batch over HTTP, as a browser would."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from defusedxml.ElementTree import fromstring
from pytest_django import Settings

from annotation.batches.operations.schemes import store_scheme
from annotation.crowd.answers import read_fields
from annotation.crowd.questions import html_question
from annotation.models import HIT, Batch, BatchQuery, HITQuery, Worker
from annotation.overview.operations.simulation import batch_simulate, crowd_of
from annotation.schemes import Scheme, scheme_from_yaml
from annotation.task_page import PageTexts, read_answer, render
from annotation.vocabulary import Environment, HITState, WorkerKind
from metrics.errors import InputError
from mturk_local.keys import key_file_ensure
from tests.schemed import SCHEME
from tests.study import a_study

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
TRUTH = {f"q{number}": "nnfmo"[number % 5] for number in range(12)}
Publish = Callable[..., Batch]


@pytest.fixture
def publish(crowd: str, mturk: "MTurkClient", settings: Settings, tmp_path: Path) -> Publish:
    """A batch of three HITs with four queries each on the crowd service, maybe of a scheme."""
    settings.MTURK_LOCAL_ENDPOINT = f"{crowd}/mturk/"
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "key.json"
    key_file_ensure(tmp_path / "key.json", requester_name="lab")

    def make(scheme: Scheme | None = None) -> Batch:
        batch = Batch.objects.create(
            name="b",
            environment=Environment.LOCAL,
            study=a_study("b"),
        )
        if scheme is not None:
            store_scheme(batch=batch, scheme=scheme, actor="test")
        qids = list(TRUTH)
        for index in range(3):
            page = [(qid, f"query <{qid}>") for qid in qids[index * 4 : index * 4 + 4]]
            made = mturk.create_hit(
                Title="t",
                Description="d",
                Reward="0.25",
                AssignmentDurationInSeconds=600,
                LifetimeInSeconds=3600,
                MaxAssignments=3,
                Question=html_question(render(page, PageTexts(batch.scheme))),
            )["HIT"]
            _store(batch, index, made["HITId"], page)
        return batch

    return make


def _store(batch: Batch, index: int, hit_id: str, page: list[tuple[str, str]]) -> None:
    hit = HIT.objects.create(
        batch=batch,
        index=index,
        state=HITState.PUBLISHED,
        hit_id=hit_id,
        request_token=f"t{index}",
        annotation=f"a{index}",
        max_assignments=3,
    )
    for place, (qid, text) in enumerate(page):
        query = BatchQuery.objects.create(
            batch=batch, qid=qid, text=text, position=index * 4 + place
        )
        HITQuery.objects.create(hit=hit, query=query, place=place)


def votes(mturk: "MTurkClient") -> Counter[tuple[str, str, str]]:
    """(query, worker, category) of everything that was handed in."""
    found: Counter[tuple[str, str, str]] = Counter()
    for index, hit in enumerate(mturk.list_hits()["HITs"]):
        for assignment in mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]:
            for answer in fromstring(assignment["Answer"]):
                name, value = answer[0].text or "", answer[1].text or ""
                if name.startswith("q-"):
                    qid = f"q{index * 4 + int(name.split('-')[1])}"
                    found[qid, assignment["WorkerId"], value] += 1
    return found


@pytest.mark.long
def test_workers_without_errors_vote_the_truth_three_times(
    publish: Publish, mturk: "MTurkClient"
) -> None:
    done = batch_simulate(
        batch=publish(), truth=TRUTH, crowd=crowd_of(seed=7, n_workers=5, accuracy=1.0)
    )

    assert (done.n_assignments, done.n_votes) == (9, 36)
    given = votes(mturk)
    assert Counter(qid for qid, _, _ in given.elements()) == dict.fromkeys(TRUTH, 3)
    assert all(value == TRUTH[qid] for qid, _, value in given)


@pytest.mark.long
def test_the_votes_follow_from_the_seed_alone(publish: Publish, mturk: "MTurkClient") -> None:
    batch = publish()
    crowd = crowd_of(seed=7, n_workers=5, accuracy=0.5)
    batch_simulate(batch=batch, truth=TRUTH, crowd=crowd)
    first = votes(mturk)
    hit_ids = [hit["HITId"] for hit in mturk.list_hits()["HITs"]]
    batch.delete()
    for hit_id in hit_ids:
        for assignment in mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]:
            mturk.approve_assignment(AssignmentId=assignment["AssignmentId"])
        mturk.delete_hit(HITId=hit_id)
    batch_simulate(batch=publish(), truth=TRUTH, crowd=crowd)

    assert votes(mturk) == first
    assert any(value != TRUTH[qid] for qid, _, value in first)


@pytest.mark.long
def test_workers_without_errors_agree_on_every_question_of_a_scheme(
    publish: Publish, mturk: "MTurkClient"
) -> None:
    scheme = scheme_from_yaml(SCHEME)
    crowd = crowd_of(seed=7, n_workers=3, accuracy=1.0)
    done = batch_simulate(batch=publish(scheme), truth={}, crowd=crowd)

    assert (done.n_assignments, done.n_votes) == (9, 36)
    chosen = set()
    for hit in mturk.list_hits()["HITs"]:
        given = [
            read_answer(scheme, read_fields(assignment["Answer"]), 4).codes
            for assignment in mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
        ]
        assert given[0] == given[1] == given[2]
        chosen |= {next(iter(codes["named"])) for codes in given[0]}
    assert chosen == {"no", "yes"}


@pytest.mark.long
def test_simulated_workers_are_marked_and_a_second_run_changes_nothing(
    publish: Publish, mturk: "MTurkClient"
) -> None:
    batch = publish()
    crowd = crowd_of(seed=7, n_workers=4, accuracy=0.9)
    batch_simulate(batch=batch, truth=TRUTH, crowd=crowd)
    before = votes(mturk)
    again = batch_simulate(batch=batch, truth=TRUTH, crowd=crowd)

    assert (again.n_assignments, votes(mturk)) == (0, before)
    workers = {worker for _, worker, _ in before}
    assert workers <= set(
        Worker.objects.filter(kind=WorkerKind.SIMULATED).values_list("worker_id", flat=True)
    )
    assert all(worker.startswith("ASIM") for worker in workers)


def test_a_batch_of_another_environment_is_refused(publish: Publish) -> None:
    batch = publish()
    batch.environment = Environment.PRODUCTION

    with pytest.raises(InputError):
        batch_simulate(batch=batch, truth=TRUTH, crowd=crowd_of(seed=7, n_workers=4, accuracy=0.9))


def test_a_query_without_a_truth_is_named(publish: Publish) -> None:
    incomplete = {qid: label for qid, label in TRUTH.items() if qid != "q3"}

    with pytest.raises(InputError, match="'q3'"):
        batch_simulate(
            batch=publish(), truth=incomplete, crowd=crowd_of(seed=7, n_workers=4, accuracy=0.9)
        )
