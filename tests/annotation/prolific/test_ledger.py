"""What the tables of recruiting refuse, whoever writes to them."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import (
    Batch,
    ProlificBonus,
    ProlificBonusSet,
    ProlificEvent,
    ProlificStudy,
    ProlificSubmission,
    ProlificWorkspace,
    Study,
)
from annotation.vocabulary import BonusSetState, Environment

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> ProlificStudy:
    return _study(_batch("one"), internal_name="fairpool-one", study_id="6" * 24)


@pytest.fixture
def submission(study: ProlificStudy) -> ProlificSubmission:
    return ProlificSubmission.objects.create(
        study=study, submission_id="7" * 24, participant="w-1", status="ACTIVE",
        read_at=timezone.now(),
    )  # fmt: skip


def test_a_batch_has_one_study_and_a_name_finds_one(study: ProlificStudy) -> None:
    _refused(lambda: _study(study.batch, internal_name="another"))
    _refused(lambda: _study(_batch("two"), internal_name=study.internal_name))
    _refused(lambda: _study(_batch("two"), internal_name="another", study_id=study.study_id))


@pytest.mark.parametrize(
    "wrong",
    [
        {"places": 0},
        {"reward": 0},
        {"minutes": 0},
        {"hits": 0},
        {"total_cost": 299},
        {"status": "ACTIVE"},
    ],
)
def test_a_study_offers_something_and_costs_its_rewards(wrong: dict[str, Any]) -> None:
    _refused(lambda: _study(_batch("two"), internal_name="another", **wrong))


def test_a_submission_and_an_event_are_there_once(submission: ProlificSubmission) -> None:
    fields = {"study": submission.study, "participant": "w-2", "status": "ACTIVE"}
    _refused(
        lambda: ProlificSubmission.objects.create(
            submission_id=submission.submission_id, read_at=timezone.now(), **fields
        )
    )
    event = {
        "workspace": submission.study.workspace,
        "event_type": "submission.status.change",
        "sent_at": timezone.now(),
    }
    ProlificEvent.objects.create(event_id="e", resource_id="7" * 24, **event)
    _refused(lambda: ProlificEvent.objects.create(event_id="e", resource_id="8" * 24, **event))


def test_bonuses_of_one_reason_are_one_set_with_one_line_each(
    submission: ProlificSubmission,
) -> None:
    planned = {"study": submission.study, "amount": 100, "total": 133, "planned_by": "test"}
    first = ProlificBonusSet.objects.create(reason="careful", **planned)
    _refused(lambda: ProlificBonusSet.objects.create(reason="careful", **planned))
    ProlificBonus.objects.create(bonus_set=first, submission=submission, amount=100)
    _refused(lambda: ProlificBonus.objects.create(bonus_set=first, submission=submission, amount=1))


@pytest.mark.parametrize("state", [one for one in BonusSetState if one != BonusSetState.PLANNED])
def test_nothing_is_paid_before_the_id_of_the_set_is_stored(
    submission: ProlificSubmission, state: str
) -> None:
    planned = {"study": submission.study, "amount": 100, "total": 133, "planned_by": "test"}
    _refused(
        lambda: ProlificBonusSet.objects.create(
            reason="careful", state=state, paying_at=timezone.now(), **planned
        )
    )


def _batch(name: str) -> Batch:
    study, _ = Study.objects.get_or_create(name="study")
    return Batch.objects.create(name=name, study=study, environment=Environment.LOCAL)


def _study(batch: Batch, **changed: Any) -> ProlificStudy:
    workspace, _ = ProlificWorkspace.objects.get_or_create(
        workspace_id="5" * 24, defaults={"title": "Test", "currency": "USD", "token": "-"}
    )
    terms = {"minutes": 5, "reward": 100, "places": 3, "total_cost": 399}
    return ProlificStudy.objects.create(batch=batch, workspace=workspace, **terms | changed)


def _refused(write: Any) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        write()
