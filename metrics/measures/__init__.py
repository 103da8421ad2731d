"""Measures of bias, fairness and effectiveness: one file each, and a registry of their names."""

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
