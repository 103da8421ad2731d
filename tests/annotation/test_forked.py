"""Processes that fork, as Celery's do, never share a connection to the crowd."""

import os
from functools import partial

from annotation.crowd.client import KeyPair, connect

_of_the_crowd = partial(connect, "http://127.0.0.1:1/mturk/", KeyPair("AKIA", "secret"))


def test_a_forked_child_has_a_client_of_its_own() -> None:
    before = _of_the_crowd()
    child = os.fork()
    if child == 0:
        os._exit(int(_of_the_crowd() is before))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert _of_the_crowd() is before
