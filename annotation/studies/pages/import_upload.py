"""An operation that takes one file, done with the one that a page uploads."""

from django.http import HttpRequest

from annotation.core.operations import AnyOperation, Result
from annotation.core.perform import perform_here
from annotation.models import Batch
from annotation.studies.file_store import receive, workplace
from annotation.studies.operations.files import in_words_of, shown_name
from annotation.studies.pages.uploads import table_of
from annotation.web.access import who
from metrics.errors import InputError


def import_upload(
    request: HttpRequest, operation: AnyOperation, batch: Batch, *, name: str, what: str
) -> Result:
    """The result of `operation` on the uploaded file, called `name` while it is read.

    Errors have the name that it came with; `what` names the table to whoever chose none or several.
    """
    file = table_of(request, what)
    with workplace() as folder:
        path, display_name = folder / name, shown_name(file.name or "")
        receive(file, path)
        try:
            return perform_here(operation, batch, {"file": path}, who(request))
        except InputError as error:
            raise in_words_of(error, path, display_name) from error
