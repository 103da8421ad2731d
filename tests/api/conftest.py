"""What the tests of the API stand on."""

import pytest

from tests.api.world import World, make_world


@pytest.fixture
def world(db: None) -> World:
    return make_world()
