"""One option or more."""

from annotation.schemes.kind import Kind

MULTI = Kind(
    name="multi",
    words="Several options",
    position=2,
    takes_several=True,
    too_few="several options need at least two",
)
