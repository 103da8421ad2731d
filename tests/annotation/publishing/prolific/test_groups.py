"""Who took part in another batch is left out, or let in alone: without an id, and in one group."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.operations.permits import set_permits
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.groups import ADMITTED, LEFT_OUT
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.publish import publish_batch
from annotation.core.operations import Actor
from annotation.core.parameters import ParametersError
from annotation.core.perform import perform_here
from annotation.models import Batch, Membership, ProlificStudy
from annotation.prolific.client import OutcomeUnknownError
from annotation.prolific.double.market import Market
from annotation.vocabulary import Permit, Role
from metrics.errors import InputError
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.prolific.conftest import COST, FaultyMarket, pay, study_of
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

CAME, APPROVED, NEW = "7" * 24, "8" * 24, "9" * 24


@pytest.fixture
def second(recruiting: Batch, market: Market, make_batch: MakeBatch) -> Batch:
    """Another batch, after two people came to the first and one of them was approved."""
    study = str(study_of(recruiting).study_id)
    visits = [market.arrive(study, participant) for participant in (CAME, APPROVED)]
    assert all(visits)
    market.of_study(study)[-1].status = "APPROVED"
    do(READ_STUDY, recruiting)
    batch = make_batch(name="second", reward=recruiting.reward)
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    return batch


def let_in(batch: Batch, market: Market) -> set[str]:
    """Who of the three finds a place once the study is published."""
    pay(PUBLISH_STUDY, batch, COST)
    study = str(study_of(batch).study_id)
    return {one for one in (CAME, APPROVED, NEW) if market.arrive(study, one) is not None}


def test_participants_of_another_batch_are_left_out(
    recruiting: Batch, second: Batch, market: Market
) -> None:
    do(DRAFT_STUDY, second, minutes=2, not_from=[recruiting.name])
    (group,) = market.groups.values()
    assert group.name == f"fairpool-{recruiting.uid.hex}"
    assert study_of(second).filters == [
        {"filter_id": LEFT_OUT, "selected_values": [group.group_id]}
    ]
    assert let_in(second, market) == {NEW}


def test_approved_participants_of_another_batch_are_let_in_alone(
    recruiting: Batch, second: Batch, market: Market
) -> None:
    do(DRAFT_STUDY, second, minutes=2, only_from=[recruiting.name])
    assert [one["filter_id"] for one in study_of(second).filters] == [ADMITTED]
    assert let_in(second, market) == {APPROVED}


def test_who_came_between_draft_and_publication_is_left_out_as_well(
    recruiting: Batch, second: Batch, market: Market
) -> None:
    do(DRAFT_STUDY, second, minutes=2, not_from=[recruiting.name])
    assert market.arrive(str(study_of(recruiting).study_id), NEW) is not None
    assert let_in(second, market) == set()


def test_a_group_that_somebody_made_over_there_is_chosen_by_its_name(
    second: Batch, market: Market
) -> None:
    group = market.create_group({"workspace_id": market.workspace_id, "name": "Pilot"})
    group.add([NEW])
    do(DRAFT_STUDY, second, minutes=2, not_from=["Pilot"], filters="approval_rate: 95..100")
    assert {one["filter_id"] for one in study_of(second).filters} == {LEFT_OUT, "approval_rate"}
    assert let_in(second, market) == {CAME, APPROVED}


@pytest.mark.long
@pytest.mark.parametrize(
    ("act", "fault"),
    [(act, fault) for act in ("group", "fill", "create") for fault in ("before", "after")],
)
def test_after_a_lost_answer_there_is_one_group(
    recruiting: Batch, second: Batch, market: FaultyMarket, act: str, fault: str
) -> None:
    market.faults[act] = fault
    with pytest.raises(OutcomeUnknownError):
        do(DRAFT_STUDY, second, minutes=2, not_from=[recruiting.name])
    do(DRAFT_STUDY, second, minutes=2, not_from=[recruiting.name])
    (group,) = market.groups.values()
    assert set(group.people) == {CAME, APPROVED}
    assert len(market.studies) == 2
    (wanted,) = market.study(str(study_of(second).study_id)).terms["filters"]
    assert wanted["selected_values"] == [group.group_id]


@pytest.mark.parametrize("minutes", [0, 6])
def test_while_somebody_makes_the_group_nobody_else_does(
    recruiting: Batch, second: Batch, market: Market, minutes: int
) -> None:
    """Until that must have ended: its process may be dead."""
    since = timezone.now() - timedelta(minutes=minutes)
    ProlificStudy.objects.filter(batch=recruiting).update(group_asked_at=since)
    if minutes:
        do(DRAFT_STUDY, second, minutes=2, not_from=[recruiting.name])
        assert study_of(recruiting).group_asked_at is None
    else:
        with pytest.raises(InputError, match="somebody else"):
            do(DRAFT_STUDY, second, minutes=2, not_from=[recruiting.name])
    assert len(market.groups) == (1 if minutes else 0)


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"not_from": ["another"]}, "neither a batch"),
        ({"not_from": ["second"]}, "neither a batch"),
        ({"not_from": ["test"], "only_from": ["test"]}, "left out and let in at once"),
    ],
)
def test_who_means_nobody_drafts_nothing(
    second: Batch, market: FaultyMarket, terms: dict[str, list[str]], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        do(DRAFT_STUDY, second, minutes=2, **terms)
    assert not market.groups
    assert not ProlificStudy.objects.filter(batch=second).exists()


def test_before_anybody_is_approved_nobody_could_be_let_in(
    recruiting: Batch, second: Batch, market: Market
) -> None:
    for one in market.submissions.values():
        one.status = "AWAITING REVIEW"
    with pytest.raises(InputError, match="is approved yet, so nobody could take part"):
        do(DRAFT_STUDY, second, minutes=2, only_from=[recruiting.name])
    assert len(market.studies) == 1


def test_without_prolifics_filter_of_groups_nothing_is_made(
    recruiting: Batch, second: Batch, market: Market
) -> None:
    market.filters = [one for one in market.filters if one["filter_id"] != LEFT_OUT]
    with pytest.raises(InputError, match="has no filter"):
        do(DRAFT_STUDY, second, minutes=2, not_from=[recruiting.name])
    assert not market.groups


def test_a_batch_of_another_study_is_not_there(recruiting: Batch, second: Batch) -> None:
    owner = _owner_of(second)
    with pytest.raises(ParametersError, match="There is no batch"):
        perform_here(
            DRAFT_STUDY,
            second,
            {"minutes": 2, "not_from": [recruiting.name]},
            Actor("owner", owner),
        )


@pytest.mark.long
def test_the_page_offers_batches_and_groups_to_tick(
    recruiting: Batch, second: Batch, market: Market, client: Client
) -> None:
    market.create_group({"workspace_id": market.workspace_id, "name": "Pilot"})
    client.force_login(User.objects.create_superuser("staff"))
    address = reverse("batch-act", args=[second.pk, "draft-study"])
    page = client.get(address).content.decode()
    assert f"Participants of {recruiting.name}" in page
    assert "Group Pilot, 0 people" in page
    asked = client.get(f"{address}?minutes=2&not_from={recruiting.name}&devices=desktop")
    page = asked.content.decode()
    assert f"participants of {recruiting.name}" in page
    assert re.search(f'name="not_from" value="{recruiting.name}"[^>]* checked', page)
    terms = {"minutes": 2, "not_from": [recruiting.name], "devices": ["desktop", "tablet"]}
    client.post(address, {**terms, "cost": "0.00"})
    row = study_of(second)
    assert [one["filter_id"] for one in row.filters] == [LEFT_OUT]
    assert row.devices == ["desktop", "tablet"]


@pytest.mark.long
def test_a_batch_that_one_does_not_manage_is_not_offered(
    recruiting: Batch, second: Batch, client: Client
) -> None:
    client.force_login(_owner_of(second))
    page = client.get(reverse("batch-act", args=[second.pk, "draft-study"])).content.decode()
    assert "Make the draft" in page
    assert f"Participants of {recruiting.name}" not in page


def _owner_of(batch: Batch) -> User:
    """An owner of the study of this batch alone, who may recruit."""
    person = User.objects.create_user("ada", password="a long one")
    Membership.objects.create(study=batch.study, user=person, role=Role.OWNER)
    set_permits(user=person, permits=set(Permit.values), actor="test")
    return User.objects.get(pk=person.pk)
