"""Every network over word vectors by name. To add one, write its file and name it here."""

from collections.abc import Callable

from torch import nn

from rankers.neural.convknrm import ConvKNRM
from rankers.neural.knrm import KNRM
from rankers.neural.matchpyramid import MatchPyramid
from rankers.neural.pacrr import PACRR

#: Called with the number of dimensions of a word vector.
NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    "knrm": KNRM,
    "matchpyramid": MatchPyramid,
    "pacrr": PACRR,
    "convknrm": ConvKNRM,
}
