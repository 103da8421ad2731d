"""The measures that exist, by name."""

from .arab import ARAB
from .awrf import AWRF
from .base import Definition, Measure, parse
from .effectiveness import MRR, NDCG, RECALL
from .fairr import FAIRR
from .label_exposure import LABEL_AWRF, LABEL_EXPOSURE
from .liwc import LIWC
from .nfairr import NFAIRR
from .rab import RAB
from .rab_adjusted import RAB_ADJUSTED
from .texfair import TED, TED_NO_RBDF, TEXFAIR, TEXFAIR_NO_RBDF

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
        LIWC,
        LABEL_EXPOSURE,
        LABEL_AWRF,
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
