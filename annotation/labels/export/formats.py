"""All formats of labelled queries and of votes, by name."""

from annotation.labels.export.labels import LabelFormat
from annotation.labels.export.votes import VoteFormat
from metrics.modules import defined_in

LABEL_FORMATS = defined_in("annotation.labels.export.label_formats", LabelFormat)
#: `label import-votes` reads all of them.
VOTE_FORMATS = defined_in("annotation.labels.export.vote_formats", VoteFormat)
