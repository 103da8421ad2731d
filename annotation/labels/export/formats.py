"""All formats of labelled queries and of votes, by name."""

from annotation.labels.export.file_formats import find_formats
from annotation.labels.export.labels import LabelFormat
from annotation.labels.export.votes import VoteFormat

LABEL_FORMATS = find_formats("annotation.labels.export.label_formats", LabelFormat)
#: `label import-votes` reads all of them.
VOTE_FORMATS = find_formats("annotation.labels.export.vote_formats", VoteFormat)
