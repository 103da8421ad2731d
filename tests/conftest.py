"""What every test may use."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest
from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate
from pytest_django.live_server_helper import LiveServer
from pytest_django.plugin import DjangoDbBlocker

from tests.live_server import OneReplyServer

# How long an example takes, or making one, says more about what else runs on the machine than
# about our code. The same examples every time: a test that fails for one of us fails for all.
hypothesis.settings.register_profile(
    "fairpool",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
# `make soak` looks for new examples instead.
hypothesis.settings.register_profile(
    "soak", hypothesis.settings.get_profile("fairpool"), derandomize=False, print_blob=True
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fairpool"))


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One more than `-n auto` finds: many tests wait for processes of their own."""
    return (yield) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file is one worker's: the one that takes longest begins first, or all wait for it."""
    items.sort(key=lambda item: item.path.parent.name != "pairs")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests and modules stay to the end: no search for garbage looks at them again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_unconfigure() -> None:
    """Undo the freeze, so that all objects end: DuckDB reports those that do not."""
    gc.unfreeze()


SHARED_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real collections beside the checkout; without it the test is skipped."""
    _need_shared_data()
    return SHARED_DATA


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what says that it needs the real collections, by whatever way it reads them."""
    if item.get_closest_marker("shared_data"):
        _need_shared_data()


def _need_shared_data() -> None:
    if not SHARED_DATA.is_dir():
        pytest.skip("the real collections (../shared/data) are not beside this checkout")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """After a test of whole transactions permissions come back at once, not model by model."""
    if not apps.is_installed("annotation"):
        return  # the crowd service alone has none
    models = [apps.get_model(name) for name in ("contenttypes.ContentType", "auth.Permission")]
    with django_db_blocker.unblock():
        kept = [(model._default_manager, list(model._default_manager.all())) for model in models]

    def bring_back(using: str, **_: object) -> None:
        if using == "default":
            for manager, rows in kept:
                manager.bulk_create(rows)

    post_migrate.disconnect(
        create_permissions, dispatch_uid="django.contrib.auth.management.create_permissions"
    )
    post_migrate.disconnect(create_contenttypes)
    post_migrate.connect(bring_back, sender=apps.get_app_config("auth"), weak=False)


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """The site on a port of its own, which ends each connection with its reply."""
    server = LiveServer("localhost", start=False)
    server.thread.server_class = OneReplyServer  # type: ignore[assignment]
    server.start()
    yield server
    server.stop()
