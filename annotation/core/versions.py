"""Optimistic locking: a decision on a state that has changed since is refused.

A version is the state itself, encoded: facts as people read them, by name. So both the state seen
and the current one can be shown, and nothing needs to be stored.
"""

import base64
import json
from collections.abc import Mapping
from typing import cast

from metrics.errors import InputError

#: Facts as people read them, by name.
State = Mapping[str, str]
_LONGEST = 20_000
_MOST_FACTS = 50


class StaleError(InputError):
    """The decision was about a state that has changed; `version` is that of the state `now`."""

    def __init__(self, seen: State, now: State) -> None:
        self.seen, self.now, self.version = dict(seen), dict(now), version_of(now)
        changed = [name for name in {**seen, **now} if seen.get(name) != now.get(name)]
        text = "; ".join(
            f"{name}: you saw “{seen.get(name, 'nothing')}”, now it is “{now.get(name, 'nothing')}”"
            for name in changed
        )
        super().__init__(
            f"this has changed meanwhile, and nothing was done. {text}.",
            remedy="If you still want it, decide again.",
        )


def version_of(state: State) -> str:
    """The version of a state: equal for equal facts, and nothing else."""
    written = json.dumps(dict(sorted(state.items())), ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def check_version(version: str | None, now: State) -> None:
    """Raise `StaleError` if `version` is of another state than `now`; None passes.

    Raises `InputError` for an invalid version.
    """
    if version is not None and version != version_of(now):
        raise StaleError(_state_of(version), now)


def _state_of(version: str) -> State:
    try:
        held = json.loads(base64.b64decode(version + "=" * (-len(version) % 4), b"-_", True))
    except (ValueError, RecursionError):
        held = None
    is_state = isinstance(held, dict) and len(version) <= _LONGEST and len(held) <= _MOST_FACTS
    if not is_state or not all(isinstance(fact, str) for fact in held.values()):
        raise InputError(
            "this is not a version that the site gave out.", remedy="Look at it again."
        )
    return cast("State", held)
