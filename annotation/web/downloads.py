"""Files that are made while they are sent."""

from collections.abc import Iterable

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from annotation.labels.export.parts import parts

_TYPES = {"csv": "text/csv", "tsv": "text/tab-separated-values", "jsonl": "application/jsonl"}


def download_lines(lines: Iterable[str], name: str) -> StreamingHttpResponse:
    """A file of this name; its ending says what it is."""
    kind = _TYPES[name.rpartition(".")[2]]
    disposition = content_disposition_header(as_attachment=True, filename=name) or ""
    return StreamingHttpResponse(
        parts(lines),
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": disposition},
    )
