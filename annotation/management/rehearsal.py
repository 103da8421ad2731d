"""A market for rehearsals beside the site, in a process that ends with this one."""

import multiprocessing
import os
import secrets
import signal
import threading
from multiprocessing.connection import Connection

from annotation.management.orphans import when_orphaned
from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving


def rehearse(site: str) -> dict[str, str]:
    """Start a double of Prolific; the environment in which processes find it in Prolific's place.

    It sends events to `site`, unless the site has an address already. The market lives as long as
    this process, whatever program that executes.
    """
    token = secrets.token_hex(16)
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("fork")
    context.Process(target=_keep_market, args=(theirs, token)).start()
    return {
        "PROLIFIC_ADDRESS": ours.recv(),
        "PROLIFIC_TOKEN": token,
        "FAIRPOOL_SITE": os.environ.get("FAIRPOOL_SITE") or site,
    }


def _keep_market(to_parent: Connection, token: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with its parent
    over = threading.Event()
    with serving(Market(), token=token) as address:
        when_orphaned(over.set)
        to_parent.send(address)
        over.wait()
