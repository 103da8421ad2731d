"""Uploads: written to disk in pieces, and refused beyond their limits."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import SkipFile, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponseBase

from annotation.studies.file_store import file_too_large
from metrics.errors import InputError
from metrics.vocabulary import LARGEST_TABLE

#: The page that takes the files of a study, and those that read a table into memory; every other
#: page has small attachments at most.
_FILES_OF_A_STUDY = "study-files"
_TABLES = (
    *("study-import", "import", "study-model-import", "labels-qrels-import"),
    *("worker-approvals", "batch-prolific-responses"),
)
_MEGABYTE = 1_000_000
_LARGEST_ATTACHMENT = 10 * _MEGABYTE


class UploadHandler(TemporaryFileUploadHandler):
    """Drops uploads of strangers and too large ones, and reads on.

    It runs before any view, as the form token is in the same body. The view finds the names of too
    large files in `too_large`.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        self._limit = _limit_of(self.request)
        if not self._limit:
            raise SkipFile
        super().new_file(*args, **kwargs)
        self.request.last_upload = self.file  # type: ignore[union-attr] # for `close_uploads`

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > self._limit:
            dropped = [*too_large(self.request), self.file_name]
            self.request.too_large = dropped  # type: ignore[union-attr] # for the view
            raise SkipFile
        super().receive_data_chunk(raw_data, start)


def close_uploads(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that deletes the file which was being read when a request broke off.

    Django closes complete files; if the client disconnects, or a part cannot be decoded, it keeps
    the open file as long as the exception lives.
    """

    def closing(request: HttpRequest) -> HttpResponseBase:
        try:
            return get_response(request)
        finally:
            if last := getattr(request, "last_upload", None):
                last.close()

    return closing


def too_large(request: HttpRequest | None) -> list[str]:
    """The names of the files of this request that were dropped for their size."""
    return getattr(request, "too_large", [])


def uploads_of(request: HttpRequest) -> list["UploadedFile[bytes]"]:
    """The files of the field `file`, in the order in which they came."""
    return list(request.FILES.getlist("file"))


def table_of(request: HttpRequest, what: str) -> "UploadedFile[bytes]":
    """The one table that was uploaded; `what` names it to whoever chose none or several."""
    for name in too_large(request):
        raise file_too_large(name, table_limit())
    files = uploads_of(request)
    if len(files) != 1:
        raise InputError("no file was chosen.", remedy=f"Choose one file of {what}.")
    return files[0]


def upload_limit() -> int:
    """Return the largest size of a study's file, in bytes, for the page to announce."""
    return int(settings.UPLOAD_LIMIT_MB * _MEGABYTE)


def table_limit() -> int:
    """Return the largest size of a table of labels or votes, in bytes."""
    return min(upload_limit(), LARGEST_TABLE)


def _limit_of(request: HttpRequest | None) -> int:
    """Return the largest size of a file in this request, in bytes."""
    if request is None or not (settings.OPEN or request.user.is_authenticated):
        return 0
    where = request.resolver_match
    if where is not None and where.url_name == _FILES_OF_A_STUDY:
        return upload_limit()
    if where is not None and where.url_name in _TABLES:
        return table_limit()
    return _LARGEST_ATTACHMENT
