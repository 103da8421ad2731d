"""The measures that exist, by name."""

from metrics.measures.arab import ARAB
from metrics.measures.awrf import AWRF
from metrics.measures.base import Definition, Measure, parse
from metrics.measures.effectiveness import MRR, NDCG, RECALL
from metrics.measures.fairr import FAIRR
from metrics.measures.nfairr import NFAIRR
from metrics.measures.rab import RAB
from metrics.measures.rab_adjusted import RAB_ADJUSTED
from metrics.measures.texfair import TED, TED_NO_RBDF, TEXFAIR, TEXFAIR_NO_RBDF

# One line per measure, in the order of the tables.
_DEFINITIONS = {
    definition.name: definition
    for definition in (
        RAB,
        ARAB,
        RAB_ADJUSTED,
        FAIRR,
        NFAIRR,
        AWRF,
        TED,
        TED_NO_RBDF,
        TEXFAIR,
        TEXFAIR_NO_RBDF,
        MRR,
        RECALL,
        NDCG,
    )
}


def available() -> tuple[Definition, ...]:
    """All measures, in the order of the tables."""
    return tuple(_DEFINITIONS.values())


def get(text: str) -> Measure:
    """The measure of a name such as `ARaB@10`, `RaB` or `ARaB(magnitude=bool)@5`."""
    return parse(text, _DEFINITIONS)
