"""A live crowd service with the platform pointed at it, as the tests of publishing have it."""

from tests.annotation.publishing.conftest import crowd, make_batch, proxy

__all__ = ["crowd", "make_batch", "proxy"]
