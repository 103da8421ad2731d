"""Names and defaults that the rankers share with their commands."""

from typing import Literal, get_args

SEED = 2020
#: How a model scores: as its own files say, or as a T5 that answers "true" or "false".
ModelKind = Literal["auto", "monot5"]
MODEL_KINDS: tuple[ModelKind, ...] = get_args(ModelKind)
