"""Measures of bias, fairness and effectiveness: one file each, and a registry of their names.

Each is an attribute as well, for completion in editors: `measures.RaB @ 10`,
`measures.AWRF_TREC(magnitude="bool") @ 5`. `measures["RaB@10"]` is `get("RaB@10")`.
"""

import sys
from types import ModuleType
from typing import NoReturn

from ..aliases import MEASURES, OF_IR_MEASURES, READERS_OF_MEASURES
from ..errors import InputAttributeError, InputTypeError, did_you_mean
from .arab import arab
from .awrf import awrf
from .base import Definition, Inputs, Measure, ParamInfo, PerQuery
from .fairr import fairr, neutrality
from .label_exposure import label_exposure
from .nfairr import nfairr
from .rab import rab
from .registry import available, get
from .texfair import ted, texfair

__all__ = [
    "Definition",
    "Inputs",
    "Measure",
    "ParamInfo",
    "PerQuery",
    "arab",
    "available",
    "awrf",
    "fairr",
    "get",
    "label_exposure",
    "neutrality",
    "nfairr",
    "rab",
    "ted",
    "texfair",
]


def by_name() -> dict[str, Definition]:
    """The measures by their names as those of Python."""
    return {definition.name.replace("-", "_"): definition for definition in available()}


def __getattr__(name: str) -> Definition:
    # `RaB` is not a module: those of the package are imported without asking here.
    definition = by_name().get(name) if not name.startswith("_") else None
    if definition is None and name in OF_IR_MEASURES:
        definition = get(name).definition
    if definition is None:
        remedy = did_you_mean(name, __dir__()).strip() or "Names are those of list_measures()."
        if meant := MEASURES.get(name.lower()):
            remedy = f'Did you mean measures["{meant}@10"]?'
        if name in READERS_OF_MEASURES:
            remedy = 'Use measures.get("RaB@10").'
        raise InputAttributeError(f"fairpool.measures has no attribute {name!r}.", remedy=remedy)
    return definition


def __dir__() -> list[str]:
    return sorted({*__all__, *by_name()})


class _Measures(ModuleType):
    def __getitem__(self, text: str) -> Measure:
        return get(text)

    def __call__(self) -> NoReturn:
        raise InputTypeError("fairpool.measures is a module.", remedy="Use list_measures().")


sys.modules[__name__].__class__ = _Measures
