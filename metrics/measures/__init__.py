"""Measures of bias, fairness and effectiveness: one file each, and a registry of their names."""

from metrics.measures.arab import arab
from metrics.measures.awrf import awrf
from metrics.measures.base import Definition, Inputs, Measure, ParamInfo, PerQuery
from metrics.measures.fairr import fairr, neutrality
from metrics.measures.nfairr import nfairr
from metrics.measures.rab import rab
from metrics.measures.registry import available, get
from metrics.measures.texfair import ted, texfair

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
    "neutrality",
    "nfairr",
    "rab",
    "ted",
    "texfair",
]
