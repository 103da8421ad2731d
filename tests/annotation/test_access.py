"""Who may see and do what in a study: each role, everybody else, and what has no study."""

import pytest
from django.contrib.auth.models import AnonymousUser, User

from annotation.accounts.operations.permits import set_permits
from annotation.core.access import (
    actions_in,
    batches_open_to,
    pools_open_to,
    studies_open_to,
)
from annotation.models import Batch, Membership, Study, StudyPool
from annotation.vocabulary import ROLE_PERMISSIONS, Action, Environment, Permit, Role
from pooling.models import Pool
from tests.study import a_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = Study.objects.create(name="Ours")
    Batch.objects.create(name="ours", environment=Environment.LOCAL, study=study)
    pool = Pool.objects.create(name="ours", cutoff=1, rank_cutoff=10, magnitude="tf")
    StudyPool.objects.create(study=study, pool=pool)
    return study


def member(study: Study, role: str) -> User:
    user = User.objects.create_user(f"{role} of {study.pk}")
    set_permits(user=user, permits=Permit.values, actor="test")
    Membership.objects.create(study=study, user=user, role=role)
    return user


def names_open_to(user: User | AnonymousUser, action: str) -> list[set[str]]:
    found = (
        studies_open_to(user=user, action=action),
        batches_open_to(user=user, action=action),
        pools_open_to(user=user, action=action),
    )
    return [{thing.name for thing in things} for things in found]


@pytest.mark.parametrize("role", Role.values)
def test_a_member_may_do_what_the_role_allows_and_nothing_else(study: Study, role: str) -> None:
    user = member(study, role)

    assert actions_in(user=user, study=study) == ROLE_PERMISSIONS[role]
    for action in Action.values:
        allowed = action in ROLE_PERMISSIONS[role]
        assert names_open_to(user, action) == (
            [{"Ours"}, {"ours"}, {"ours"}] if allowed else [set(), set(), set()]
        )


def test_an_annotator_sees_nothing_that_could_sway_an_answer(study: Study) -> None:
    assert Action.VIEW not in actions_in(user=member(study, Role.ANNOTATOR), study=study)


def test_owning_another_study_opens_nothing_of_this_one(study: Study) -> None:
    stranger = member(Study.objects.create(name="Theirs"), Role.OWNER)

    assert actions_in(user=stranger, study=study) == frozenset()
    assert names_open_to(stranger, Action.VIEW) == [{"Theirs"}, set(), set()]


def test_who_is_not_signed_in_or_no_longer_active_may_nothing(study: Study) -> None:
    former = member(study, Role.OWNER)
    former.is_active = False

    for nobody in (AnonymousUser(), former):
        assert actions_in(user=nobody, study=study) == frozenset()
        assert names_open_to(nobody, Action.VIEW) == [set(), set(), set()]


def test_staff_may_do_everything_and_only_they_where_no_study_is_named(study: Study) -> None:
    Batch.objects.create(name="theirs", environment=Environment.LOCAL, study=a_study("theirs"))
    staff = User.objects.create_user("staff", is_staff=True)
    owner = member(study, Role.OWNER)

    assert actions_in(user=staff, study=None) == frozenset(Action.values)
    assert actions_in(user=owner, study=None) == frozenset()
    assert names_open_to(staff, Action.MANAGE)[1] == {"ours", "theirs"}
    assert names_open_to(owner, Action.MANAGE)[1] == {"ours"}
