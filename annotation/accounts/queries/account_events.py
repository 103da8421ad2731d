"""The log of accounts: of one, for whoever it belongs to, and of all, for staff."""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.models import AccountEvent

#: Rows that a page shows.
_MOST = 50


def account_events(*, user: User | None = None) -> QuerySet[AccountEvent]:
    """The latest acts on the account of `user`, otherwise on all accounts."""
    events = AccountEvent.objects.order_by("-at", "-pk")
    return (events.filter(account=user.get_username()) if user else events)[:_MOST]
