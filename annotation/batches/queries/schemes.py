"""The scheme of a batch, the texts of its HITs' pages, and schemes to begin with."""

import json
from dataclasses import dataclass
from typing import Any

from annotation.core.access import User, batches_open_to
from annotation.core.versions import State
from annotation.models import Batch, SchemeVersion
from annotation.schemes import (
    About,
    Scheme,
    built_in_languages,
    built_in_scheme,
    built_in_schemes,
    is_blank,
    scheme_from_json,
)
from annotation.task_page import PageTexts
from annotation.vocabulary import Action

#: Of so many batches, the latest ones, schemes are offered, and so many different ones.
_MOST_BATCHES, _MOST_OWN = 500, 50


@dataclass(frozen=True)
class OwnScheme:
    """A scheme that somebody wrote, by a batch that asks it; `key` names it in forms."""

    key: str
    batch: str
    scheme: Scheme

    @property
    def title(self) -> str:
        return f"{self.scheme.title} (as {self.batch})"


def own_schemes(
    *, user: User, about: About | None = None, besides: Batch | None = None
) -> dict[str, OwnScheme]:
    """The schemes of batches that `user` may view, the latest first, by key; each wording once.

    Built-in ones are left out, and those of `besides`; with `about` only those about such items.
    """
    batches = batches_open_to(user=user, action=Action.VIEW).filter(archived_at=None)
    if besides is not None:
        batches = batches.exclude(pk=besides.pk)
    known = {scheme.digest for scheme in _built_in()}
    # The oldest batch of each wording names it, so that a form stays right while others are made.
    oldest: dict[str, tuple[int, str, Any]] = {}
    rows = batches.order_by("-pk").values_list("pk", "name", "asks")[:_MOST_BATCHES]
    for number, name, asks in rows:
        oldest[json.dumps(asks, sort_keys=True)] = number, name, asks
    own: dict[str, OwnScheme] = {}
    for number, name, asks in oldest.values():
        scheme = scheme_from_json(asks)
        is_own = not is_blank(scheme) and scheme.digest not in known
        if is_own and about in {None, scheme.about} and len(own) < _MOST_OWN:
            key = f"batch-{number}"
            own[key] = OwnScheme(key, name, scheme)
    return own


def _built_in() -> list[Scheme]:
    return [
        built_in_scheme(name, language)
        for name in built_in_schemes()
        for language in built_in_languages(name)
    ]


def page_texts(batch: Batch) -> PageTexts:
    """Texts of every page of the batch, beside its queries."""
    return PageTexts(batch.scheme, batch.consent, batch.contact, shown_suggestions(batch))


def latest_scheme(batch: Batch) -> SchemeVersion | None:
    """Return the version in force; None for imported votes without a scheme."""
    return batch.scheme_versions.order_by("-number").first()


def shown_suggestions(batch: Batch) -> dict[str, str]:
    """The category that a model suggests to annotators of the batch, by the query's id."""
    if not batch.suggested_by:
        return {}
    return dict(batch.queries.exclude(suggestion="").values_list("qid", "suggestion"))


def scheme_state(batch: Batch) -> State:
    """Which scheme and contact of a batch are in force, as a person reads them."""
    latest = latest_scheme(batch)
    # The caller may have read the batch a while ago.
    contact = Batch.objects.values_list("contact", flat=True).get(pk=batch.pk)
    return {
        "Scheme": f"version {latest.number}, by {latest.created_by}" if latest else "as built in",
        "Contact": contact or "none",
    }
