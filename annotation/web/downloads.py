"""Files that are made while they are sent."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

from annotation.core.csv_rows import csv_lines

#: Name in an address that asks for texts of people as they are.
RAW = "raw"

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


def download_table(
    request: HttpRequest, rows: Iterable[Sequence[object]], name: str
) -> StreamingHttpResponse:
    """The rows as a CSV of this name.

    Texts of people are not formulas to a spreadsheet, unless the address asks for them with `raw`.
    """
    return download_lines(csv_lines(rows, is_safe=is_safe(request)), name, "text/csv")


def is_safe(request: HttpRequest) -> bool:
    """Return whether texts of people are to be made safe for spreadsheets."""
    return RAW not in request.GET


def _parts(lines: Iterable[str]) -> Iterator[str]:
    rest = iter(lines)
    return iter(lambda: "".join(islice(rest, _LINES)), "")
