"""Identifiers as Amazon gives them out: capital letters and digits, impossible to guess."""

import secrets
import string

_ALPHABET = string.ascii_uppercase + string.digits
#: Ids of workers that no person stands behind start so, and no other worker's id does.
SIMULATED_PREFIX = "ASIM"


def entity_id() -> str:
    """The id of a HIT, a HIT type, an assignment and so on: 30 characters, the first is 3."""
    return "3" + _random(29)


def worker_id() -> str:
    """The id of a person: 14 characters, the first is A."""
    while (made := "A" + _random(13)).startswith(SIMULATED_PREFIX):
        pass
    return made


def access_key_id() -> str:
    return "AKIA" + _random(16)


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
