"""Give a study another name."""

from dataclasses import dataclass

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Study
from annotation.studies.operations.studies import study_change


@dataclass(frozen=True, kw_only=True)
class RenameStudyParameters:
    name: str = parameter(max_length=100, label="New name", help_text="Must be new.")


class RenameStudy(Operation[Study, RenameStudyParameters]):
    """Give the study another name. What was exported before keeps the old one."""

    name = "rename study"
    title = "Rename"
    button = "Rename"
    subject = Study
    parameters = RenameStudyParameters

    def run(self, subject: Study, parameters: RenameStudyParameters, run: Run) -> Result:
        before = subject.name
        study_change(
            study=subject,
            name=parameters.name,
            description=subject.description,
            actor=run.actor.name,
        )
        return Result({"name": subject.name}, f"{before} is {subject.name} now.")


RENAME_STUDY = RenameStudy()
