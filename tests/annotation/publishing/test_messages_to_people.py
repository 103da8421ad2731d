"""What somebody reads is sent once, also where nobody can say whether it arrived."""

import pytest

from annotation.crowd.connection import environment_gateway
from annotation.crowd.errors import CrowdError
from tests.annotation.publishing.faults import (
    Fault,
    FaultyProxy,
    empty_reply,
    html_error,
    lose_reply,
    refuse,
    truncate_reply,
)

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

_THROTTLED = refuse("ThrottlingException")


@pytest.mark.parametrize("fault", [lose_reply, html_error, _THROTTLED])
def test_a_message_to_workers_is_sent_once(proxy: FaultyProxy, fault: Fault) -> None:
    proxy.order("NotifyWorkers", lambda _number: fault)

    with pytest.raises(CrowdError):
        environment_gateway("local").notify(["AWORKER00001"], subject="Thanks", text="Done.")

    assert proxy.calls["NotifyWorkers"] == 1


@pytest.mark.parametrize("fault", [empty_reply, truncate_reply])
def test_it_is_not_sent_again_because_its_reply_says_little(
    proxy: FaultyProxy, fault: Fault
) -> None:
    proxy.order("NotifyWorkers", lambda _number: fault)

    failures = environment_gateway("local").notify(["A1"], subject="Thanks", text="Done.")

    assert failures == {}
    assert proxy.calls["NotifyWorkers"] == 1
