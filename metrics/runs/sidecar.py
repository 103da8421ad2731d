"""A ranker's statement about its run, in a file beside it, `RUN.meta.json`."""

import json
from collections.abc import Mapping
from pathlib import Path

from ..errors import InputError
from ..version import VERSION

#: The sizes of a model: all its parameters, and those of them that were transferred from elsewhere,
#: such as word vectors.
SIZES = ("n_parameters", "n_transferred")


def sidecar_of(path: str | Path) -> Path:
    """Where the sidecar of a run lies."""
    return Path(f"{path}.meta.json")


def sidecar_text(*, model: str, sizes: Mapping[str, int]) -> str:
    """The content of the sidecar of a run; `model_sizes` reads it back."""
    card = {"fairpool": VERSION, "model": model, **sizes}
    return json.dumps(card, ensure_ascii=False, indent=2) + "\n"


def model_sizes(path: str | Path) -> dict[str, int]:
    """Those of `SIZES` that the sidecar of a run names; none where nobody says.

    Raises `InputError` for a sidecar that is not a JSON object, and for a count that is not whole.
    """
    sidecar = sidecar_of(path)
    if not sidecar.is_file():
        return {}
    try:
        known = json.loads(sidecar.read_bytes())
    except ValueError:
        raise InputError("is not JSON.", path=sidecar) from None
    if not isinstance(known, dict):
        raise InputError("is not a JSON object.", path=sidecar)
    sizes = {name: known[name] for name in SIZES if known.get(name) is not None}
    for name, count in sizes.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise InputError(f"{name} is {count!r}, not a whole number.", path=sidecar)
    return sizes
