"""Accounts for a list of people at once, with random passwords that are shown once."""

import re
import secrets
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from annotation.batches.operations.inviting.account import INVITE_ACCOUNT
from annotation.core.forms import BESIDE
from annotation.core.names_sent import check_names
from annotation.core.perform import perform
from annotation.models import Batch
from annotation.vocabulary import Action
from annotation.web.access import batch_view, who
from annotation.web.buttons import button
from annotation.web.pages import batch_page
from metrics.errors import InputError

#: Each password is digested slowly, and somebody waits for all of them.
MOST_NAMES = 50
#: Characters that are not easily confused; twelve of them are 59 bits.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 3, 4


class MadeAccount(NamedTuple):
    """An account, and the only copy of its password."""

    name: str
    password: str


@never_cache
@button(batch_view(Action.MANAGE))
def invite_accounts(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Make an account for each name of the list, and show the failures beside the others."""
    check_names(request.POST, {"usernames", *BESIDE})
    made, refused = [], []
    for name in _names(request.POST.get("usernames", "")):
        password = _draw_password()
        values = {"username": name, "password": password}
        try:
            perform(INVITE_ACCOUNT, batch, values, who(request))
        except InputError as error:
            # Goes on, since the earlier passwords are stored nowhere else.
            refused.append((name, str(error)))
        else:
            made.append(MadeAccount(name, password))
    context = {"made": made, "refused": refused}
    return batch_page(request, "accounts_made", batch, "invite", **context)


def _names(text: str) -> list[str]:
    """Return the names, separated by lines, commas or semicolons, each once."""
    parts = (part.strip() for part in re.split(r"[\n,;]", text))
    names = list(dict.fromkeys(part for part in parts if part))
    if not names:
        raise InputError("The list has no name.", remedy="Write one name or address a line.")
    if len(names) > MOST_NAMES:
        raise InputError(
            f"The list has {len(names)} names, more than {MOST_NAMES}.",
            remedy=f"Make the accounts in lists of up to {MOST_NAMES}.",
        )
    return names


def _draw_password() -> str:
    return "-".join(
        "".join(secrets.choice(_LETTERS) for _letter in range(_GROUP)) for _group in range(_GROUPS)
    )
