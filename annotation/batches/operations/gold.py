"""Gold questions: what is known about a query, as a batch stores it."""

from annotation.schemes import KNOWN_ANSWERS, Scheme, known_answers, known_text
from annotation.vocabulary import Category
from metrics.errors import InputError

#: Characters of the known answers to a scheme.
LONGEST = 2_000


def known_answer(qid: str, label: str, scheme: Scheme | None) -> str:
    """`label` as it is stored: a category of the paper, or the known answers to `scheme`.

    `InputError` for anything else, with the query and what it may be.
    """
    try:
        return _stored(label, scheme)
    except InputError as error:
        may_be = KNOWN_ANSWERS if scheme else f"one of {', '.join(Category)}"
        raise InputError(
            f"nothing is known about the query {qid!r}: {error.message}",
            remedy=f"The label is {may_be}.",
        ) from None


def _stored(label: str, scheme: Scheme | None) -> str:
    if scheme is None and label not in Category.values:
        raise InputError(f"{label!r} is no category.")
    known = known_text(scheme, known_answers(scheme, label)) if scheme else label
    if len(known) > LONGEST:
        raise InputError(f"that is longer than {LONGEST:,} characters.")
    return known
