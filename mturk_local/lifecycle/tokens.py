"""The memory of `UniqueRequestToken`: a day long, one per requester and kind of request."""

from collections.abc import Callable
from datetime import datetime, timedelta

from mturk_local.errors import CrowdError
from mturk_local.models import Requester, RequestToken

_MEMORY = timedelta(hours=24)


def token_use(
    *,
    requester: Requester,
    scope: str,
    token: str | None,
    subject: str,
    now: datetime,
    refusal: Callable[[RequestToken], CrowdError],
) -> None:
    """Note `token` as used for making `subject`; `refusal(earlier)` is raised if it already was.

    To be called in the transaction that makes `subject`: the loser of a race for a token rolls
    back. A token older than a day is forgotten, as on Amazon.
    """
    if not token:
        return
    mine = {"requester": requester, "scope": scope, "token": token}
    used, fresh = RequestToken.objects.get_or_create(
        **mine, defaults={"subject": subject, "used_at": now}
    )
    if fresh:
        return
    forgotten = RequestToken.objects.filter(**mine, used_at__lte=now - _MEMORY)
    if not forgotten.update(subject=subject, used_at=now):
        raise refusal(used)
