"""One of some points in a row, which are whole numbers."""

from annotation.schemes.kind import Kind
from metrics.vocabulary import Level

SCALE = Kind(
    name="scale",
    words="A point of a scale",
    position=3,
    levels=(Level.INTERVAL, Level.ORDINAL),
    has_points=True,
    most=11,
    too_few="a scale needs at least two points",
)
