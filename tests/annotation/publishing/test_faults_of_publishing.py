"""Cases 1 to 15 of what goes wrong while publishing: one HIT per item, and a ledger that is right.

The numbers are those of faults.md.
"""

from collections import Counter
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from annotation.batches.operations.publish import publish_batch
from annotation.crowd.errors import CrowdAwayError, CrowdStopError
from annotation.crowd.gateway import Gateway
from annotation.models import HIT, Batch
from annotation.vocabulary import BatchState, HITState
from metrics.errors import InputError
from mturk_local.models import Requester
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.faults import (
    Fault,
    FaultyProxy,
    empty_reply,
    html_error,
    keep_waiting,
    lose_reply,
    other_clock,
    refuse,
    rewrite,
    truncate_reply,
)
from tests.mturk_local.time_passing import let_time_pass

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

CREATE = "CreateHITWithHITType"


def publish(batch: Batch) -> None:
    publish_batch(batch_id=batch.pk, actor="test")


def assert_each_hit_exists_once(batch: Batch, gateway: Gateway) -> None:
    """The crowd holds the batch's HITs, each once, and the ledger knows them by their ids."""
    batch.refresh_from_db()
    assert batch.state == BatchState.PUBLISHED
    crowd = {hit.hit_id: hit.annotation for hit in gateway.list_hits()}
    assert crowd == dict(batch.hits.values_list("hit_id", "annotation"))
    assert set(batch.hits.values_list("state", "error")) == {(HITState.PUBLISHED, "")}
    assert batch.committed == sum(hit.unit_cost * hit.max_assignments for hit in batch.hits.all())


@pytest.mark.parametrize(
    "fault",
    [lose_reply, truncate_reply, empty_reply],
    ids=["1 lost reply", "7 truncated", "7 without HIT"],
)
def test_a_reply_that_does_not_come_makes_no_second_hit(
    fault: Fault, proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    proxy.order(CREATE, {2: fault})
    publish(batch)
    assert proxy.calls[CREATE] == 4
    assert_each_hit_exists_once(batch, gateway)


@pytest.mark.long
def test_8_a_reply_that_is_not_waited_for_makes_no_second_hit(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway, settings: Settings
) -> None:
    batch = make_batch()
    settings.MTURK_TIMEOUT_SECONDS = 5
    proxy.order(CREATE, {2: keep_waiting})
    publish(batch)
    # On a busy machine another reply may come too late as well.
    assert proxy.calls[CREATE] >= 4
    assert_each_hit_exists_once(batch, gateway)


def test_2_whoever_dies_between_reply_and_ledger_finds_the_hit_again(
    make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    publish(batch)
    # What a kill leaves behind: sent, and no id.
    batch.hits.filter(index=1).update(state=HITState.SENT, hit_id=None)
    Batch.objects.update(state=BatchState.PUBLISHING)
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


@pytest.mark.parametrize("exists", [True, False])
def test_3_a_day_later_the_hit_is_looked_for_before_anything_is_made(
    exists: bool, proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch(2)
    expired = refuse("ExpiredTokenException")
    proxy.order(CREATE, {1: lose_reply if exists else expired, 2: expired})
    with pytest.raises(CrowdStopError):
        publish(batch)
    assert len(list(gateway.list_hits())) == exists
    batch.hits.update(sent_at=timezone.now() - timedelta(hours=25))
    let_time_pass(25 * 3_600)
    proxy.order(CREATE, {})
    before = proxy.calls[CREATE]
    publish(batch)
    assert proxy.calls[CREATE] - before == (0 if exists else 1)
    assert_each_hit_exists_once(batch, gateway)


def test_4_a_hit_that_exists_without_a_readable_id_is_found_by_its_annotation(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch(2)
    exists = refuse("RequestError", "The HIT was made before.", turk="HITAlreadyExists")
    proxy.order(CREATE, {1: empty_reply, 2: exists})
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


def test_4_a_hit_that_exists_but_is_nowhere_is_reported_and_not_made_again(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    other = make_batch(2, name="other")
    publish(other)
    foreign = str(other.hits.get().hit_id)
    batch = make_batch(4)
    exists = refuse("RequestError", f"The HIT {foreign} was made before.", turk="HITAlreadyExists")
    proxy.order(CREATE, {1: exists})
    report = publish_batch(batch_id=batch.pk, actor="test")
    assert report.published == 1
    assert "no HIT there carries its annotation" in report.unresolved[0]
    assert batch.hits.get(index=0).state == HITState.SENT
    batch.refresh_from_db()
    assert batch.state == BatchState.PUBLISHING
    assert len(list(gateway.list_hits())) == 2


@pytest.mark.long
def test_5_throttling_in_bursts_slows_the_publisher_and_doubles_nothing(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch(12)
    throttle = refuse("ThrottlingException", "Rate exceeded")
    proxy.order(CREATE, lambda number: throttle if 3 <= number < 8 or number % 4 == 0 else None)
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


@pytest.mark.long
def test_6_faults_of_the_service_are_waited_out(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    proxy.order(
        CREATE,
        {
            1: refuse("ServiceFault", "try again", status=500),
            2: html_error,
            4: refuse("ServiceFault", "try again", status=400),
        },
    )
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


def test_9_when_the_money_runs_out_the_publisher_stops_and_later_goes_on(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch(20)
    no_money = refuse(
        "RequestError",
        "This Requester has insufficient funds in their account to complete this transaction.",
    )
    proxy.order(CREATE, {7: no_money})
    with pytest.raises(CrowdStopError):
        publish(batch)
    assert Counter(batch.hits.values_list("state", flat=True)) == {
        HITState.PUBLISHED: 6,
        HITState.SENT: 1,
        HITState.PLANNED: 3,
    }
    assert "insufficient funds" in batch.hits.get(state=HITState.SENT).error
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


def test_9_too_little_money_is_seen_before_the_first_hit(
    make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    Requester.objects.update(balance_cents=269)
    with pytest.raises(CrowdStopError, match=r"2\.70 USD.* 2\.69 USD"):
        publish(batch)
    assert list(gateway.list_hits()) == []


def test_10_a_hit_that_the_crowd_refuses_does_not_hold_up_the_others(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    bad_html = refuse("ParameterValidationError", "There was an error parsing the HTML5 data.")
    proxy.order(CREATE, {2: bad_html})
    report = publish_batch(batch_id=batch.pk, actor="test")
    assert report.published == 2
    assert "HTML5" in report.refused[1]
    refused = batch.hits.get(index=1)
    assert (refused.state, "HTML5" in refused.error) == (HITState.REFUSED, True)
    batch.refresh_from_db()
    assert batch.committed == 2 * 3 * refused.unit_cost
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (refuse("AccessDeniedException", "no", status=403), "AccessDenied"),
        (refuse("404", "Not yet implemented", status=404), "404"),
        (refuse("UnrecognizedClientException", "bad key"), "UnrecognizedClient"),
        (
            refuse("RequestError", "This user is not authorized to perform the operation."),
            "crowd check",
        ),
    ],
    ids=["access denied", "not implemented", "unknown key", "not authorized"],
)
def test_11_an_error_that_no_retry_helps_ends_the_command_with_a_clear_line(
    fault: Fault, says: str, proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    proxy.order(CREATE, {2: fault})
    with pytest.raises(CommandError, match=says):
        call_command("batch", "publish", "b", "--yes", "--quiet")
    assert proxy.calls[CREATE] == 2
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


def test_12_expired_credentials_stop_at_once_and_the_next_run_goes_on(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    proxy.order(CREATE, {2: refuse("ExpiredTokenException", "The security token has expired")})
    with pytest.raises(CrowdStopError):
        publish(batch)
    assert proxy.calls[CREATE] == 2
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


def test_13_a_wrong_clock_is_named_with_its_offset_and_nothing_is_repeated(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    proxy.order(CREATE, {1: other_clock(600)})
    with pytest.raises(CrowdStopError, match=r" (5\d\d|60[01]) s "):
        publish(batch)
    assert proxy.calls[CREATE] == 1
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


def test_14_a_batch_of_another_environment_is_refused_before_the_first_call(
    proxy: FaultyProxy, make_batch: MakeBatch, settings: Settings
) -> None:
    batch = make_batch()
    Batch.objects.update(environment="sandbox")
    with pytest.raises(InputError, match="sandbox"):
        publish(batch)
    settings.MTURK_ENVIRONMENT = "production"
    Batch.objects.update(environment="production")
    with pytest.raises(InputError, match="production"):
        publish(batch)
    assert proxy.calls == {}


def test_14_a_local_batch_follows_its_service_to_another_port_and_to_no_other_service(
    crowd: str, make_batch: MakeBatch, settings: Settings, gateway: Gateway
) -> None:
    batch = make_batch()
    publish(batch)
    moved = FaultyProxy(upstream=crowd)
    settings.MTURK_LOCAL_ENDPOINT = moved.start()
    batch.hits.filter(index=2).update(state=HITState.SENT, hit_id=None)
    Batch.objects.update(state=BatchState.PUBLISHING)
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)
    assert batch.endpoint == settings.MTURK_LOCAL_ENDPOINT
    moved.stop()

    stranger = FaultyProxy(upstream=crowd)
    settings.MTURK_LOCAL_ENDPOINT = stranger.start()
    stranger.order("GetHIT", lambda _n: refuse("RequestError", "Hit 3X does not exist."))
    Batch.objects.update(state=BatchState.PUBLISHING)
    with pytest.raises(InputError):
        publish(batch)
    stranger.stop()


def test_15_a_proxy_or_another_region_of_the_environment_does_not_matter_here(
    make_batch: MakeBatch, gateway: Gateway, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
    settings.MTURK_TIMEOUT_SECONDS = 7  # Another client than the other tests share.
    batch = make_batch()
    publish(batch)
    assert_each_hit_exists_once(batch, gateway)


def test_15_without_a_key_pair_the_command_says_how_to_get_one(
    make_batch: MakeBatch, settings: Settings
) -> None:
    make_batch()
    settings.MTURK_LOCAL_KEY_FILE.unlink()
    with pytest.raises(CommandError, match="crowd key"):
        call_command("batch", "publish", "b", "--yes", "--quiet")


@pytest.mark.long
def test_a_service_that_is_away_leaves_everything_as_it_was(
    make_batch: MakeBatch, settings: Settings
) -> None:
    batch = make_batch()
    settings.MTURK_LOCAL_ENDPOINT = "http://127.0.0.1:9/mturk/"
    with pytest.raises(CrowdAwayError, match="crowd check"):
        publish(batch)
    assert set(HIT.objects.values_list("state", flat=True)) == {HITState.PLANNED}
    assert Batch.objects.get().state == BatchState.DRAFT


def test_a_first_hit_with_other_terms_than_asked_for_stops_the_batch(
    proxy: FaultyProxy, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()
    proxy.order("GetHIT", {1: rewrite(lambda reply: {"HIT": {**reply["HIT"], "Reward": "2.50"}})})
    with pytest.raises(CrowdStopError):
        publish(batch)
    [hit] = gateway.list_hits()
    assert hit.status == "Reviewable"
