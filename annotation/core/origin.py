"""Where an act comes from: the address of a request and who is signed in there, or a command."""

import getpass
import os
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

#: Where acts come from that no request asks for: a command, or a job.
HERE = "this server"


@dataclass(frozen=True)
class Origin:
    """`name` gives the user name of whoever is signed in, or ""; it may ask the database."""

    address: str
    name: Callable[[], str]


#: The origin of what is done in this context; a middleware sets it for each request.
origin: ContextVar[Origin | None] = ContextVar("origin", default=None)


def address_here() -> str:
    """The address of the client that is answered, or `HERE`."""
    known = origin.get()
    return known.address if known else HERE


def actor_here() -> str:
    """The name of whoever is signed in where the request comes from, or who ran the command."""
    known = origin.get()
    return known.name() if known else actor()


def actor() -> str:
    """Return the log's name for the user at the command line."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container may run under a user id that has no name
        name = f"user {os.getuid()}"
    return f"{name} (command line)"
