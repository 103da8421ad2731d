"""Pages of long lists: opaque tokens that hold the place of the last item, signed.

As on Amazon's service a page that holds anything comes with a token, even when it is the last one;
the end of a list is a page without items and without a token.
"""

from typing import Any, TypeVar

from django.core.signing import BadSignature, Signer
from django.db.models import Model, QuerySet
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from mturk_local.errors import RequestError

DEFAULT_PAGE = 10
_PREFIX = "p1:"
Row = TypeVar("Row", bound=Model)


def page_of(
    rows: QuerySet[Row], params: dict[str, Any], *, listing: str
) -> tuple[list[Row], str | None]:
    """The rows of the page that `params` (`NextToken`, `MaxResults`) ask for, and the next token.

    `listing` names the list and its filters; a token that was made for another list is refused.
    """
    if token := params.get("NextToken"):
        rows = rows.filter(pk__gt=_place(token, listing))
    page = list(rows.order_by("pk")[: params.get("MaxResults", DEFAULT_PAGE)])
    return page, _token(page[-1].pk, listing) if page else None


def _signer(listing: str) -> Signer:
    return Signer(salt=f"crowd-service.page.{listing}")


def _token(place: int, listing: str) -> str:
    return _PREFIX + urlsafe_base64_encode(_signer(listing).sign(str(place)).encode())


def _place(token: str, listing: str) -> int:
    try:
        signed = urlsafe_base64_decode(token.removeprefix(_PREFIX)).decode()
        return int(_signer(listing).unsign(signed))
    except (BadSignature, ValueError):
        raise RequestError(
            f"The NextToken '{token}' is not valid for this request.",
            turk_code="InvalidPaginationToken",
        ) from None
