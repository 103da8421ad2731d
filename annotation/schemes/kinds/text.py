"""Free text, which decides nothing."""

from annotation.schemes.kind import Kind

TEXT = Kind(name="text", words="Free text", position=4, fewest=0, most=0)
