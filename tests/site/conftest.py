"""A live crowd service and its client, as the tests of that house have them."""

from tests.mturk_local.conftest import client_of, crowd, mturk

__all__ = ["client_of", "crowd", "mturk"]
