"""Tables are ordered and filtered by their address, which a person can keep and send."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.core.ordering import ordered
from annotation.models import AuditEvent, Batch, Membership, Study
from annotation.web.filters import stored_form
from tests.study import a_study, stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> Batch:
    return with_votes(stored_batch(stored_pool(4)))


def test_queries_keep_their_filter_when_they_are_ordered(
    admin_client: Client, batch: Batch
) -> None:
    address = reverse("batch-queries", args=[batch.pk])
    shown = admin_client.get(address, {"sort": "-id", "text": "q", "page": "1"})
    ids = [row.qid for row in shown.context["page"]]
    assert ids == sorted(ids, reverse=True)
    heads = {head.title: head for head in shown.context["heads"]}
    assert heads["Id"].direction == "descending"
    assert heads["Id"].question == "sort=id&text=q"
    assert heads["Label"].direction == ""
    assert 'name="sort" value="-id"' in shown.content.decode()


def test_workers_are_ordered_and_those_without_a_value_stay_last(
    admin_client: Client, batch: Batch
) -> None:
    address = reverse("batch-workers", args=[batch.pk])
    shown = admin_client.get(address, {"sort": "-worker"})
    names = [row.name for row in shown.context["workers"]]
    assert names == sorted(names, reverse=True)
    heads = {head.title: head for head in shown.context["heads"]}
    assert (heads["Worker"].direction, heads["Worker"].question) == ("descending", "sort=worker")
    assert heads["State"].question == ""
    for is_descending, known in ((False, [1, 2]), (True, [2, 1])):
        rows = ordered([None, 2, None, 1], lambda value: value, is_descending=is_descending)
        assert rows == [*known, None, None]


def test_workers_with_warnings_come_first_and_are_counted(admin_client: Client) -> None:
    batch = with_votes(stored_batch(stored_pool(30)), ("nnf", "ffn", "mmn"))
    shown = admin_client.get(reverse("batch-workers", args=[batch.pk]))
    warned = [bool(row.quality.remarks) for row in shown.context["workers"]]
    assert warned == sorted(warned, reverse=True)
    assert shown.context["n_warned"] == sum(warned) > 0


def test_an_order_that_nobody_knows_is_refused(admin_client: Client, batch: Batch) -> None:
    address = reverse("batch-queries", args=[batch.pk])
    refused = admin_client.get(address, {"sort": '"><script>'})
    assert refused.status_code == 400
    assert "<script>&" not in refused.content.decode()


def test_batches_are_ordered_by_a_number_and_found_by_a_name(
    admin_client: Client, batch: Batch
) -> None:
    Batch.objects.create(
        name="another", environment="imported", state="imported", study=a_study("another")
    )
    address = reverse("batch-list")
    names = [row.name for row in admin_client.get(address, {"sort": "-queries"}).context["batches"]]
    assert names == [batch.name, "another"]
    found = admin_client.get(address, {"name": "ANOTH"}).context["batches"]
    assert [row.name for row in found] == ["another"]
    assert admin_client.get(address, {"name": "none such"}).status_code == 200


def test_a_passage_that_was_encoded_twice_keeps_its_stored_form_at_hand() -> None:
    assert stored_form([("she said ", ""), ("hers", "f")]) == ""
    twice = "na\u00c3\u00afve "
    assert stored_form([(twice, ""), ("she", "f")]) == f"{twice}she"


@pytest.fixture
def study() -> Study:
    """Two events of the log, and two members; and another study."""
    study = Study.objects.create(name="beta")
    Study.objects.create(name="alpha")
    for name, paid in (("zoe", 2), ("ada", 1)):
        AuditEvent.objects.create(study=study, actor=name, action=f"paid {name}", paid=paid)
        user = User.objects.create_user(name)
        Membership.objects.create(study=study, user=user, role="viewer")
    return study


def test_studies_are_ordered_and_found_by_name(admin_client: Client, study: Study) -> None:
    Batch.objects.create(name="b", environment="imported", state="imported", study=study)

    def names(**asked: str) -> list[str]:
        rows = admin_client.get(reverse("study-list"), asked).context["rows"]
        return [row["flow"].study.name for row in rows]

    assert names(sort="name") == ["alpha", "beta"]
    assert names(sort="-name") == ["beta", "alpha"]
    assert sorted(names(sort="-steps")) == ["alpha", "beta"]
    assert names(name="ALP") == ["alpha"]
    assert names(name="\x00") == names()
    page = admin_client.get(reverse("study-list"), {"name": "none such"})
    assert 'value="none such"' in page.content.decode()


def test_pools_and_their_queries_are_ordered(admin_client: Client) -> None:
    small, large = stored_pool(2, "small"), stored_pool(4, "large")
    shown = admin_client.get(reverse("pool-list"), {"sort": "queries"})
    assert [pool.name for pool in shown.context["pools"]] == [small.name, large.name]
    shown = admin_client.get(reverse("pool-list"), {"name": "LAR"})
    assert [pool.name for pool in shown.context["pools"]] == [large.name]
    address = reverse("pool-detail", args=[large.pk])
    shown = admin_client.get(address, {"sort": "-id", "direction": "f"})
    ids = [query.qid for query in shown.context["page"]]
    assert ids == sorted(ids, reverse=True)
    heads = {head.title: head for head in shown.context["heads"]}
    assert heads["Id"].question == "sort=id&direction=f"


def test_logs_are_ordered_in_the_database_and_members_by_name(
    admin_client: Client, study: Study
) -> None:
    address = reverse("study-log", args=[study.pk])
    for sort, first in (("paid", 1), ("-paid", 2), ("who", 1)):
        shown = admin_client.get(address, {"sort": sort})
        assert next(event.paid for event in shown.context["events"]) == first, sort
    # What happened last comes first, and details order nothing.
    assert admin_client.get(address, {"sort": "details"}).status_code == 400
    details = admin_client.get(address)
    assert [event.actor for event in details.context["events"]] == ["ada", "zoe"]
    assert {head.title: head.question for head in details.context["heads"]}["Details"] == ""
    members = reverse("study-members", args=[study.pk])
    for asked, names in (({"sort": "-name"}, ["zoe", "ada"]), ({"name": "ZO"}, ["zoe"])):
        shown = admin_client.get(members, asked)
        assert [one.user.username for one in shown.context["members"]] == names
