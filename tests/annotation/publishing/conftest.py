"""A live crowd service that the platform's own settings point to, and batches to publish."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.batches import create_batch
from annotation.batches.operations.planning import BatchPlan, PlannedQuery
from annotation.crowd.connection import environment_gateway
from annotation.crowd.gateway import Gateway
from annotation.models import Batch
from mturk_local.keys import key_file_ensure
from mturk_local.models import Panel
from tests.annotation.publishing.faults import FaultyProxy
from tests.annotation.publishing.panels import Come, participant_comes
from tests.study import a_study

MakeBatch = Callable[..., Batch]


@pytest.fixture(autouse=True)
def crowd(
    live_server: LiveServer, transactional_db: None, settings: Settings, tmp_path: Path
) -> str:
    """The endpoint of the crowd service; the platform has a key pair for it."""
    settings.MTURK_ENVIRONMENT = "local"
    settings.MTURK_LOCAL_ENDPOINT = f"{live_server.url}/mturk/"
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "crowd-key.json"
    key_file_ensure(settings.MTURK_LOCAL_KEY_FILE, requester_name="lab")
    endpoint: str = settings.MTURK_LOCAL_ENDPOINT
    return endpoint


@pytest.fixture
def make_batch() -> MakeBatch:
    """Stores a draft of `n` queries `q0`, `q1`, ..., two on a HIT unless said otherwise."""

    def make(n: int = 6, *, name: str = "b", **terms: Any) -> Batch:
        queries = [PlannedQuery(f"q{number}", f"query number {number}") for number in range(n)]
        plan = BatchPlan(name=name, queries=queries, **{"queries_per_hit": 2, **terms})
        return create_batch(plan=plan, environment="local", actor="test", study=a_study(name))

    return make


@pytest.fixture
def proxy(crowd: str, settings: Settings) -> Iterator[FaultyProxy]:
    """Stands between the platform and the crowd service."""
    proxy = FaultyProxy(upstream=crowd)
    settings.MTURK_LOCAL_ENDPOINT = proxy.start()
    yield proxy
    proxy.stop()


@pytest.fixture
def gateway(crowd: str) -> Gateway:
    return environment_gateway("local")


@pytest.fixture
def come(live_server: LiveServer) -> Come:
    """A participant comes by the link of a panel, which the crowd service knows."""
    Panel.objects.create(slug="gender", provider="prolific", completion_code="C")
    return partial(participant_comes, live_server.url)
