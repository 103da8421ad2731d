"""What a ranker says about a run in a file beside it, `RUN.meta.json`."""

import json
from pathlib import Path

from ..errors import InputError
from ..version import VERSION


def sidecar_of(path: str | Path) -> Path:
    """Where the sidecar of a run lies."""
    return Path(f"{path}.meta.json")


def sidecar_text(*, model: str, n_parameters: int) -> str:
    """What a ranker writes into the sidecar of its run; `parameter_count` reads it back."""
    card = {"fairpool": VERSION, "model": model, "n_parameters": n_parameters}
    return json.dumps(card, ensure_ascii=False, indent=2) + "\n"


def parameter_count(path: str | Path) -> int | None:
    """`n_parameters` of the sidecar: how many the model has; None where nobody says.

    Raises `InputError` for a sidecar that is no JSON object, or a count that is no whole number.
    """
    sidecar = sidecar_of(path)
    if not sidecar.is_file():
        return None
    try:
        known = json.loads(sidecar.read_bytes())
    except ValueError:
        raise InputError("is no JSON.", path=sidecar) from None
    if not isinstance(known, dict):
        raise InputError("is no JSON object.", path=sidecar)
    count = known.get("n_parameters")
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 0):
        raise InputError(f"n_parameters is {count!r}, not a whole number.", path=sidecar)
    return count
