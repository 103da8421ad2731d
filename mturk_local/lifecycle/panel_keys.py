"""The public keys of panels that sign their links, cached for when the panel is away."""

import json
import logging
from datetime import timedelta
from http.client import HTTPException
from typing import Any
from urllib.request import Request

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from mturk_local import outgoing
from mturk_local.models import PanelKeys
from mturk_local.signed_links import key_ids

_LOG = logging.getLogger(__name__)
#: Longest trust in a key that the panel has withdrawn, ...
_GOOD_FOR = timedelta(minutes=10)
#: ... or while the panel is down.
_GOOD_FOR_AT_MOST = timedelta(days=1)
#: Least time between fetches, whatever key ids come: after a success, and after a failure.
_PAUSE = timedelta(seconds=1)
_PAUSE_AFTER_FAILURE = timedelta(minutes=1)
_TIMEOUT_SECONDS = 5
_MOST_BYTES = 65_536


class KeysAwayError(Exception):
    """No cached key fits, and the panel's keys cannot be fetched now to check the token."""


def is_keys_url(url: str) -> bool:
    """Return whether keys may come from there: over https, or from a host of the settings."""
    return outgoing.may_call(url, listed=settings.MTURK_LOCAL_KEYS_HOSTS)


def panel_keys(*, url: str, key_id: str) -> dict[str, Any]:
    """The key set at `url`, from the cache while it is fresh and has `key_id`.

    Where it may not or cannot be fetched, the cached keys serve for a day; `KeysAwayError` if
    `key_id` is none of them. Of several requests at once, one fetches.
    """
    held = _held(url)
    cached: dict[str, Any] = held.keys
    now = timezone.now()
    age = now - held.fetched_at if held.fetched_at else None
    is_known = age is not None and age < _GOOD_FOR_AT_MOST and key_id in key_ids(cached)
    if is_known and age is not None and age < _GOOD_FOR:
        return cached
    pause = _PAUSE if held.tried_at == held.fetched_at else _PAUSE_AFTER_FAILURE
    may_try = Q(tried_at=None) | Q(tried_at__lt=now - pause) | Q(tried_at__gt=now)
    mine = PanelKeys.objects.filter(pk=held.pk).filter(may_try).update(tried_at=now)
    fetched = _fetch(url) if mine else None
    if fetched is not None:
        PanelKeys.objects.filter(pk=held.pk).update(keys=fetched, fetched_at=now)
        return fetched
    if not is_known:
        raise KeysAwayError
    return cached


def _held(url: str) -> PanelKeys:
    try:
        with transaction.atomic(using="crowd"):
            return PanelKeys.objects.get_or_create(url=url)[0]
    except IntegrityError:
        return PanelKeys.objects.get(url=url)


def _fetch(url: str) -> dict[str, Any] | None:
    request = Request(url, headers={"Accept": "application/json"})  # noqa: S310 - `call` checks it
    listed = settings.MTURK_LOCAL_KEYS_HOSTS
    try:
        with outgoing.call(request, listed=listed, timeout=_TIMEOUT_SECONDS) as reply:
            body = reply.read(_MOST_BYTES + 1)
        key_set = json.loads(body) if len(body) <= _MOST_BYTES else None
    except (OSError, ValueError, RecursionError, HTTPException) as error:
        _LOG.warning("the keys of the panel at %s cannot be fetched: %s", url, error)
        return None
    if not isinstance(key_set, dict) or not key_ids(key_set):
        _LOG.warning("the reply of %s is not a set of keys", url)
        return None
    return key_set
