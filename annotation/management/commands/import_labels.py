"""import_labels: decided labels in the released layout as a batch."""

from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.management.in_study import InStudyCommand

Command = InStudyCommand.of(
    IMPORT_LABELS, "import_labels queries_gender_annotated.csv --name released"
)
