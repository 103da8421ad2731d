"""A worker asks the requester of a HIT; the requester answers."""

import unicodedata
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from mturk_local.errors import RequestError, does_not_exist
from mturk_local.lifecycle.assignments import WorkError
from mturk_local.models import HIT, Inquiry, Requester, Worker

#: Most inquiries of one worker within a day.
MOST_INQUIRIES = 20
_DAY = timedelta(days=1)
#: Marks that open or end text of another direction, as Unicode's classes name them.
_EMBEDDINGS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


@transaction.atomic(using="crowd")
def inquiry_make(*, worker: Worker, hit: HIT, text: str, now: datetime) -> Inquiry:
    """Store the inquiry of `worker`; the same text about the same HIT is the same inquiry."""
    text = _plain(text)
    if not text:
        raise WorkError(_("The message is empty."))
    if len(text) > Inquiry.LONGEST:
        raise WorkError(_("The message is too long."))
    # The lock makes the second of two simultaneous inquiries count the first.
    Worker.objects.select_for_update().get(pk=worker.pk)
    mine = Inquiry.objects.filter(worker=worker)
    if (known := mine.filter(hit=hit, text=text).first()) is not None:
        return known
    if mine.filter(asked_at__gt=now - _DAY).count() >= MOST_INQUIRIES:
        raise WorkError(_("You have written too often today. Write again tomorrow."))
    return Inquiry.objects.create(
        requester_id=hit.requester_id, worker=worker, hit=hit, text=text, asked_at=now
    )


def inquiry_answer(*, requester: Requester, inquiry_id: str, text: str, now: datetime) -> Inquiry:
    """Answer an inquiry of the requester's, once; the same answer again changes nothing."""
    text = _plain(text)
    if not 1 <= len(text) <= Inquiry.LONGEST:
        raise ValueError(f"Text is 1 to {Inquiry.LONGEST} characters")
    mine = Inquiry.objects.filter(requester=requester, inquiry_id=inquiry_id)
    mine.filter(answered_at=None).update(answer=text, answered_at=now)
    inquiry = mine.select_related("worker", "hit").first()
    if inquiry is None:
        raise does_not_exist("Inquiry", inquiry_id)
    if inquiry.answer != text:
        raise RequestError("The inquiry has been answered.", turk_code="AlreadyAnswered")
    return inquiry


def _plain(text: str) -> str:
    """Remove characters that cannot be stored, or that change the direction of text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        character for character in lines if character == "\n" or _is_plain(character)
    ).strip()


def _is_plain(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cs"} and (
        unicodedata.bidirectional(character) not in _EMBEDDINGS
    )
