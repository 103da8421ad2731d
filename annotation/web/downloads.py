"""Files that are made while they are sent."""

from collections.abc import Iterable, Iterator
from itertools import islice

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

#: Lines that a web server sends at once.
_LINES = 1_000


def download_lines(lines: Iterable[str], name: str, content_type: str) -> StreamingHttpResponse:
    """The lines as a file of this name."""
    disposition = content_disposition_header(as_attachment=True, filename=name) or ""
    return StreamingHttpResponse(
        _parts(lines),
        content_type=f"{content_type}; charset=utf-8",
        headers={"Content-Disposition": disposition},
    )


def _parts(lines: Iterable[str]) -> Iterator[str]:
    rest = iter(lines)
    return iter(lambda: "".join(islice(rest, _LINES)), "")
