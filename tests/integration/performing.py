"""Operations done here and now, as a command does them."""

from typing import Any

from annotation.core.operations import Actor, AnyOperation, Result
from annotation.core.perform import perform_here
from annotation.models import Study
from annotation.studies.operations.create import CREATE_STUDY


def do(operation: AnyOperation, subject: Any, **parameters: Any) -> Result:
    """Perform it as somebody on the command line, and wait for the end."""
    return perform_here(operation, subject, parameters, Actor("test"))


def create_study(name: str, owner: str = "") -> Study:
    """A new study; without an owner only members of staff see it."""
    made: Study = do(CREATE_STUDY, None, name=name, owner=owner).made
    return made
