"""The kinds of questions: each is one module of this package, and found by itself."""

from annotation.schemes.kind import Kind
from metrics.modules import defined_in

#: By name, in the order of lists.
KINDS = defined_in(__name__, Kind)
