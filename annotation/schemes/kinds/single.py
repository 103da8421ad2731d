"""One of several options, in no order or in one."""

from annotation.schemes.kind import Kind
from metrics.vocabulary import Level

SINGLE = Kind(
    name="single",
    words="One of several options",
    position=1,
    levels=(Level.NOMINAL, Level.ORDINAL),
    too_few="one of several options needs at least two of them",
)
