"""A requester's money, long lists, and what requesters cannot see of each other."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError
from django.core.management import CommandError, call_command
from pytest_django import Settings

from mturk_local.commands import key
from tests.mturk_local.conftest import (
    AT_ONCE,
    Annotator,
    assignments,
    available,
    make_hit,
)

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]


def test_money_is_held_for_open_work_and_paid_on_approval(
    mturk: "MTurkClient", annotator: People
) -> None:
    # 0.25 USD and 20 % of it, twice: 0.60 USD.
    hit_id = make_hit(mturk, MaxAssignments=2)
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.60"
    assert available(mturk) == "9999.40"
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat")
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=AT_ONCE)
    assert available(mturk) == "9999.70"
    mturk.approve_assignment(AssignmentId=assignments(mturk, hit_id)[0]["AssignmentId"])

    balance = mturk.get_account_balance()
    assert (balance["AvailableBalance"], balance["OnHoldBalance"]) == ("9999.70", "0.00")


def test_a_hit_that_the_balance_does_not_cover_is_refused(mturk: "MTurkClient") -> None:
    with pytest.raises(ClientError, match="RequestError"):
        make_hit(mturk, Reward="9000.00", MaxAssignments=1)

    assert (available(mturk), mturk.list_hits()["HITs"]) == ("10000.00", [])


def test_lists_come_in_pages_that_end_with_an_empty_one(mturk: "MTurkClient") -> None:
    made = [make_hit(mturk) for _ in range(12)]
    first = mturk.list_hits()
    second = mturk.list_hits(NextToken=first["NextToken"])
    end = mturk.list_hits(NextToken=second["NextToken"])

    assert (first["NumResults"], second["NumResults"], end["NumResults"]) == (10, 2, 0)
    assert "NextToken" not in end
    pages = mturk.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 5})
    assert [hit["HITId"] for page in pages for hit in page["HITs"]] == made
    with pytest.raises(ClientError, match="NextToken"):
        mturk.list_reviewable_hits(NextToken=first["NextToken"])


def test_another_requesters_things_do_not_exist(
    client_of: Callable[[str], "MTurkClient"], annotator: People
) -> None:
    lab, other = client_of("lab"), client_of("other")
    hit_id = make_hit(lab)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat")
    assignment_id = assignments(lab, hit_id)[0]["AssignmentId"]

    with pytest.raises(ClientError, match=hit_id):
        other.get_hit(HITId=hit_id)
    with pytest.raises(ClientError, match=assignment_id):
        other.approve_assignment(AssignmentId=assignment_id)
    assert other.list_hits()["HITs"] == []


def test_every_paginator_of_the_client_comes_to_an_end(mturk: "MTurkClient") -> None:
    type_id = mturk.create_qualification_type(
        Name="trained", Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    hit_id = make_hit(mturk)
    asked: dict[str, dict[str, Any]] = {
        "list_assignments_for_hit": {"HITId": hit_id},
        "list_bonus_payments": {"HITId": hit_id},
        "list_hits_for_qualification_type": {"QualificationTypeId": type_id},
        "list_qualification_types": {"MustBeRequestable": False},
        "list_workers_with_qualification_type": {"QualificationTypeId": type_id},
    }
    paginators = [
        name for name in dir(mturk) if name.startswith("list_") and mturk.can_paginate(name)
    ]
    found = {
        # The stubs know the paginators by their literal names only.
        name: cast("Any", mturk)
        .get_paginator(name)
        .paginate(**asked.get(name, {}))
        .build_full_result()
        for name in paginators
    }

    assert len(paginators) == 9
    assert [hit["HITId"] for hit in found["list_hits"]["HITs"]] == [hit_id]
    types = found["list_qualification_types"]["QualificationTypes"]
    assert [kind["QualificationTypeId"] for kind in types] == [type_id]


def test_a_deposit_adds_to_the_balance(
    client_of: Callable[[str], "MTurkClient"], settings: Settings, tmp_path: Path
) -> None:
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "key.json"
    mturk = client_of("lab")
    call_command(key.Command(), requester="lab", deposit="12.5", quiet=True)

    assert available(mturk) == "10012.50"
    with pytest.raises(CommandError):
        call_command(key.Command(), requester="lab", deposit="-1", quiet=True)
