"""Identifiers as Amazon gives them out: capital letters and digits, impossible to guess."""

import secrets
import string

_ALPHABET = string.ascii_uppercase + string.digits
#: Prefix of the ids of simulated workers, and of no others.
SIMULATED_PREFIX = "ASIM"
#: Prefix of the ids of panel participants, whose identity needs proof, see `Verification`.
PANEL_PREFIX = "APANEL"


def entity_id() -> str:
    """The id of a HIT, a HIT type, an assignment and so on: 30 characters, the first is 3."""
    return "3" + _random(29)


def worker_id() -> str:
    """The id of a person: 14 characters, the first is A."""
    while (made := "A" + _random(13)).startswith((SIMULATED_PREFIX, PANEL_PREFIX)):
        pass
    return made


def participant_id() -> str:
    """The id of a participant of a panel: as long, and marked."""
    return PANEL_PREFIX + _random(8)


def access_key_id() -> str:
    return "AKIA" + _random(16)


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
